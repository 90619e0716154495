"""Chunks that may answer a question: searches of vectors, of both token fields and of identifiers find them.

What a leg gives of a row (its nearness, its BM25 score, its rank) is enough to tell which rows can come first; only
these are read and scored exactly (rescore.py), so a leg's spurious best hit does no harm.

Rows carry versions, and readers see those that the documents' pointers name. A document that is being replaced while
the search runs shows as rows of two versions; the search is then done again between two readings of the pointer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pymilvus import MilvusClient

from kb_pipeline.errors import IndexRequestFailed
from kb_pipeline.index.collections import has_collection, row_count
from kb_pipeline.index.connect import CALL_S, milvus_errors
from kb_pipeline.index.schema import COARSE, DENSE, FINE, METRIC
from kb_pipeline.index.vectors import query_vector
from kb_pipeline.query.filters import EVERYTHING, Filters, any_of
from kb_pipeline.query.fusion import PRESETS, RRF_K, Fusion
from kb_pipeline.query.question import Question
from kb_pipeline.query.results import parent_id

MAX_LEG_ROWS = 3200  # rows asked of a leg when rows of other versions crowd out those that count
MIN_KEPT = 0.5  # of a leg's rows must count, else more are asked for
ATTEMPTS = 5  # searches, while documents are being replaced
SENDERS = 32  # requests of a process that are waited for at the same time
MIN_EF = 64  # of a search in an HNSW index

Active = Callable[[Iterable[str]], dict[str, str]]
"""Active version by document id, for the ids asked; a document without one is not visible."""

_IDENTIFIER = re.compile(r"[a-z0-9._/#-]+")


@dataclass(slots=True)
class Candidate:
    """A row that legs found.

    Attributes:
        nearness: inner product with the question's vector; None where only full-text search found the row.
        text: BM25 score as a share of the best one, the better of both token fields; 0 where neither found it.
        dense_rank, text_rank: from 1 in the list of the dense leg and of the fine tokens; 0 where it is in none.
        named: the row holds a key of the question.
    """

    chunk_id: str
    document: str
    version: str
    nearness: float | None = None
    text: float = 0.0
    dense_rank: int = 0
    text_rank: int = 0
    named: bool = False


def find_candidates(
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
        fusion: says which legs are searched.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    if filters.documents is not None and not filters.documents:
        return []
    limit = candidates
    where = filters.expression()
    while True:
        found, seen = _steady(lambda n=limit: _merged(_legs(client, collection, question, n, where, fusion)), active)
        crowded = len(found) < MIN_KEPT * seen and seen >= limit
        if not crowded or limit >= MAX_LEG_ROWS:
            return _ranked(found)
        limit *= 2


def shortlist(
    candidates: Sequence[Candidate],
    fusion: Fusion,
    window: tuple[float, float],
    boosts: Mapping[str, float],
    count: int,
) -> list[Candidate]:
    """Rows of the `count` chunks that can come first, best first, by what the legs tell of their scores.

    A row that the dense leg did not find is no nearer than the last one that it found; the share of the best BM25 score
    stands for the share of the question that a row covers.
    """
    found = [one.nearness for one in candidates if one.nearness is not None and one.dense_rank]
    farthest = min(found, default=0.0)

    def merit(one: Candidate) -> float:
        if fusion.by_rank:
            ranks = (one.text_rank, 1 - fusion.vector_weight), (one.dense_rank, fusion.vector_weight)
            fused = sum(weight * (RRF_K + 1) / (RRF_K + rank) for rank, weight in ranks if rank)
        else:
            low, high = window if fusion.windowed else (0.0, 1.0)
            nearness = farthest if one.nearness is None else one.nearness
            vector = min(max((nearness - low) / (high - low), 0.0), 1.0)
            fused = (1 - fusion.vector_weight) * one.text + fusion.vector_weight * vector
        return min(1.0, fused * boosts.get(one.document, 1.0)) + one.named

    chosen: list[Candidate] = []
    shown: set[str] = set()
    for one in sorted(candidates, key=lambda one: (-merit(one), one.chunk_id)):
        shown.add(parent_id(one.chunk_id))
        if len(shown) > count:
            break
        chosen.append(one)
    return chosen


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


# ---------------------------------------------------------------- legs

Leg = tuple[str, list[tuple[str, float]]]  # its name; ids and engine's scores of its rows, best first


def _legs(
    client: MilvusClient, collection: str, question: Question, limit: int, where: str, fusion: Fusion
) -> list[Leg]:
    """Every leg's rows; a request a leg, all sent at once, since of a fused list the engine tells no leg's scores."""
    vector = query_vector(question.vector, question.language if fusion.windowed else None)
    nearness = {"metric_type": METRIC, "params": {"ef": max(limit, MIN_EF)}}
    bm25 = {"metric_type": "BM25"}
    asked: dict[str, tuple[Any, str, dict[str, Any], str]] = {}
    if fusion.dense:
        asked["dense"] = vector, DENSE, nearness, where
    if question.fine and fusion.full_text:
        asked["fine"] = " ".join(question.fine), FINE, bm25, where
    if question.coarse and fusion.full_text and not fusion.by_rank:
        asked["coarse"] = " ".join(question.coarse), COARSE, bm25, where
    if question.ids and fusion.identifiers:
        named = f"array_contains_any(ids, {any_of(question.ids, _IDENTIFIER)})"
        asked["named"] = vector, DENSE, nearness, " and ".join(filter(None, (where, named)))
    if question.numbers and fusion.identifiers:
        asked["numbered"] = " ".join(question.numbers), FINE, bm25, where
    try:
        with milvus_errors(f"searching {collection}"):
            waiting = [_senders().submit(_search, client, collection, limit, *leg) for leg in asked.values()]
            return [(name, future.result()) for name, future in zip(asked, waiting, strict=True)]
    except IndexRequestFailed:
        # nothing was ingested yet; without rows BM25 has no mean length to divide by
        if not has_collection(client, collection) or row_count(client, collection) == 0:
            return []
        raise


@lru_cache(maxsize=1)
def _senders() -> ThreadPoolExecutor:
    """Threads that send the legs' requests at the same time."""
    return ThreadPoolExecutor(SENDERS, "leg")


