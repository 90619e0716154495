"""Each kind of addition is a module and a line in a registry: docs/architecture.md, made true here.

Each test puts its line into the registry of a process of its own, before anything else is imported, and calls `kb`
there.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kb_pipeline.choices import CHUNK_MODES, EMBEDDING_PROVIDERS, RERANKERS, loaded
from kb_pipeline.settings import ChunkingSettings, Settings, parse_assignments

ADDITIONS = "kb_pipeline_tests.additions"
CALL = """
import json, sys
{line}
from kb_pipeline import cli
for arguments in json.loads(sys.argv[1]):
    try:
        cli.kb.main(arguments, standalone_mode=False)
    except Exception as error:
        sys.exit(f"{error} {getattr(error, 'remedy', '')}")
"""


def kb(line: str, *commands: list[str], fails: bool = False) -> str:
    """What commands print in a process that begins with `line`; what its error says where it has to fail."""
    script = [sys.executable, "-c", CALL.replace("{line}", line), json.dumps(commands)]
    done = subprocess.run(script, capture_output=True, text=True, timeout=120)
    assert bool(done.returncode) == fails, done.stderr
    return done.stderr if fails else done.stdout


@pytest.fixture
def note(kb_home, tmp_path) -> Path:
    file = tmp_path / "note.md"
    file.write_text("# Hole ZK305\n\nIt reached 251 metres.\n\nIt ended in limestone of the Permian, without water.\n")
    return file


def test_a_stage(note):
    line = (
        f"import kb_pipeline.stages.pipeline as registry; from {ADDITIONS}.example_stage import STAGE;"
        "registry.PIPELINE += (STAGE,)"
    )
    commands = ["create", "k"], ["ingest", str(note), "--kb", "k", "--json"], ["status", "--kb", "k", "--json"]
    ingested, status = (json.loads(text) for text in kb(line, *commands).splitlines()[1:])
    assert ingested["ingested"] == 1
    (document,) = status["documents"]
    assert document["state"] == "indexed" and document["stages"]["announcement"]["state"] == "done"
    assets = kb(line + ";from kb_pipeline.definitions import defs; print(sorted(s.key.to_user_string() for s in "
                "defs.resolve_all_asset_specs() if s.kinds == {'python', 'text'}))")  # fmt: skip
    assert assets.strip() == "['announcement']"
    # without the line, the document is what it was before
    (document,) = json.loads(kb("", ["status", "--kb", "k", "--json"]))["documents"]
    assert document["state"] == "indexed"


def test_a_chunk_mode(note):
    target = f"{ADDITIONS}.example_chunk_mode:plan_sections"
    line = f"from kb_pipeline.choices import CHUNK_MODES; CHUNK_MODES['sections'] = '{target}'"
    shown = json.loads(kb(line, ["chunks", str(note), "--mode", "sections", "--json"]))
    assert shown["mode"] == "sections"
    assert [chunk["text"][:10] for chunk in shown["chunks"]] == ["Hole ZK305", "It reached", "It ended i"]
    assert "sections" in kb(line, ["mode", "--help"])
    said = kb("", ["create", "k", "--set", "chunking.mode=sections"], fails=True)
    assert "general, qa, table, manual, sliding_window" in said


def test_an_embedding_provider_and_a_reranker(note):
    line = (
        "from kb_pipeline.choices import EMBEDDING_PROVIDERS, RERANKERS, EmbeddingProvider, Reranker;"
        f"EMBEDDING_PROVIDERS['letters'] = EmbeddingProvider('{ADDITIONS}.example_embedding:letter_embedder');"
        f"RERANKERS['brevity'] = Reranker('{ADDITIONS}.example_reranker:brevity_parts', 0.5)"
    )
    own = ["--set", "embedding.provider=letters", "--set", "rerank.provider=brevity", "--set", "chunking.mode=general"]
    found = kb(
        line,
        ["create", "k", *own, "--set", "chunk_tokens=32"],
        ["ingest", str(note), "--kb", "k"],
        ["status", "--kb", "k", "--json"],
        ["search", "limestone", "--kb", "k", "--json"],
    )
    status, search = (json.loads(text) for text in found.splitlines() if text.startswith("{"))
    assert status["documents"][0]["stages"]["embeddings"]["state"] == "done"
    hit = search["hits"][0]
    assert "limestone" in hit["text"]
    assert hit["scores"]["rerank"] == pytest.approx(1 / (1 + len(hit["text"])), abs=1e-3)
    assert hit["scores"]["rerank weight"] == 0.5


def test_a_format(tmp_path):
    line = (
        "from kb_pipeline.formats.registry import FORMATS, Format; FORMATS['subtitles'] = Format('subtitles', ('srt',),"
        f"reader='{ADDITIONS}.example_format:read_subtitles', place='lines', text=True)"
    )
    film, program = tmp_path / "film.srt", tmp_path / "program.bin"
    film.write_text("1\n00:00:01,000 --> 00:00:04,000\nHole ZK305 reached 251 metres.\n")
    program.write_bytes(b"\x7fELF\0\0\0\0")
    found = json.loads(kb(line, ["parse", str(film), "--format", "json"]))
    assert [section["text"] for section in found["sections"]] == ["Hole ZK305 reached 251 metres."]
    assert (place := found["sections"][0]["locators"][0])["kind"] == "lines" and place["first"] == 3
    assert set(found["characters"]["dropped"]) == {"times of a subtitle"}
    assert "subtitles (srt)" in kb(line, ["parse", str(program)], fails=True)
    assert len(json.loads(kb("", ["parse", str(film), "--format", "json"]))["sections"]) == 1  # read as plain text


def test_a_locator(kb_home, tmp_path):
    line = (
        f"import kb_pipeline.locators as registry; from {ADDITIONS}.example_locator import TimeLocator;"
        "registry.Locator |= TimeLocator;"
        "from kb_pipeline.formats.registry import FORMATS, Format; FORMATS['subtitles'] = Format('subtitles', ('srt',),"
        f"reader='{ADDITIONS}.example_format:read_timed', place='seconds', text=True)"
    )
    film = tmp_path / "film.srt"
    film.write_text("1\n00:00:01,000 --> 00:00:04,000\nHole ZK305 reached 251 metres.\n")
    found = kb(line, ["create", "k"], ["ingest", str(film), "--kb", "k"], ["search", "ZK305", "--kb", "k", "--json"],
               ["search", "ZK305", "--kb", "k"], ["ask", "How deep is ZK305?", "--kb", "k", "--json"])  # fmt: skip
    assert "film.srt seconds 1-4" in found
    search, answer = (json.loads(text) for text in found.splitlines() if text.startswith("{"))
    assert search["hits"][0]["locators"][0]["kind"] == "time"
    assert answer["citations"][0]["locators"][0]["first"] == 1


def test_a_setting():
    """A field of a group is all: variables, `kb set` and fingerprints know it then."""

    line = (
        "from pydantic.fields import FieldInfo; from kb_pipeline.settings import ChunkingSettings, Settings;"
        "ChunkingSettings.__pydantic_fields__['marker'] = FieldInfo(annotation=str, default='');"
        "ChunkingSettings.model_rebuild(force=True); Settings.model_rebuild(force=True)"
    )
    assert "marker" not in ChunkingSettings.model_fields
    show = (
        ";from kb_pipeline.settings import parse_assignments, load_settings;"
        "print(load_settings(parse_assignments(('marker=§',))).slice(('chunking',))['chunking.marker'])"
    )
    assert kb(line + show).strip() == "§"
    assert parse_assignments(("mode=qa",)) == {"chunking.mode": "qa"}
    assert "chunking.mode" in Settings().slice(("chunking",))


def test_every_target_is_there():
    targets = [*CHUNK_MODES.values(), *(one.target for one in (*EMBEDDING_PROVIDERS.values(), *RERANKERS.values()))]
    assert all(callable(loaded(target)) for target in targets)


def test_the_command_line_takes_its_choices_from_the_registries():
    from typing import get_args

    from kb_pipeline.query.fusion import PRESETS
    from kb_pipeline.settings import QuerySettings

    assert get_args(QuerySettings.model_fields["fusion"].annotation) == tuple(PRESETS)
    help_ = kb("", ["search", "--help"])
    assert all(name in help_ for name in (*PRESETS, "equation"))


def test_help_loads_nothing_heavy():
    heavy = "{'pydantic', 'numpy', 'dagster', 'pymilvus', 'cv2', 'onnxruntime', 'pandas', 'openai'}"
    code = f"import sys, kb_pipeline.cli; sys.exit(', '.join(sorted({heavy} & set(sys.modules))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip() == ""
