"""The `kb` command as its users call it: shapes that are promised, exit codes, remedies."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kb_pipeline import cli
from kb_pipeline.index.lite_server import stop
from kb_pipeline_tests.pdf_pages import text_pdf

README = Path(__file__).parent.parent / "README.md"
KB = "铜矿 报告"


@pytest.fixture(scope="module")
def patch():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def home(patch, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    patch.setenv("KB_HOME", str(folder / "home"))
    yield folder
    stop(folder / "home" / "index")


@pytest.fixture
def kb(home, patch, capsys):
    """Run a command in this process; returns exit code, stdout and stderr."""

    def run(*arguments):
        patch.setattr(sys, "argv", ["kb", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return run


@pytest.fixture(scope="module")
def documents(home):
    """A folder with good documents and every kind of bad one."""
    import pypdfium2

    folder = home / "documents"
    folder.mkdir()
    good = text_pdf(
        [
            ["1 Drilling", "Hole ZK305 ended in limestone at 412.5 metres."],
            ["2 Water", "The spring Q3 yields 0.52 cubic metres a second."],
        ]
    )
    (folder / "报告 one.pdf").write_bytes(good)
    (folder / "notes.md").write_text("# Notes\n\nThe road to the quarry is closed in winter.\n", "utf-8")
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "text.png").write_bytes(good)
    (folder / "broken.pdf").write_bytes(good[: len(good) // 3])
    (folder / "sheet.xlsx").write_bytes(b"PK\x03\x04 not a zip")
    (folder / "random.bin").write_bytes(bytes(range(256)) * 8)
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    locked = Canvas(str(folder / "locked.pdf"), encrypt=StandardEncryption("secret"), invariant=1)
    locked.drawString(72, 700, "Hidden")
    locked.save()
    assert pypdfium2.PdfDocument(good)
    return folder


@pytest.fixture(scope="module")
def ingested(home, documents, patch, request):
    """The folder ingested once for the tests that only read."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    results = []
    with capture.global_and_fixture_disabled():
        for arguments in (["create", KB], ["ingest", str(documents), "--kb", KB, "--json"]):
            command = [sys.executable, "-m", "kb_pipeline.cli", *arguments]
            results.append(subprocess.run(command, capture_output=True, text=True))
    return results[-1]


BAD = {
    "empty.pdf": "EmptyFile",
    "text.png": "MismatchedType",
    "locked.pdf": "EncryptedFile",
    "sheet.xlsx": "MismatchedType",
    "random.bin": "UnsupportedType",
}


def test_bad_documents_fail_with_a_reason_in_one_line_and_the_rest_is_done(ingested):
    assert ingested.returncode == 1, ingested.stderr
    report = json.loads(ingested.stdout)
    reasons = {failure["document"]: failure["reason"] for failure in report["failures"]}
    for name, kind in BAD.items():
        assert reasons[name].startswith(kind), reasons[name]
    for name, reason in reasons.items():
        assert "\n" not in reason and "(" in reason, (name, reason)  # a remedy in parentheses
    assert report["documents"] == 8
    assert report["ingested"] + len(reasons) == 8
    assert not {"报告 one.pdf", "notes.md"} & set(reasons)


def test_status_has_the_promised_shape(ingested, kb):
    code, out, _ = kb("status", "--kb", KB, "--json")
    assert code == 0
    documents = {d["document"]: d for d in json.loads(out)["documents"]}
    one = documents["报告 one.pdf"]
    assert set(one) >= {"document", "id", "state", "reason", "pages", "chunks", "queued_s", "stages"}
    assert (one["state"], one["pages"]) == ("indexed", 2)
    assert len(one["stages"]) == 9
    assert all(set(stage) >= {"state", "seconds", "hit", "at"} for stage in one["stages"].values())
    assert documents["locked.pdf"]["state"] == "failed"


def test_an_unchanged_folder_is_left_alone_and_the_command_says_so(ingested, kb, documents):
    code, out, _ = kb("ingest", str(documents / "报告 one.pdf"), str(documents / "notes.md"), "--kb", KB)
    assert (code, out) == (0, "2 documents, all up to date: nothing to do\n")


def test_search_has_the_promised_shape_and_scores_recompute(ingested, kb):
    code, out, _ = kb("search", "ZK305", "--kb", KB, "--top", "3", "--json")
    assert code == 0
    hit = json.loads(out)["hits"][0]
    assert set(hit) >= {"chunk_id", "document", "kind", "text", "breadcrumb", "score", "scores", "locators"}
    assert hit["document"] == "报告 one.pdf" and "412.5" in hit["text"]
    assert {"term", "vector"} <= set(hit["scores"])
    place = hit["locators"][0]
    assert place["kind"] == "page" and place["page_size"] == [300, 200]
    x0, top, x1, bottom = place["box"]
    assert 0 <= x0 < x1 <= 300 and 0 <= top < bottom <= 200


