"""Candidates for a question: one hybrid search over vectors, both token fields and identifiers.

The legs only nominate; rescore.py judges. So the engine's own fusion (reciprocal rank fusion) decides nothing but the
order of the union, and a leg's spurious best hit does no harm.

Rows carry versions, and readers see those that the documents' pointers name. A document that is being replaced while
the search runs shows as rows of two versions; the search is then done again between two readings of the pointer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from pymilvus import AnnSearchRequest, MilvusClient, RRFRanker

from kb_pipeline.errors import IndexRequestFailed
from kb_pipeline.index.collections import has_collection, row_count
from kb_pipeline.index.connect import CALL_S, milvus_errors
from kb_pipeline.index.locators import read_locators
from kb_pipeline.index.schema import COARSE, DENSE, FINE, METRIC
from kb_pipeline.index.vectors import embedding_and_offset, query_vector
from kb_pipeline.query.filters import EVERYTHING, Filters, any_of
from kb_pipeline.query.fusion import PRESETS, RRF_K, Fusion
from kb_pipeline.query.question import Question
from kb_pipeline.query.rescore import Candidate
from kb_pipeline.records import Added, Locator, Record

MOST_OF_A_LEG = 3200  # rows asked of a leg when rows of other versions crowd out those that count
FEWEST_KEPT = 0.5  # of a leg's rows must count, else more are asked for
ATTEMPTS = 5  # searches, while documents are being replaced
ID_BATCH = 10_000  # ids read at a time
LEAST_EF = 64  # of a search in an HNSW index
FIELDS = ["fine", "ids", DENSE]  # what scoring reads
SHOWN = ["document", "version", "kind", "text", "breadcrumb", "locators", "added", "picture"]  # what hits show

Active = Callable[[Iterable[str]], dict[str, str]]
"""Active version by document id, for the ids asked; a document without one is not visible."""

_key = re.compile(r"[a-z0-9-]+:[0-9a-z]+:\d+")
_identifier = re.compile(r"[a-z0-9._/#-]+")


class ChunkRow(Record, frozen=True):
    """What a hit shows of a row."""

    chunk_id: str
    document: str
    version: str
    kind: str
    text: str
    breadcrumb: tuple[str, ...]
    locators: tuple[Locator, ...]
    added: tuple[Added, ...]
    picture: str


def retrieve(
    client: MilvusClient,
    collection: str,
    question: Question,
    active: Active,
    candidates: int,
    filters: Filters = EVERYTHING,
    fusion: Fusion = PRESETS["windowed"],
) -> list[Candidate]:
    """Rows that may answer the question, of active versions only, in no order of merit.

    Args:
        candidates: rows asked of each leg.
        fusion: says which legs are searched, and whether their ranks are wanted.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    if filters.documents is not None and not filters.documents:
        return []
    limit = candidates
    where = filters.expression()
    search = _ranked if fusion.by_rank else _fused
    while True:
        found, seen = _steady(lambda n=limit: _rows(search, client, collection, question, n, where, fusion), active)
        crowded = len(found) < FEWEST_KEPT * seen and seen >= limit
        if not crowded or limit >= MOST_OF_A_LEG:
            return found
        limit *= 2


def _steady(search: Callable[[], list[Candidate]], active: Active) -> tuple[list[Candidate], int]:
    """Visible rows of a search during which no document in it changed its version, and how many rows it had."""
    rows = search()
    versions = active({row.document for row in rows})
    for _ in range(ATTEMPTS - 1):
        if all(versions.get(row.document, row.version) == row.version for row in rows):
            break
        before = versions
        rows = search()
        versions = active({row.document for row in rows})
        if all(before.get(document, version) == version for document, version in versions.items()):
            break
    return [row for row in rows if versions.get(row.document) == row.version], len(rows)


def _rows(
    search: Callable[..., list[Candidate]],
    client: MilvusClient,
    collection: str,
    question: Question,
    limit: int,
    where: str,
    fusion: Fusion,
) -> list[Candidate]:
    try:
        with milvus_errors(f"searching {collection}"):
            return search(client, collection, question, limit, where, fusion)
    except IndexRequestFailed:
        # nothing was ingested yet; without rows BM25 has no mean length to divide by
        if not has_collection(client, collection) or row_count(client, collection) == 0:
            return []
        raise


