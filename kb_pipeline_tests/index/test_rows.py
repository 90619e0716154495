from __future__ import annotations

import json
import subprocess
import sys
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from pymilvus import MilvusClient

from kb_pipeline.errors import ChunkTooLong, DimensionMismatch, IndexRequestFailed
from kb_pipeline.index.collections import (
    document_counts,
    drop_collection,
    ensure_collection,
    has_collection,
    list_collections,
    row_count,
)
from kb_pipeline.index.locators import read_locators, stored_list, stored_locators
from kb_pipeline.index.rows import delete_versions, write_document
from kb_pipeline.index.schema import collection_schema
from kb_pipeline.index.vectors import Vectors
from kb_pipeline.records import CellLocator, Chunk, Enrichment, LineLocator, PageLocator, SlideLocator
from kb_pipeline_tests.index.samples import DIMENSION, chunk, vectors

_numbers = count()


@pytest.fixture
def collection(client: MilvusClient) -> str:
    name = f"kbn_rows_{next(_numbers)}"
    drop_collection(client, name)
    ensure_collection(client, name, DIMENSION)
    return name


def put(client: MilvusClient, collection: str, document: str, version: str, chunks: list[Chunk], **more):
    return write_document(
        client, collection, document, version, chunks, more.get("enrichments", ()), Vectors(vectors(len(chunks)))
    )


def stored(client: MilvusClient, collection: str, key: str) -> dict:
    return client.query(collection, filter=f'id == "{key}"', output_fields=["*"])[0]


def test_a_row_holds_the_whole_chunk(client: MilvusClient, collection: str) -> None:
    given = Chunk(
        0,
        "table",
        "钻孔 | 品位\nZK305 | 0.85",
        ("第三章", "3.1 勘探"),
        12,
        ("s1", "s2"),
        (PageLocator(7, (1.25, 2.5, 30.0, 40.0), (595.0, 842.0), 0, 18), CellLocator("表", "A1:B2", 0, 18)),
    )
    added = Enrichment(0, ("铜矿",), ("品位是多少?",), "摘要", ("勘探",))
    rows = put(client, collection, "report-1a", "v1", [given], enrichments=[added])
    assert rows.ids == ("report-1a:v1:0",)
    row = stored(client, collection, rows.ids[0])
    assert row["text"] == given.text
    assert tuple(row["breadcrumb"]["l"]) == given.breadcrumb
    assert read_locators(row["locators"]) == given.locators
    assert (row["page"], row["tokens"], row["kind"]) == (7, 12, "table")
    assert list(row["ids"]) == ["zk305", "chap_3"]
    assert list(row["section_ids"]) == ["s1", "s2"]
    assert (list(row["keywords"]), list(row["questions"]), row["summary"]) == (["铜矿"], ["品位是多少?"], "摘要")
    assert {"勘探", "铜矿", "zk305"} <= set(row["coarse"].split())


@pytest.mark.parametrize("text", ["", "***", "\x00\x00", "a\x00b\ud800c", "\u200b", "😀" * 50])
def test_texts_without_words_or_with_odd_characters_are_kept(client: MilvusClient, collection: str, text: str) -> None:
    rows = put(client, collection, "odd", "1", [chunk(0, text), chunk(1, "word")])
    kept = stored(client, collection, rows.ids[0])["text"]
    assert len(kept) == len(text)
    found = client.search(collection, data=["word"], anns_field="coarse_bm25", limit=5)[0]
    assert [hit["id"] for hit in found] == ["odd:1:1"]


def test_long_chunks_lose_no_text_and_too_long_ones_are_refused(client: MilvusClient, collection: str) -> None:
    longest = "矿床地质勘探" * 3640 + "abcde"  # 65,525 bytes; its tokens take more
    rows = put(client, collection, "long", "1", [chunk(0, longest)])
    row = stored(client, collection, rows.ids[0])
    assert row["text"] == longest
    assert len(row["fine"].encode()) <= 65_535
    with pytest.raises(ChunkTooLong) as caught:
        put(client, collection, "long", "2", [chunk(0, "ok"), chunk(1, "字" * 21_846, page=3)])
    assert (caught.value.document, caught.value.page) == ("long", 3)


def test_a_new_version_stands_beside_the_old_one_until_that_is_deleted(client: MilvusClient, collection: str) -> None:
    put(client, collection, "a", "1", [chunk(i, f"one {i}") for i in range(5)])
    put(client, collection, "b", "1", [chunk(0, "other")])
    put(client, collection, "a", "2", [chunk(i, f"two {i}") for i in range(3)])
    assert document_counts(client, collection) == {"a": 8, "b": 1}
    delete_versions(client, collection, "a", keep="2")
    delete_versions(client, collection, "a", keep="2")
    assert document_counts(client, collection) == {"a": 3, "b": 1}
    delete_versions(client, collection, "a", keep=None)
    assert document_counts(client, collection) == {"b": 1}


