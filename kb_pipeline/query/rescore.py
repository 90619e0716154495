"""Scores of candidates, each part kept: what a user sees recomputes to the score.

    score = min(1, ((1 − w) · term + w · vector) · boost) + id

Term and vector are those of the preset (fusion.py), each in 0…1. With the default, `windowed`:

    term   = share of the question's term weight that the passage covers
    vector = clip((cosine + language offset − low) / (high − low), 0, 1)
    id     = share of the question's identifiers that the passage names, slightly less where it names others first

`low`, `high` are the embedding model's cosine window. The offset makes up for a model that sees passages in the
question's own language as nearer whatever they say. `boost` is the document's, 1 unless somebody set it. A question
with identifiers thus puts the passages that name them before all others: the id tier adds up to 1 to a sum of at most
1. Its term part is the share of its other terms, and w is at most 0.5: all these passages name the same, which is most
of what a vector sees, and the words beside it tell them apart.

Where hits are reranked, `rerank` takes the place of what it was given weight for:

    score = min(1, ((1 − r) · ((1 − w) · term + w · vector) + r · rerank) · boost) + id
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from types import MappingProxyType

import numpy as np

from kb_pipeline.query.fusion import RRF_K, Fusion
from kb_pipeline.query.question import Question
from kb_pipeline.records import Hit
from kb_pipeline.tokenization.keys import is_name
from kb_pipeline.tokenization.term_weights import coverage

FEW_IDENTIFIERS = 4  # of a passage that is about the first of them
NAMED_VECTOR_WEIGHT = 0.5  # most of w for questions with identifiers
NOT_LEADING = 0.95  # what an identifier counts that a passage names, but not as its first one
DIGITS = 6  # of every part, so that printed parts recompute to the printed score
RELAXED = 0.25  # of the threshold, where nothing reaches it
# Confidence is a logistic curve of the top score, 0.5 at this score and this steep. On XQuAD the best passage scores
# 0.69 (Chinese) and 0.60 (English) in the median where it answers, 0.53 and 0.39 where the answering one was removed.
CONFIDENCE_MIDDLE, CONFIDENCE_SLOPE = 0.55, 14.0


@dataclass(frozen=True)
class CandidateFeatures:
    """A row that may answer: what scoring reads of it.

    `tokens` are its fine tokens, `vector` a unit vector, `offset` what its language adds to the cosine, `lead` the
    identifier that it names first, None where that is not known; `dense_rank`, `text_rank` count from 1 in the list
    of a leg, 0 for a row that the leg did not find.
    """

    chunk_id: str
    document: str
    version: str
    tokens: frozenset[str]
    ids: frozenset[str]
    vector: np.ndarray
    offset: float = 0.0
    lead: str | None = None
    dense_rank: int = 0
    text_rank: int = 0


@dataclass(frozen=True)
class Scored:
    """A candidate with its score and the parts of it."""

    candidate: CandidateFeatures
    score: float
    scores: dict[str, float]


def rescore(
    question: Question,
    candidates: Sequence[CandidateFeatures],
    *,
    fusion: Fusion,
    window: tuple[float, float],
    boosts: Mapping[str, float] = MappingProxyType({}),
) -> list[Scored]:
    """Candidates with scores, best first; equal scores in order of chunk id.

    Args:
        boosts: by document id; 1 where there is none.
    """
    found = []
    for candidate in candidates:
        cosine = float(np.dot(question.vector, candidate.vector))
        if fusion.by_rank:
            parts = _rank_parts(candidate.dense_rank, candidate.text_rank, cosine, fusion)
        else:
            parts = score_parts(
                question,
                candidate.tokens,
                candidate.ids,
                cosine=cosine,
                offset=candidate.offset if fusion.windowed else 0.0,
                vector_weight=fusion.vector_weight,
                window=window if fusion.windowed else (0.0, 1.0),
                identifiers=fusion.identifiers,
                lead=candidate.lead,
            )
        parts["boost"] = boosts.get(candidate.document, 1.0)
        found.append(Scored(candidate, total(parts), parts))
    return sorted(found, key=lambda scored: (-scored.score, scored.candidate.chunk_id))


def _rank_parts(dense: int, text: int, cosine: float, fusion: Fusion) -> dict[str, float]:
    parts = {
        "term": (RRF_K + 1) / (RRF_K + text) if text else 0.0,
        "vector": (RRF_K + 1) / (RRF_K + dense) if dense else 0.0,
        "term weight": 1 - fusion.vector_weight,
        "term rank": float(text),
        "vector rank": float(dense),
        "cosine": cosine,
    }
    return {name: round(value, DIGITS) for name, value in parts.items()}


def score_parts(
    question: Question,
    tokens: frozenset[str],
    named: frozenset[str],
    *,
    cosine: float,
    offset: float,
    vector_weight: float,
    window: tuple[float, float],
    identifiers: bool = True,
    lead: str | None = None,
) -> dict[str, float]:
    """The parts of a passage's score: `term`, `vector` and `id` make the sum of `total`; `term weight`, `cosine` and
    `language offset` say how these came about. Without the tier of identifiers there is no `id`."""
    low, high = window
    by_name = identifiers and question.has_keys
    weights = question.other_weights if by_name and question.other_weights else question.weights
    vector_weight = min(vector_weight, NAMED_VECTOR_WEIGHT) if by_name else vector_weight
    parts = {
        "term": coverage(weights, tokens),
        "vector": min(max((cosine + offset - low) / (high - low), 0.0), 1.0),
        "id": _named_share(question, tokens, named, lead),
        "term weight": 1 - vector_weight,
        "cosine": cosine,
        "language offset": offset,
    }
    if not identifiers:
        del parts["id"]
    return {name: round(value, DIGITS) for name, value in parts.items()}


def _named_share(question: Question, tokens: frozenset[str], named: frozenset[str], lead: str | None) -> float:
    """Share of the question's keys that a passage holds. One that it does not name first counts a little less,
    since passages on other things name it as a neighbour; not so in lists and tables of many, which are about each."""
    asked = len(question.ids) + len(question.numbers)
    if not asked:
        return 0.0
    lead = lead if lead and is_name(lead) and sum(map(is_name, named)) <= FEW_IDENTIFIERS else None
    held = sum(1.0 if lead in (one, None) or not is_name(one) else NOT_LEADING for one in question.ids if one in named)
    return (held + len(tokens.intersection(question.numbers))) / asked


def total(scores: Mapping[str, float]) -> float:
    """The score that parts add up to."""
    weight = scores["term weight"]
    fused = weight * scores["term"] + (1 - weight) * scores["vector"]
    if "rerank" in scores:
        fused += scores["rerank weight"] * (scores["rerank"] - fused)
    return round(min(1.0, fused * scores.get("boost", 1.0)) + scores.get("id", 0.0), DIGITS)


def least_score(scored: Sequence[Scored], threshold: float) -> float:
    """The threshold that holds: the one given, or a quarter of it where nothing reaches that (the hits' scores, and an
    answer's confidence, say how poor they are)."""
    reached = any(one.score >= threshold for one in scored)
    return threshold if reached else threshold * RELAXED


def confidence(question: Question, score: float, tier: bool = True) -> float:
    """How far an answer whose best passage has this score can be relied on, in 0…1; it rises with the score.

    A question that names identifiers could score twice as much where these are a tier of the score, which is halved
    first then: where no passage names what it asks for, confidence is near 0.
    """
    reached = score / (2 if question.has_keys and tier else 1)
    return round(1 / (1 + exp(-CONFIDENCE_SLOPE * (reached - CONFIDENCE_MIDDLE))), 4)


def has_tier(hit: Hit) -> bool:
    """Whether identifiers are a tier of a hit's score."""
    return "id" in hit.scores or not hit.scores
