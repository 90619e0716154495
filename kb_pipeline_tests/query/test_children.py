"""Children are found, their parents are shown."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from kb_pipeline_tests.index.samples import chunk
from kb_pipeline_tests.query.shelf import Shelf

PARENT = "矿区概况。交通方便，气候温和。ZK305钻孔铜平均品位0.85%。水文地质条件简单。"


@pytest.fixture(scope="module")
def shelf(index_folder: Path) -> Shelf:
    shelf = Shelf(index_folder, "kbn_children")
    parts = PARENT.split("。")[:-1]
    children = [msgspec.structs.replace(chunk(2 + i, part + "。"), parent=0) for i, part in enumerate(parts)]
    shelf.put("report-1", [chunk(0, PARENT), chunk(1, "另一段文字，说的是选矿回收率。"), *children])
    return shelf


def test_a_child_that_is_found_shows_its_parent_once(shelf):
    hits = shelf.base().search("ZK305 铜平均品位")
    assert [(hit.chunk_id, hit.text) for hit in hits if hit.text.startswith("矿区")] == [("report-1:1:0", PARENT)]
    assert len({hit.chunk_id for hit in hits}) == len(hits)


def test_the_score_is_that_of_the_best_child(shelf):
    whole = Shelf(shelf.folder, "kbn_without_children")
    whole.put("report-1", [chunk(0, PARENT), chunk(1, "另一段文字，说的是选矿回收率。")])
    question = "ZK305钻孔铜平均品位0.85%"
    assert shelf.base().search(question)[0].score > whole.base().search(question)[0].score


def test_children_are_no_chunks_of_their_own_in_listings(shelf):
    assert shelf.base().chunk_ids() == ["report-1:1:0", "report-1:1:1"]


def test_a_document_that_is_ingested_again_leaves_no_children_behind(shelf):
    shelf.put("report-1", [chunk(0, "新的内容。")], version="2")
    assert [hit.text for hit in shelf.base().search("铜平均品位 新的内容")] == ["新的内容。"]
