"""Self-recall: asked with its own text, does a chunk come out first? Sampled over the whole knowledge base.

It needs no questions, and tells broken vectors, tokens and rows at once: each leg that works finds nearly every chunk.
Chunks of one and the same text cannot be told apart by it, so any of them counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

from kb_pipeline.evaluation.measures import mean_reciprocal_rank, recall_at
from kb_pipeline.evaluation.questions import DEPTH, DIGITS, first_rank, plain
from kb_pipeline.records import Hit, Record

LISTED = 20  # chunks named that did not come out first


class Missed(Record, frozen=True):
    """A chunk that did not come out first: its rank (0 for none of the first ten), and which one did."""

    chunk_id: str
    rank: int
    first: str


class SelfRecall(Record, frozen=True):
    """Figures of one way to search."""

    recall_at_1: float
    recall_at_10: float
    mrr_at_10: float
    missed: tuple[Missed, ...]


class SelfRecallReport(Record, frozen=True):
    """`sample` of `chunks` were asked for; figures by way to search."""

    chunks: int
    sample: int
    ways: dict[str, SelfRecall]


def sampled(chunk_ids: Sequence[str], size: int) -> list[str]:
    """At most `size` chunk ids from all over: those whose hash is lowest, so that a sample stays the same while the
    chunks do, and mostly the same when some change."""
    return sorted(sorted(chunk_ids, key=lambda one: hashlib.sha256(one.encode()).digest())[:size])


def self_recall(
    chunks: int, sample: Mapping[str, str], ways: Mapping[str, Callable[[str, int], Sequence[Hit]]]
) -> SelfRecallReport:
    """Ask for every sampled chunk in every way.

    Args:
        chunks: how many there are to sample from.
        sample: text by chunk id.
        ways: by name, from a question and a number of hits to hits, best first.
    """
    found = {}
    for name, search in ways.items():
        ranks, missed = [], []
        for chunk_id, text in sample.items():
            hits = search(text, DEPTH)
            own = plain(text)
            rank = first_rank(hits, lambda hit, i=chunk_id, t=own: hit.chunk_id == i or plain(hit.text) == t)
            ranks.append(rank)
            if rank != 1:
                missed.append(Missed(chunk_id, rank, hits[0].chunk_id if hits else ""))
        found[name] = SelfRecall(
            recall_at_1=round(recall_at(ranks, 1), DIGITS),
            recall_at_10=round(recall_at(ranks, DEPTH), DIGITS),
            mrr_at_10=round(mean_reciprocal_rank(ranks, DEPTH), DIGITS),
            missed=tuple(missed[:LISTED]),
        )
    return SelfRecallReport(chunks, len(sample), found)