def test_an_answer_is_cited_verified_and_traced(ingested, kb, home):
    code, out, _ = kb("ask", "How much does spring Q3 yield?", "--kb", KB, "--json")
    assert code == 0
    answer = json.loads(out)
    assert set(answer) >= {"answer", "citations", "confidence", "mode"}
    assert answer["mode"] == "extractive" and "0.52" in answer["answer"] and "[1]" in answer["answer"]
    citation = answer["citations"][0]
    assert set(citation) >= {"n", "chunk_id", "document", "quote", "verified", "locators"}
    assert citation["verified"] is True
    assert [place["page"] for place in citation["locators"]] == [2]

    code, out, _ = kb("trace", "--citation", "1", "--out", str(home / "out" / "cited.png"))
    assert code == 0
    assert (home / "out" / "cited.png").read_bytes().startswith(b"\x89PNG")
    code, _, _ = kb("trace", citation["chunk_id"], "--out", str(home / "chunk.png"), "--json")
    assert code == 0


def test_a_marked_page_is_marked_where_the_words_stand(ingested, kb, home):
    import cv2

    _, out, _ = kb("ask", "How much does spring Q3 yield?", "--kb", KB, "--json")
    x0, top, x1, bottom = json.loads(out)["citations"][0]["locators"][0]["box"]
    kb("trace", "--citation", "1", "--out", str(home / "marked.png"))
    picture = cv2.imread(str(home / "marked.png")).astype(int)
    scale = picture.shape[1] / 300
    coloured = abs(picture.max(axis=2) - picture.min(axis=2)) > 20
    rows, columns = coloured.nonzero()
    assert len(rows)
    assert abs(columns.min() / scale - x0) < 3 and abs(columns.max() / scale - x1) < 3
    assert abs(rows.min() / scale - top) < 3 and abs(rows.max() / scale - bottom) < 3


def test_parse_prints_every_side_of_the_character_sum(ingested, kb, documents):
    code, out, _ = kb("parse", str(documents / "报告 one.pdf"), "--format", "json")
    assert code == 0
    parsed = json.loads(out)
    assert set(parsed) >= {"pages", "sections", "dropped", "characters"}
    page = parsed["pages"][0]
    assert (page["page"], page["width"], page["height"], page["source"]) == (1, 300, 200, "text layer")
    sums = parsed["characters"]
    assert sums["in"] == sums["sections"] + sum(sums["dropped"].values()) > 80
    assert set(parsed["sections"][0]) >= {"role", "level", "text", "html", "breadcrumb", "locators", "cells"}
    for form, expected in (("md", "Hole ZK305"), ("html", "<!doctype html>"), ("text", "Hole ZK305")):
        code, out, _ = kb("parse", str(documents / "报告 one.pdf"), "--format", form)
        assert code == 0 and expected in out