def _fused(
    client: MilvusClient, collection: str, question: Question, limit: int, where: str, fusion: Fusion
) -> list[Candidate]:
    """The union of all legs, in one request."""
    requests = _legs(question, limit, where, fusion)
    hits = client.hybrid_search(
        collection,
        reqs=requests,
        ranker=RRFRanker(RRF_K),
        limit=limit * len(requests),
        output_fields=FIELDS,
        timeout=CALL_S,
    )[0]
    return [_candidate(hit, question.language) for hit in hits]


def _ranked(
    client: MilvusClient, collection: str, question: Question, limit: int, where: str, fusion: Fusion
) -> list[Candidate]:
    """Rows of the dense and the full-text leg with their places in each, a request a leg: of a fused list the engine
    tells no leg's ranks."""
    found: dict[str, Candidate] = {}
    legs = [("dense_place", DENSE, query_vector(question.vector), {"metric_type": METRIC, "params": _ef(limit)})]
    legs = legs if fusion.dense else []
    if question.fine:
        legs.append(("text_place", FINE, " ".join(question.fine), {"metric_type": "BM25"}))
    for place, field, data, params in legs:
        hits = client.search(
            collection,
            data=[data],
            anns_field=field,
            search_params=params,
            limit=limit,
            filter=where,
            output_fields=FIELDS,
            timeout=CALL_S,
        )[0]
        for number, hit in enumerate(hits, 1):
            known = found.get(hit["id"]) or _candidate(hit, question.language)
            found[hit["id"]] = replace(known, **{place: number})
    return list(found.values())


def _ef(limit: int) -> dict[str, int]:
    return {"ef": max(limit, LEAST_EF)}


def _legs(question: Question, limit: int, where: str, fusion: Fusion) -> list[AnnSearchRequest]:
    vector = query_vector(question.vector, question.language if fusion.windowed else "")
    nearness = {"metric_type": METRIC, "params": _ef(limit)}
    bm25 = {"metric_type": "BM25"}

    def leg(data: Any, field: str, param: dict[str, Any], condition: str = "") -> AnnSearchRequest:
        both = " and ".join(filter(None, (where, condition)))
        return AnnSearchRequest([data], field, param, limit, expr=both or None)

    legs = [leg(vector, DENSE, nearness)]
    if question.coarse and fusion.full_text:
        legs.append(leg(" ".join(question.coarse), COARSE, bm25))
    if question.fine and fusion.full_text:
        legs.append(leg(" ".join(question.fine), FINE, bm25))
    if question.ids and fusion.identifiers:
        legs.append(leg(vector, DENSE, nearness, f"array_contains_any(ids, {any_of(question.ids, _identifier)})"))
    return legs


def _candidate(hit: Any, asked: str) -> Candidate:
    row = hit["entity"]
    document, version, _ = hit["id"].split(":")
    vector, offset = embedding_and_offset(np.asarray(row[DENSE], np.float32), asked)
    return Candidate(
        chunk_id=hit["id"],
        document=document,
        version=version,
        tokens=frozenset(row["fine"].split(" ")),
        ids=frozenset(row["ids"]),
        vector=vector,
        offset=offset,
        lead=next(iter(row["ids"]), None),
    )


def read_rows(client: MilvusClient, collection: str, chunk_ids: Sequence[str]) -> dict[str, ChunkRow]:
    """What hits show of these rows, by chunk id; those that are gone are left out.

    Raises:
        ValueError: an id that is none.
        IndexUnavailable, IndexRequestFailed.
    """
    if not chunk_ids:
        return {}
    with milvus_errors(f"reading rows of {collection}"):
        rows = client.query(
            collection,
            filter=f"id in {any_of(chunk_ids, _key)}",
            output_fields=SHOWN,
            timeout=CALL_S,
        )
    return {
        row["id"]: ChunkRow(
            row["id"],
            row["document"],
            row["version"],
            row["kind"],
            row["text"],
            tuple(row["breadcrumb"]["l"]),
            read_locators(row["locators"]),
            msgspec.convert(row["added"]["l"], tuple[Added, ...]),
            row["picture"],
        )
        for row in rows
    }


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
    return _key.fullmatch(text) is not None
