"""A service that moved to another address made every document stale, as if its model were another one."""

from __future__ import annotations

import msgspec
import pytest

from kb_pipeline.engine.keys import stage_basis
from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.operations.status import plan
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.settings import Settings
from kb_pipeline.stages import sections
from kb_pipeline.stages.pipeline import PIPELINE, open_context
from kb_pipeline_tests.openai_server import OpenAIServer


def own(server: OpenAIServer, **more: str) -> dict[str, str]:
    values = {"provider": "openai", "base_url": server.base_url, "api_key": server.api_key, "model": "m", **more}
    return {f"embedding.{key}": value for key, value in values.items()}


def choose(settings: dict[str, str]) -> None:
    with open_context() as context:
        entry = context.catalogue.knowledge_base("reports")
        context.catalogue.save(msgspec.structs.replace(entry, settings=settings))


def planned() -> list[str]:
    with open_context() as context:
        entry = context.catalogue.knowledge_base("reports")
        return [stage.reason for one in plan(context.catalogue.documents(entry.id), context) for stage in one.stages]


def test_the_same_model_at_another_address_is_asked_for_nothing_that_it_gave_before(kb_home, tmp_path):
    file = tmp_path / "a.md"
    file.write_text("# Report\n\nHole ZK305 ended in limestone at 412.5 metres.\n")
    with OpenAIServer(model="m") as one, OpenAIServer(model="m") as two:
        with open_context() as context:
            kb = context.catalogue.create("reports", own(one))
            ingest(kb, register(context.catalogue, kb, [str(file)]), context, lambda step: None)
            index = context.catalogue.served_index(kb.id)
        choose(own(two))
        assert planned() == []
        one.reset()
        assert [hit.document for hit in KnowledgeBase.open("reports").search("limestone")] == ["a.md"]
        assert one.requests == [] and len(two.requests) == 1  # questions go to where the model is now
        with open_context() as context:
            assert context.catalogue.served_index(kb.id) == index
            assert ingest(kb, context.catalogue.documents(kb.id), context, lambda step: None).unchanged == 1
        choose(own(two, revision="2"))
        assert any("embedding.revision" in reason for reason in planned())
        one.reset(), two.reset()
        assert KnowledgeBase.open("reports").search("limestone")  # by the vectors of before, until all are made again
        assert len(one.requests) == 1


@pytest.mark.parametrize("key", ["base_url", "token", "timeout_s", "deadline_s", "max_retries", "api_key", "batch"])
def test_no_stage_reads_where_or_how_a_service_is_reached(key):
    values = {"parser.engine": "remote", "embedding.provider": "openai"}
    other = {name: "7" for name in (f"{group}.{key}" for group in ("parser", "embedding", "llm")) if key_exists(name)}
    for stage in PIPELINE:
        assert stage_basis(stage, Settings().merged(values)) == stage_basis(stage, Settings().merged(values | other))


def key_exists(name: str) -> bool:
    from kb_pipeline.settings import setting_names

    return name in setting_names()


def test_another_revision_of_the_parser_reads_again():
    slices = [Settings().merged({"parser.revision": name}).slice(sections.STAGE.settings) for name in ("", "2")]
    assert slices[0] != slices[1]
