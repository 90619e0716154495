"""Rows of the index as searches read them: what scoring needs of a chunk, and what a hit shows of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from pymilvus import MilvusClient

from kb_pipeline.index.collections import has_collection
from kb_pipeline.index.connect import CALL_S, milvus_errors
from kb_pipeline.index.locators import read_locators
from kb_pipeline.index.schema import DENSE
from kb_pipeline.index.vectors import embedding_and_offset
from kb_pipeline.query.candidates import Candidate
from kb_pipeline.query.filters import any_of
from kb_pipeline.query.rescore import CandidateFeatures
from kb_pipeline.query.results import ChunkRow, parent_id
from kb_pipeline.records import Added
from kb_pipeline.tokenization.language import Language

ID_BATCH = 10_000  # ids read at a time
SHOWN = ["document", "version", "kind", "text", "breadcrumb", "locators", "added", "picture"]  # what hits show
SCORED = ["fine", "ids", DENSE]  # what scoring reads

_CHUNK_ID = re.compile(r"[a-z0-9-]+:[0-9a-z]+:\d+")
_ROW_ID = re.compile(rf"{_CHUNK_ID.pattern}(?:\.q?\d+)?")


class ShownRows(Mapping[str, ChunkRow]):
    """What hits show, by chunk id; made of a row when asked for, since most rows that are scored are not shown."""

    def __init__(self, rows: Iterable[dict[str, Any]]):
        self._rows = {row["id"]: row for row in rows if is_chunk_id(row["id"])}
        self._shown: dict[str, ChunkRow] = {}

    def __getitem__(self, chunk_id: str) -> ChunkRow:
        if chunk_id not in self._shown:
            self._shown[chunk_id] = _shown(self._rows[chunk_id])
        return self._shown[chunk_id]

    def __contains__(self, chunk_id: object) -> bool:
        return chunk_id in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def read_rows(client: MilvusClient, collection: str, chunk_ids: Sequence[str]) -> ShownRows:
    """What hits show of these chunks, by chunk id; those that are gone are left out.

    Raises:
        ValueError: an id that is none.
        IndexUnavailable, IndexRequestFailed.
    """
    return ShownRows(_read(client, collection, chunk_ids, SHOWN))


def read_candidates(
    client: MilvusClient, collection: str, candidates: Sequence[Candidate], asked: Language
) -> tuple[list[CandidateFeatures], ShownRows]:
    """What scoring reads of these rows, and what hits show of them or of the chunks that are shown in their place, by
    chunk id; rows that are gone are left out.

    Args:
        asked: language of the question.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    wanted = dict.fromkeys(row for one in candidates for row in (one.chunk_id, parent_id(one.chunk_id)))
    read = _read(client, collection, wanted, SHOWN + SCORED)
    rows = {row["id"]: row for row in read}
    found = [_candidate(one, rows[one.chunk_id], asked) for one in candidates if one.chunk_id in rows]
    return found, ShownRows(read)


def _read(client: MilvusClient, collection: str, ids: Collection[str], fields: list[str]) -> list[dict[str, Any]]:
    if not ids:
        return []
    with milvus_errors(f"reading rows of {collection}"):
        return client.query(collection, filter=f"id in {any_of(ids, _ROW_ID)}", output_fields=fields, timeout=CALL_S)


def _shown(row: dict[str, Any]) -> ChunkRow:
    return ChunkRow(
        chunk_id=row["id"],
        document=row["document"],
        version=row["version"],
        kind=row["kind"],
        text=row["text"],
        breadcrumb=tuple(row["breadcrumb"]["l"]),
        locators=read_locators(row["locators"]),
        added=msgspec.convert(row["added"]["l"], tuple[Added, ...]),
        picture=row["picture"],
    )


def _candidate(one: Candidate, row: dict[str, Any], asked: Language) -> CandidateFeatures:
    vector, offset = embedding_and_offset(np.asarray(row[DENSE], np.float32), asked)
    return CandidateFeatures(
        chunk_id=one.chunk_id,
        document=one.document,
        version=one.version,
        tokens=frozenset(row["fine"].split(" ")),
        ids=frozenset(row["ids"]),
        vector=vector,
        offset=offset,
        lead=next(iter(row["ids"]), None),
        dense_rank=one.dense_rank,
        text_rank=one.text_rank,
    )


def all_chunk_ids(client: MilvusClient, collection: str) -> list[str]:
    """Ids of all rows, of all versions, in no order. Raises IndexUnavailable, IndexRequestFailed."""
    if not has_collection(client, collection):
        return []
    found: list[str] = []
    with milvus_errors(f"reading ids of {collection}"):
        rows = client.query_iterator(collection, batch_size=ID_BATCH, output_fields=["id"], timeout=CALL_S)
        try:
            while batch := rows.next():
                found += [row["id"] for row in batch]
        finally:
            rows.close()
    return found


def is_chunk_id(text: str) -> bool:
    """Whether a text has the shape `document:version:ordinal`."""
    return _CHUNK_ID.fullmatch(text) is not None