def _search(
    client: MilvusClient, collection: str, limit: int, data: Any, field: str, params: dict[str, Any], where: str
) -> list[tuple[str, float]]:
    hits = client.search(
        collection, data=[data], anns_field=field, search_params=params, limit=limit, filter=where, timeout=CALL_S
    )[0]
    return [(hit["id"], float(hit["distance"])) for hit in hits]


def _merged(legs: Iterable[Leg]) -> list[Candidate]:
    """One candidate a row, with what each leg tells of it; ranks are places in the legs, of all versions."""
    found: dict[str, Candidate] = {}
    for name, rows in legs:
        best = rows[0][1] if rows else 0.0
        for place, (chunk_id, score) in enumerate(rows, 1):
            one = found.get(chunk_id)
            if one is None:
                document, version, _ = chunk_id.split(":")
                one = found[chunk_id] = Candidate(chunk_id, document, version)
            one.named = one.named or name in ("named", "numbered")
            if name in ("dense", "named"):
                one.nearness = score
            elif best > 0 and name != "numbered":
                one.text = max(one.text, score / best)
            if name == "dense":
                one.dense_rank = place
            elif name == "fine":
                one.text_rank = place
    return list(found.values())


def _ranked(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates, their places turned into ranks among them."""
    dense, text = _ranks([one.dense_rank for one in candidates]), _ranks([one.text_rank for one in candidates])
    for one in candidates:
        one.dense_rank, one.text_rank = dense[one.dense_rank], text[one.text_rank]
    return candidates


def _ranks(places: Sequence[int]) -> dict[int, int]:
    """Rank from 1 by place; 0 stays 0."""
    return {0: 0} | {place: rank for rank, place in enumerate(sorted(filter(None, places)), 1)}
