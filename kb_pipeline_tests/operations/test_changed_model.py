"""Another embedding model: its index grows beside the one that readers see, and takes over when it is complete."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from kb_pipeline.index.collections import list_collections
from kb_pipeline.index.connect import connect
from kb_pipeline.operations.doctor import examine
from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.operations.remove import remove_documents, remove_knowledge_base
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.settings import load_settings
from kb_pipeline.stages.pipeline import open_context
from kb_pipeline_tests.openai_server import OpenAIServer

TEXT = "# Report {n}\n\nHole ZK30{n} ended in limestone at {n}12.5 metres.\n"
NAMES = ["0.md", "1.md", "2.md"]


@pytest.fixture
def server():
    with OpenAIServer(model="first", more_models=("second",)) as server:
        yield server


@pytest.fixture
def folder(kb_home: Path, tmp_path: Path, server: OpenAIServer) -> Path:
    """Three documents in the knowledge base `reports`, embedded with one model; then another one is set."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for n, name in enumerate(NAMES):
        (folder / name).write_text(TEXT.format(n=n))
    endpoint = {"provider": "openai", "base_url": server.base_url, "api_key": server.api_key, "model": "first"}
    with open_context() as context:
        context.catalogue.create("reports", {f"embedding.{key}": value for key, value in endpoint.items()})
    take(folder, NAMES)
    choose("second")
    return folder


def choose(model: str) -> None:
    with open_context() as context:
        entry = context.catalogue.knowledge_base("reports")
        settings = {**entry.settings, "embedding.model": model}
        context.catalogue.save(msgspec.structs.replace(entry, settings=settings))


def take(folder: Path, names: list[str]) -> None:
    with open_context() as context:
        entry = context.catalogue.knowledge_base("reports")
        found = [one for one in register(context.catalogue, entry, [str(folder)]) if one.path in names]
        assert len(found) == len(names)
        assert ingest(entry, found, context, lambda step: None).failures == ()


def served() -> str:
    with open_context() as context:
        return context.catalogue.served_index(context.catalogue.knowledge_base("reports").id).collection


def collections(kb_home: Path) -> list[str]:
    return list_collections(connect(load_settings().index, kb_home / "index"))


def models_asked(server: OpenAIServer) -> list[str]:
    return [request.json["model"] for request in server.requests if request.path.endswith("/embeddings")]


def seen(base: KnowledgeBase) -> list[str]:
    """Documents that a question about all of them finds."""
    return sorted({hit.document for hit in base.search("limestone of the drill holes")})


def test_readers_see_all_of_the_old_index_until_the_new_one_is_complete(kb_home, folder, server):
    base = KnowledgeBase.open("reports")
    take(folder, ["0.md", "1.md"])
    assert served() == "kbn_reports"
    assert len(collections(kb_home)) == 2
    server.reset()
    assert seen(base) == NAMES
    assert models_asked(server) == ["first"]  # a question is compared with vectors of its own model only
    (finding,) = [one for one in examine_all() if "not in the new one" in one.problem]
    assert "2.md" in finding.problem and "kb ingest --kb reports" in finding.fix

    take(folder, ["2.md"])
    server.reset()
    assert seen(base) == NAMES  # the same object, opened before the switch
    assert models_asked(server) == ["second"]
    assert collections(kb_home) == [served()] != ["kbn_reports"]
    assert examine_all() == []


def examine_all():
    with open_context() as context:
        return examine(context)


def test_a_document_that_is_removed_is_not_waited_for(kb_home, folder, server):
    take(folder, ["0.md", "1.md"])
    with open_context() as context:
        remove_documents([context.catalogue.find("kbn_reports", "2.md")], context)
    assert served() != "kbn_reports"
    assert seen(KnowledgeBase.open("reports")) == ["0.md", "1.md"]
    assert len(collections(kb_home)) == 1


def test_a_model_that_is_set_back_before_the_switch_costs_nothing(kb_home, folder, server):
    take(folder, ["0.md", "1.md"])
    choose("first")
    server.reset()
    take(folder, NAMES)
    assert (served(), models_asked(server)) == ("kbn_reports", [])
    assert seen(KnowledgeBase.open("reports")) == NAMES


def test_a_model_that_is_set_back_after_the_switch_is_indexed_from_kept_vectors(kb_home, folder, server):
    take(folder, NAMES)
    choose("first")
    server.reset()
    take(folder, NAMES)
    assert models_asked(server) in ([], ["first"])  # the length of its vectors may be asked for
    assert seen(KnowledgeBase.open("reports")) == NAMES
    assert len(collections(kb_home)) == 1


def test_a_deleted_knowledge_base_leaves_neither_index_behind(kb_home, folder, server):
    take(folder, ["0.md"])
    with open_context() as context:
        remove_knowledge_base(context.catalogue.knowledge_base("reports"), context)
    assert collections(kb_home) == []
