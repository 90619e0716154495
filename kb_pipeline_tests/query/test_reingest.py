"""Readers of a document that is ingested again and again: all of one version, always."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from kb_pipeline.index.collections import document_counts
from kb_pipeline.query import search
from kb_pipeline_tests.index.samples import chunk
from kb_pipeline_tests.query.shelf import Shelf

SECONDS = 5.0
READERS = 20
LONGEST_S = 60.0  # on a busy machine


def rows_of(version: int) -> int:
    return 20 + version % 3 * 7


def test_readers_see_one_whole_version(index_folder: Path) -> None:
    shelf = Shelf(index_folder, "kbn_reingest")
    shelf.put("noise", [chunk(i, f"其他文字 {i}") for i in range(200)])

    def ingest(version: int) -> None:
        chunks = [chunk(i, f"共同词 版本v{version} 第{i}段") for i in range(rows_of(version))]
        shelf.put("watched", chunks, version=f"{version:x}")

    ingest(1)
    seen: Counter[str] = Counter()
    ended = threading.Event()

    def read() -> None:
        base = shelf.base()
        while not ended.is_set():
            try:
                found = base.search("共同词", top=100)
            except Exception as error:  # a thread's error would go unseen
                seen[f"error: {error}"] += 1
                return
            hits = [hit for hit in found if hit.document_id == "watched"]
            versions = {hit.chunk_id.split(":")[1] for hit in hits}
            keys = {hit.chunk_id for hit in hits}
            if len(versions) != 1:
                seen["none" if not versions else "mixed"] += 1
            elif len(keys) != len(hits) or len(hits) != rows_of(int(versions.pop(), 16)):
                seen["double or partial"] += 1
            else:
                seen["whole"] += 1

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    version, start = 1, time.monotonic()
    while (spent := time.monotonic() - start) < SECONDS or (version <= 6 and spent < LONGEST_S):
        version += 1
        ingest(version)
    ended.set()
    for reader in readers:
        reader.join(timeout=30)
    assert set(seen) == {"whole"}, seen
    assert seen["whole"] > 20
    assert version > 5
    assert document_counts(shelf.client, "kbn_reingest") == {"noise": 200, "watched": rows_of(version)}


@pytest.mark.parametrize("switches", [1, 2, 3])
def test_a_document_replaced_between_search_and_pointer_is_searched_again(index_folder: Path, switches: int) -> None:
    """The worst moment, every time: the rows that a search found are deleted before it reads the pointer."""
    shelf = Shelf(index_folder, f"kbn_switch_{switches}")
    shelf.put("other", [chunk(0, "共同词")])
    shelf.put("doc", [chunk(i, f"共同词 {i}") for i in range(5)], version="1")
    read = shelf.active_versions
    left = list(range(2, 2 + switches))

    def read_after_a_switch(document_ids: Iterable[str], collection: str) -> dict[str, str]:
        if left:
            version = left.pop(0)
            shelf.put("doc", [chunk(i, f"共同词 {i}") for i in range(5 + version)], version=str(version))
        return read(document_ids, collection)

    shelf.active_versions = read_after_a_switch
    hits = shelf.base().search("共同词", top=50)
    last = 1 + switches
    assert {hit.chunk_id for hit in hits} == {"other:1:0"} | {f"doc:{last}:{i}" for i in range(5 + last)}


def test_a_document_replaced_while_hits_are_read_is_searched_again(
    index_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf(index_folder, "kbn_switch_late")
    shelf.put("doc", [chunk(i, f"共同词 {i}") for i in range(5)], version="1")
    read = search.read_candidates
    left = [2]

    def read_after_a_switch(*arguments):
        if left:
            shelf.put("doc", [chunk(i, f"共同词 {i}") for i in range(7)], version=str(left.pop()))
        return read(*arguments)

    monkeypatch.setattr(search, "read_candidates", read_after_a_switch)
    hits = shelf.base().search("共同词", top=50)
    assert {hit.chunk_id for hit in hits} == {f"doc:2:{i}" for i in range(7)}
