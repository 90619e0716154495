"""A question that a chunk answers has a row of its own beside the chunk's, and shows the chunk."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_pipeline.index.collections import document_counts
from kb_pipeline.records import Enrichment
from kb_pipeline_tests.index.samples import chunk
from kb_pipeline_tests.query.shelf import Shelf

TEXT = "矿区位于大理岩带内，气候温和，交通方便。"
OTHER = "选矿回收率试验在实验室完成。"
ASKED = "施工便道由谁修建"
CHUNKS = [chunk(0, TEXT), chunk(1, OTHER)]


@pytest.fixture
def shelf(index_folder: Path) -> Shelf:
    shelf = Shelf(index_folder, "kbn_asked")
    shelf.put("report", CHUNKS, enrichments=[Enrichment(0, questions=(ASKED, "气候如何"))])
    return shelf


def test_a_chunk_is_found_by_a_question_and_shown_once(shelf: Shelf) -> None:
    hits = shelf.base().search(ASKED)
    assert (hits[0].chunk_id, hits[0].text) == ("report:1:0", TEXT)
    assert hits[0].scores["cosine"] == pytest.approx(1.0, abs=1e-4)
    assert len({hit.chunk_id for hit in hits}) == len(hits)


def test_the_content_is_found_as_well_as_without_questions(shelf: Shelf, index_folder: Path) -> None:
    plain = Shelf(index_folder, "kbn_nothing_asked")
    plain.put("report", CHUNKS)
    question = "大理岩带的交通"
    with_questions, without = shelf.base().search(question)[0], plain.base().search(question)[0]
    assert with_questions.text == without.text == TEXT
    assert with_questions.scores["cosine"] == pytest.approx(without.scores["cosine"], abs=1e-5)


def test_a_new_version_leaves_no_questions_behind(shelf: Shelf) -> None:
    assert document_counts(shelf.client, shelf.collection) == {"report": 4}
    assert shelf.base().chunk_ids() == ["report:1:0", "report:1:1"]
    shelf.put("report", CHUNKS, version="2")
    assert document_counts(shelf.client, shelf.collection) == {"report": 2}
