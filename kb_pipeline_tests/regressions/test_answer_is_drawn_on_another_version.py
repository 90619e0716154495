"""While a document was ingested again its answers had no picture, and those of before were drawn on the new page."""

from __future__ import annotations

import time

import pytest

from kb_pipeline.engine.run import run_document
from kb_pipeline.errors import UnknownChunk
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.stages.pipeline import open_context
from kb_pipeline_tests.pdf_bytes import document, page, text

QUESTION = "What is the rent of the hall?"


@pytest.fixture
def source(kb_home, tmp_path):
    path = tmp_path / "rent.pdf"
    path.write_bytes(document(page(text("The rent of the hall is 250 euros.", 72, 700))))
    return path


def ingest(source, stages: int | None = None):
    with open_context() as context:
        known = context.catalogue.knowledge_bases()
        kb = known[0] if known else context.catalogue.create("rents", {})
        entry = context.catalogue.register(kb.id, source.name, str(source))
        return run_document(entry, context.pipeline[:stages], context)


def replaced(source, words: str) -> None:
    time.sleep(0.01)
    source.write_bytes(document(page(text(words, 72, 400, size=20))))


def test_what_readers_see_can_be_traced_until_another_version_takes_over(source):
    assert all(outcome.artefact for outcome in ingest(source))
    base = KnowledgeBase.open("rents")
    (cited,) = base.ask(QUESTION).citations
    before = base.trace(cited)

    replaced(source, "The rent of the hall is 275 euros.")
    ingest(source, stages=2)  # an ingest that ended early: the new pages are there, the rows are those of before
    assert base.search(QUESTION)[0].chunk_id == cited.chunk_id
    assert base.trace(cited) == base.trace(base.search(QUESTION)[0]) == before

    source.write_bytes(b"%PDF-1.7 damaged")  # and one that failed
    ingest(source)
    assert base.trace(cited) == before

    replaced(source, "The rent of the hall is 275 euros.")
    assert all(outcome.artefact for outcome in ingest(source))
    with pytest.raises(UnknownChunk, match="ingested again"):
        base.trace(cited)
    (new,) = base.ask(QUESTION).citations
    assert "275" in new.quote and base.trace(new) != before
