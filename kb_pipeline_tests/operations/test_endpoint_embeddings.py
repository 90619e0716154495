"""A knowledge base whose vectors come from an OpenAI-compatible endpoint: batches, the cache, failures that heal."""

from __future__ import annotations

import pytest

from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.stages.pipeline import open_context
from kb_pipeline_tests.openai_server import Fault, OpenAIServer

TEXT = "# Report {n}\n\nHole ZK30{n} ended in limestone at {n}12.5 metres.\n"


@pytest.fixture
def server():
    with OpenAIServer() as server:
        yield server


def settings(server, **more):
    found = {
        "provider": "openai",
        "base_url": server.base_url,
        "api_key": server.api_key,
        "model": server.model,
        **more,
    }
    return {f"embedding.{key}": value for key, value in found.items()}


def run(entry, folder):
    with open_context() as context:
        return ingest(entry, register(context.catalogue, entry, [str(folder)]), context, lambda step: None)


def embedded(server):
    return [
        text for request in server.requests if request.path.endswith("/embeddings") for text in request.json["input"]
    ]


def test_texts_go_out_in_batches_once_and_are_found_again(kb_home, tmp_path, server):
    folder = tmp_path / "notes"
    folder.mkdir()
    for n in range(3):
        (folder / f"{n}.md").write_text(TEXT.format(n=n))
    with open_context() as context:
        entry = context.catalogue.create("endpoint", settings(server))
    assert run(entry, folder).ingested == 3
    first = embedded(server)
    assert sum("limestone" in text for text in first) == 3

    (folder / "1.md").write_text(TEXT.format(n=1) + "\nOne more paragraph.\n")
    (folder / "2.md").write_text(TEXT.format(n=2))  # touched, not changed
    assert run(entry, folder).failures == ()
    again = embedded(server)[len(first) :]
    assert all("ZK301" in text or "One more" in text for text in again)

    hits = KnowledgeBase.open("endpoint").search("ZK302")
    assert "212.5" in hits[0].text


def test_a_dead_endpoint_fails_the_stage_with_its_reason_and_the_next_run_goes_on(kb_home, tmp_path, server):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "1.md").write_text(TEXT.format(n=1))
    with open_context() as context:
        entry = context.catalogue.create("endpoint", settings(server, max_retries=0))
    server.script(*[Fault(500)] * 9)
    report = run(entry, folder)
    assert report.failures[0].reason.startswith("EndpointError")
    assert "\n" not in report.failures[0].reason
    with open_context() as context:
        document = context.catalogue.find(entry.id, "1.md")
        states = context.artefacts.state(document.id).stages
    assert states["chunks"].state == "done" and states["embeddings"].state == "failed"
    server.reset()
    assert run(entry, folder).failures == ()
