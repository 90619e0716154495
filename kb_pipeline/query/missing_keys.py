"""Keys of a question that no passage holds, and the keys of its kind that come nearest.

A passage on fault 2202 does not answer a question on fault 2201, however alike the two are in all other words. So where
a question names what is nowhere, that is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from difflib import SequenceMatcher

from pymilvus import MilvusClient

from kb_pipeline.index.connect import CALL_S, milvus_errors
from kb_pipeline.index.schema import FINE
from kb_pipeline.query.candidates import Active
from kb_pipeline.query.question import Question
from kb_pipeline.query.rescore import CandidateFeatures
from kb_pipeline.tokenization.identifiers import index_token
from kb_pipeline.tokenization.keys import Key, keys

LOOKED_AT = 64  # rows that hold a key, among which one of an active version is looked for
NEAREST = 5  # keys offered in place of one that is nowhere
ALIKE = 0.5  # of two identifiers' characters, from which one is offered for the other


def missing_keys(
    question: Question, read: Iterable[CandidateFeatures], is_anywhere: Callable[[str], bool]
) -> tuple[Key, ...]:
    """Keys of the question that no passage holds, whole or as part of a longer one.

    Args:
        read: candidates, which are looked at first.
        is_anywhere: tells whether a fine token is in any passage that may be shown.
    """
    sought = [key for key in question.keys if key.sought]
    held = {token for one in read for token in one.tokens} if sought else set()
    return tuple(
        key for key in sought if index_token(key.token) not in held and not is_anywhere(index_token(key.token))
    )


def holds_token(client: MilvusClient, collection: str, token: str, where: str, active: Active) -> bool:
    """Whether a row that readers see holds a fine token. Raises IndexUnavailable, IndexRequestFailed."""
    with milvus_errors(f"searching {collection}"):
        rows = client.search(
            collection,
            data=[token],
            anns_field=FINE,
            search_params={"metric_type": "BM25"},
            limit=LOOKED_AT,
            filter=where,
            timeout=CALL_S,
        )[0]
    places = [tuple(row["id"].split(":")[:2]) for row in rows if row["distance"] > 0]
    versions = active({document for document, _ in places})
    return any(versions.get(document) == version for document, version in places)


def nearest_keys(key: Key, texts: Sequence[str]) -> list[str]:
    """Keys of the same kind in those texts, as they stand there, the nearest first: dates and quantities by their
    difference, the others by the characters that they share."""
    found = {other.token: other.said for text in texts for other in keys(text) if _same_kind(key, other)}
    near = sorted((_difference(key.token, key.kind, token), token) for token in found)
    return [found[token] for difference, token in near if difference <= 1 - ALIKE or key.kind in ("date", "quantity")][
        :NEAREST
    ]


def _same_kind(key: Key, other: Key) -> bool:
    if key.kind == "quantity" or other.kind == "quantity":
        return key.token.rpartition("_")[0] == other.token.rpartition("_")[0]
    if key.kind == "clause" or other.kind == "clause":
        return key.token.partition("_")[0] == other.token.partition("_")[0]
    if key.kind in ("date", "year"):
        return key.kind == other.kind
    return other.kind in ("identifier", "version", "number")


def _difference(asked: str, kind: str, token: str) -> float:
    if kind == "date":
        return abs((_day(asked) - _day(token)).days)
    if kind == "quantity":
        return abs(float(asked.rpartition("_")[2]) - float(token.rpartition("_")[2]))
    return 1 - SequenceMatcher(None, asked, token, autojunk=False).ratio()


def _day(token: str) -> date:
    return date.fromisoformat(token if token.count("-") == 2 else f"{token}-01")