def test_writing_a_version_again_changes_nothing_and_mends_what_is_missing(
    client: MilvusClient, collection: str
) -> None:
    chunks = [chunk(i, f"text {i}") for i in range(4)]
    first = put(client, collection, "a", "1", chunks)
    assert put(client, collection, "a", "1", chunks) == first
    client.delete(collection, filter='id == "a:1:2"')
    assert put(client, collection, "a", "1", chunks) == first
    assert row_count(client, collection) == 4


def test_a_document_without_chunks_has_no_rows(client: MilvusClient, collection: str) -> None:
    rows = write_document(client, collection, "empty", "1", [], [], Vectors(np.zeros((0, 0), np.float32)))
    assert rows.ids == ()
    assert row_count(client, collection) == 0


def test_vectors_that_do_not_fit_are_refused(client: MilvusClient, collection: str) -> None:
    with pytest.raises(DimensionMismatch):
        write_document(client, collection, "a", "1", [chunk(0, "x")], [], Vectors(vectors(2)))
    with pytest.raises(DimensionMismatch) as caught:
        ensure_collection(client, collection, DIMENSION + 1)
    assert caught.value.remedy
    with pytest.raises(IndexRequestFailed):
        write_document(
            client, collection, "a", "1", [chunk(0, "x")], [], Vectors(np.ones((1, DIMENSION + 1), np.float32))
        )
    assert row_count(client, collection) == 0


@pytest.mark.parametrize("document", ['x" or document != "', "a b", "", "a\\", "文", "a:1"])
def test_no_text_gets_into_a_filter(client: MilvusClient, collection: str, document: str) -> None:
    put(client, collection, "safe", "1", [chunk(0, "x")])
    with pytest.raises(ValueError, match="is no id"):
        delete_versions(client, collection, document, keep=None)
    with pytest.raises(ValueError, match="is no id"):
        put(client, collection, document, "1", [chunk(0, "x")])
    assert document_counts(client, collection) == {"safe": 1}


def test_a_collection_that_is_not_there_is_dropped_and_cleared_without_error(client: MilvusClient) -> None:
    drop_collection(client, "kbn_nowhere")
    delete_versions(client, "kbn_nowhere", "a", keep=None)
    assert not has_collection(client, "kbn_nowhere")


def test_listing_names_our_collections_only(client: MilvusClient, collection: str) -> None:
    client.create_collection("somebody_elses", dimension=4)
    found = list_collections(client)
    client.drop_collection("somebody_elses")
    assert collection in found
    assert "somebody_elses" not in found


def test_thousands_of_places_are_joined_and_still_cover_the_same_ground() -> None:
    places = [
        PageLocator(1 + i // 1000, (10.0, float(i % 1000), 20.0, i % 1000 + 1.0), (595.0, 842.0), i, i + 1)
        for i in range(2000)
    ]
    field = stored_locators(places, 20_000)
    assert len(json.dumps(field, separators=(",", ":"))) <= 20_000
    kept = read_locators(field)
    assert {place.page for place in kept} == {1, 2}
    for page in (1, 2):
        boxes = [place.box for place in kept if place.page == page]
        assert (min(b[1] for b in boxes), max(b[3] for b in boxes)) == (0.0, 1000.0)
    assert (kept[0].start, kept[-1].end) == (0, 2000)


def test_few_places_are_kept_as_they_are() -> None:
    places = (SlideLocator(1, (0.1, 0.2, 3.3, 4.4), (720.0, 540.0), 0, 4), LineLocator(3, 9, 4, 8))
    assert read_locators(stored_locators(places, 1000)) == places
    lines = [LineLocator(i, i) for i in range(1000)]
    assert 10 < len(read_locators(stored_locators(lines, 5000))) < 1000
    assert stored_list(["a" * 900, "b" * 50], 100) == {"l": ["b" * 50]}


def test_two_processes_may_make_a_collection_at_once(index_folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from kb_pipeline.index.connect import connect;"
        "from kb_pipeline.index.collections import ensure_collection; from kb_pipeline.settings import IndexSettings;"
        f"ensure_collection(connect(IndexSettings(), Path(sys.argv[1])), 'kbn_at_once', {DIMENSION})"
    )
    makers = [subprocess.Popen([sys.executable, "-c", code, str(index_folder)]) for _ in range(2)]
    assert [maker.wait(timeout=60) for maker in makers] == [0, 0]


def test_a_collection_whose_making_was_cut_short_is_completed(client: MilvusClient) -> None:
    client.create_collection("kbn_cut_short", schema=collection_schema(DIMENSION))
    ensure_collection(client, "kbn_cut_short", DIMENSION)
    put(client, "kbn_cut_short", "a", "1", [chunk(0, "word")])
    assert len(client.search("kbn_cut_short", data=["word"], anns_field="fine_bm25", limit=3)[0]) == 1