def test_a_file_that_cannot_be_read_alone_is_one_message_and_exit_1(ingested, kb, documents):
    code, out, err = kb("parse", str(documents / "locked.pdf"), "--format", "json")
    assert (code, out) == (1, "")
    assert "render.password" in err and "Traceback" not in err
    code, out, _ = kb("parse", str(documents / "locked.pdf"), "--format", "text", "--set", "render.password=secret")
    assert code == 0 and "Hidden" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["create", KB], "exists"),
        (["ingest", ".", "--kb", "no such"], KB),
        (["search", "x", "--kb", "no such"], KB),
        (["search", "   ", "--kb", KB], "empty"),
        (["create", "x", "--set", "chunking.size=5"], "chunking.chunk_tokens"),
        (["create", "x", "--set", "chunk_tokens=2"], "32"),
        (["status", "no such document"], "no such document"),
        (["ingest", "/no/such/place", "--kb", KB], "/no/such/place"),
        (["trace", "no-such-chunk:1:0", "--out", "x.png"], "no chunk"),
        (["trace", "--citation", "99", "--out", "x.png"], "citation"),
        (["delete"], "NAME"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_allowed(ingested, kb, arguments, said):
    code, out, err = kb(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_missing_model_ends_with_3_and_names_the_command(ingested, kb, documents, patch, tmp_path):
    with pytest.MonkeyPatch.context() as without:
        without.setenv("KB_MODELS", str(tmp_path))
        (documents.parent / "new.md").write_text("new text")
        code, _, err = kb("ingest", str(documents.parent / "new.md"), "--kb", KB)
        assert code == 3
        assert "kb models fetch" in err
        assert kb("models", "verify")[0] == 3


def test_two_files_of_one_name_are_two_documents_and_a_moved_one_stays_one(home, kb):
    for folder in ("a", "b"):
        (home / "same" / folder).mkdir(parents=True)
        (home / "same" / folder / "plan.md").write_text(f"# Plan {folder}\n\nText of {folder}.\n")
    assert kb("create", "same")[0] == 0
    assert kb("ingest", *(str(home / "same" / f / "plan.md") for f in "ab"), "--kb", "same")[0] == 0
    listed = json.loads(kb("status", "--kb", "same", "--json")[1])["documents"]
    assert [d["document"] for d in listed] == ["b/plan.md", "plan.md"]
    shutil.move(home / "same" / "a", home / "same" / "c")
    assert kb("ingest", str(home / "same" / "c" / "plan.md"), "--kb", "same")[0] == 0
    assert len(json.loads(kb("status", "--kb", "same", "--json")[1])["documents"]) == 2

    assert kb("rm", "plan.md", "--kb", "same")[0] == 0
    assert [d["document"] for d in json.loads(kb("status", "--kb", "same", "--json")[1])["documents"]] == ["b/plan.md"]
    assert kb("delete", "same", "--yes")[0] == 0
    assert "same" not in [b["name"] for b in json.loads(kb("list", "--json")[1])["knowledge_bases"]]
    code, out, _ = kb("doctor")
    assert (code, out) == (0, "everything is in order\n")


def test_an_ingest_left_behind_goes_on_by_itself(home, kb):
    (home / "later.md").write_text("# Later\n\nRead behind the caller's back.\n")
    assert kb("create", "later")[0] == 0
    code, out, _ = kb("ingest", str(home / "later.md"), "--kb", "later", "--no-wait", "--json")
    assert code == 0
    assert json.loads(out)["queued"] == 1
    end = time.monotonic() + 120
    while (state := json.loads(kb("status", "--kb", "later", "--json")[1])["documents"][0]["state"]) != "indexed":
        assert state in ("queued", "running", "stale"), state
        assert time.monotonic() < end
        time.sleep(0.5)


def test_the_plan_says_which_setting_makes_which_stage_stale(ingested, kb):
    assert kb("set", KB, "chunk_tokens=100")[0] == 0
    plan = json.loads(kb("plan", "--kb", KB, "--json")[1])
    one = next(d for d in plan["documents"] if d["document"] == "报告 one.pdf")
    assert one["stages"][0]["stage"] == "chunks"
    assert one["stages"][0]["reason"] == "chunking.chunk_tokens: 512 -> 100"
    assert kb("set", KB, "chunk_tokens=512")[0] == 0
    plan = json.loads(kb("plan", "--kb", KB, "--json")[1])
    assert "报告 one.pdf" not in [d["document"] for d in plan["documents"]]


def test_chunks_of_a_file_are_shown_in_a_mode_and_nothing_is_stored(home, kb):
    (home / "law.md").write_text("# Chapter 1\n\n第一条 总则。\n\n第二条 " + "范围。" * 40 + "\n", "utf-8")
    before = kb("list", "--json")[1]
    code, out, _ = kb("chunks", str(home / "law.md"), "--mode", "manual", "--set", "chunk_tokens=64", "--json")
    preview = json.loads(out)
    assert (code, preview["mode"]) == (0, "manual")
    assert [chunk["text"].split("\n")[0] for chunk in preview["chunks"]] == ["[Chapter 1]"] * len(preview["chunks"])
    assert len(preview["chunks"]) > 2
    first = preview["chunks"][0]
    assert set(first) >= {"ordinal", "kind", "text", "breadcrumb", "tokens", "section_ids", "locators", "added"}
    assert all(chunk["tokens"] <= 64 + 8 for chunk in preview["chunks"])
    assert kb("list", "--json")[1] == before


def test_the_mode_of_one_document_is_in_the_plan_and_can_be_taken_back(ingested, kb):
    code, out, _ = kb("mode", "notes.md", "qa", "--kb", KB, "--json")
    assert (code, json.loads(out)) == (0, {"modes": ["notes.md=qa"], "documents": ["notes.md"]})
    plan = json.loads(kb("plan", "--kb", KB, "--json")[1])["documents"]
    stages = {one["document"]: one["stages"] for one in plan}
    assert stages["notes.md"][0]["stage"] == "chunks"
    assert stages["notes.md"][0]["reason"] == "chunking.mode: manual -> qa"
    assert "报告 one.pdf" not in stages
    assert kb("mode", "notes.md", "default", "--kb", KB)[0] == 0
    plan = json.loads(kb("plan", "--kb", KB, "--json")[1])["documents"]
    assert "notes.md" not in [one["document"] for one in plan]


def test_every_command_is_in_the_readme():
    text = README.read_text("utf-8")
    for name in cli.kb.commands:
        assert re.search(rf"\bkb {name}\b|make {name}\b", text), f"kb {name} is not in README.md"


def test_the_readme_names_no_command_that_is_not_there():
    found = set(re.findall(r"`?\bkb ([a-z]+)\b", README.read_text("utf-8")))
    assert found <= set(cli.kb.commands), found - set(cli.kb.commands)


def test_importing_definitions_loads_no_heavy_library():
    heavy = ("onnxruntime", "cv2", "pandas", "gradio", "pymilvus", "jieba")
    code = f"import kb_pipeline.definitions, sys; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
