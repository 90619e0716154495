"""A knowledge base of an installation, opened by its name."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from kb_pipeline.embedding.choose import embedder
from kb_pipeline.errors import DimensionMismatch, UnknownDocument, UnknownKnowledgeBase
from kb_pipeline.index.collections import ensure_collection
from kb_pipeline.index.connect import connect
from kb_pipeline.index.rows import write_document
from kb_pipeline.index.vectors import Vectors
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.query.question import Question
from kb_pipeline.settings import load_settings
from kb_pipeline.storage.artefacts import Artefacts, DocumentState, StageState
from kb_pipeline.storage.catalogue import Catalogue, KnowledgeBaseIndex
from kb_pipeline.storage.objects import home_store
from kb_pipeline_tests.index.samples import chunk

NAME = "铜矿报告 / Q3"


@pytest.fixture
def catalogue(kb_home: Path) -> Catalogue:
    return Catalogue(home_store(load_settings()))


def test_search_ask_and_trace_by_name(catalogue: Catalogue, kb_home: Path) -> None:
    settings = load_settings()
    base = catalogue.create(NAME, {"query.candidates": 20})
    document = catalogue.register(base.id, "年报/2023 'a'.pdf", "file:///x.pdf")
    chunks = [chunk(0, "钻孔ZK305的铜平均品位为0.85%。", page=2)]
    client = connect(settings.index, kb_home / "index")
    ensure_collection(client, base.id, embedder(settings.embedding).dimension)
    vectors = embedder(settings.embedding).embed_passages([one.text for one in chunks])
    write_document(client, base.id, document.id, "1", chunks, [], Vectors(vectors))

    opened = KnowledgeBase.open(NAME)
    assert opened.search("ZK305的铜品位") == []  # nobody points at it yet
    catalogue.point(document, base.id, "1")
    (hit,) = opened.search("ZK305的铜品位")
    assert (hit.document, hit.document_id) == ("年报/2023 'a'.pdf", document.id)
    answer = opened.ask("ZK305的铜平均品位是多少？")
    assert "0.85%" in answer.answer

    with pytest.raises(UnknownDocument) as caught:
        opened.trace(answer.citations[0])
    assert caught.value.page == 2
    _keep_picture(Artefacts(catalogue.objects), document.id, page=2)
    assert opened.trace(answer.citations[0]).startswith(b"\x89PNG")

    catalogue.hide(document)
    assert opened.search("ZK305的铜品位") == []


def test_vectors_of_another_length_are_a_named_error(catalogue: Catalogue, kb_home: Path) -> None:
    base = catalogue.create("other", {})
    ensure_collection(connect(load_settings().index, kb_home / "index"), base.id, 16)
    with pytest.raises(DimensionMismatch, match="16"):
        KnowledgeBase.open("other").search("铜")


def test_a_knowledge_base_has_words_of_its_own(catalogue: Catalogue) -> None:
    catalogue.create("words", {"index.user_words": ["蚀变岩型金矿体"]})
    catalogue.create("none", {})
    question = "蚀变岩型金矿体的规模"
    assert "蚀变岩型金矿体" in _read("words", question).coarse
    assert "蚀变岩型金矿体" not in _read("none", question).coarse


def _read(name: str, question: str) -> Question:
    base = KnowledgeBase.open(name)
    return base._reader.with_index(lambda index: base._read(question, index))


def _keep_picture(artefacts: Artefacts, document: str, page: int) -> None:
    picture = cv2.imencode(".jpg", np.full((842, 595, 3), 255, np.uint8))[1].tobytes()
    name = f"{page:05d}.jpg"
    parts = {name: artefacts.save_part(document, "page_renders", name, picture)}
    artefacts.commit(
        document, "page_renders", "f1", parts, basis={}, inputs={}, seconds=0.0, metadata={}, display=".jpg"
    )
    artefacts.save_state(document, DocumentState({"page_renders": StageState("done", "f1")}))


def test_an_unknown_name_is_named_with_those_that_are_there(catalogue: Catalogue) -> None:
    catalogue.create("known", {})
    with pytest.raises(UnknownKnowledgeBase) as caught:
        KnowledgeBase.open("unknown")
    assert "known" in caught.value.remedy


def test_vectors_of_other_weights_are_told(catalogue: Catalogue, kb_home: Path) -> None:
    base = catalogue.create("old weights", {})
    client = connect(load_settings().index, kb_home / "index")
    ensure_collection(client, base.id, embedder(load_settings().embedding).dimension)
    catalogue.serve(base.id, KnowledgeBaseIndex(base.id, "k", "", {"embedding.provider": "local"}, {"embedding": "0"}))
    (note,) = KnowledgeBase.open("old weights").find("铜").notes
    assert "weight file" in note and "ingest again" in note
