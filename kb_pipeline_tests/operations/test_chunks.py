"""Previews of chunks, and modes of single documents."""

from __future__ import annotations

import pytest

from kb_pipeline.engine.plan import stale_stages
from kb_pipeline.engine.run import run_document
from kb_pipeline.errors import InvalidSetting, UsageError
from kb_pipeline.operations.chunks import preview_chunks, set_mode
from kb_pipeline.settings import ChunkingSettings, Settings, load_settings
from kb_pipeline.stages.pipeline import PIPELINE, open_context

FAQ = "# 常见问题\n\n问：何时取样？\n答：2019 年。\n\n问：品位？\n答：0.85。\n"


@pytest.fixture
def context(tmp_path, monkeypatch):
    monkeypatch.setenv("KB_HOME", str(tmp_path / "home"))
    with open_context() as context:
        yield context


@pytest.fixture
def faq(context, tmp_path):
    """A knowledge base with two documents, taken as far as their chunks."""
    base = context.catalogue.create("kb", {})
    stages = PIPELINE[: [stage.name for stage in PIPELINE].index("chunks") + 1]
    found = []
    for name in ("faq.md", "other.md"):
        (tmp_path / name).write_text(FAQ, "utf-8")
        document = context.catalogue.register(base.id, name, str(tmp_path / name))
        assert all(outcome.artefact for outcome in run_document(document, stages, context))
        found.append(document)
    return base, found


def stale(document, context):
    return [one.reason for one in stale_stages(document, context) if one.stage == "chunks"]


def test_a_file_is_cut_in_any_mode_without_storing_anything(context, tmp_path):
    (tmp_path / "a.md").write_text(FAQ, "utf-8")
    found = {
        mode: preview_chunks(str(tmp_path / "a.md"), None, mode, {}, context) for mode in ("qa", "manual", "general")
    }
    assert [len(found[mode].chunks) for mode in ("qa", "manual", "general")] == [2, 1, 1]
    assert found["manual"].chunks[0].text.startswith("[常见问题]\n")
    assert context.catalogue.knowledge_bases() == []


def test_a_document_is_cut_from_its_stored_sections_with_other_settings(context, faq, tmp_path):
    base, (document, _) = faq
    (tmp_path / "faq.md").unlink()
    preview = preview_chunks(document.id, None, "", {"chunking.mode": "qa"}, context)
    assert (preview.document, preview.mode, len(preview.chunks)) == ("faq.md", "qa", 2)
    assert len(preview_chunks("faq.md", base, "", {}, context).chunks) == 1


def test_what_is_neither_file_nor_document_is_said(context):
    with pytest.raises(UsageError, match="no file and no document"):
        preview_chunks("nothing.md", None, "", {}, context)


def test_the_mode_of_one_document_re_runs_that_one_and_can_be_taken_back(context, faq):
    base, (document, other) = faq
    entry, documents = set_mode(document.id, "qa", base, context)
    assert (entry.settings["chunking.modes"], documents) == (["faq.md=qa"], ["faq.md"])
    context.override_settings(entry, {})
    assert (stale(document, context), stale(other, context)) == (["chunking.mode: manual -> qa"], [])
    assert preview_chunks("faq.md", entry, "", {}, context).mode == "qa"
    entry, _ = set_mode("faq.md", "default", entry, context)
    context.override_settings(entry, {})
    assert stale(document, context) == []


def test_a_pattern_holds_for_the_documents_that_it_fits(context, faq):
    base, _ = faq
    entry, documents = set_mode("*.md", "general", base, context)
    assert documents == ["faq.md", "other.md"]
    entry, _ = set_mode("other.md", "table", entry, context)
    chunking = load_settings(entry.settings).chunking
    assert [chunking.for_document(path).mode for path in ("faq.md", "other.md", "x.txt")] == [
        "general",
        "table",
        "manual",
    ]


def test_a_plan_can_suppose_a_setting(context, faq):
    base, (document, _) = faq
    context.override_settings(base, {"chunking.chunk_tokens": 64})
    assert stale(document, context) == ["chunking.chunk_tokens: 512 -> 64"]


def test_names_with_signs_of_patterns_are_names_first():
    chunking = ChunkingSettings(modes=("a[1]=b.pdf=qa", "a*=table"))
    assert [chunking.for_document(path).mode for path in ("a[1]=b.pdf", "a1.pdf")] == ["qa", "table"]


@pytest.mark.parametrize("rule", ["*.pdf", "=qa", "*.pdf=fancy"])
def test_a_rule_that_is_none_is_refused(rule):
    with pytest.raises(InvalidSetting, match="pattern=mode"):
        Settings().merged({"chunking.modes": [rule]})
