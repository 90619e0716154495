"""Scores of candidates, each part kept: what a user sees recomputes to the score.

    score  = w · term + (1 − w) · vector + id
    term   = share of the question's term weight that the passage covers
    vector = clip((cosine + language offset − low) / (high − low), 0, 1)
    id     = share of the question's identifiers that the passage names

`low`, `high` are the embedding model's cosine window, w is `query.term_weight`. The offset makes up for a model that
sees passages in the question's own language as nearer whatever they say. A question with identifiers thus puts the
passages that name them before all others: the id tier adds up to 1 to a sum of at most 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from kb_pipeline.query.question import Question
from kb_pipeline.tokenization.language import running_share
from kb_pipeline.tokenization.weights import coverage

# Of a language offset, for passages that are no running text. On XQuAD the gap of cosines between languages is 0.057
# for passages of 5 words, 0.067 for 8, 0.087 for 14, 0.095 from 30 words on, and 0.048 for tables of figures.
LEAST_OFFSET = 0.5
DIGITS = 6  # of every part, so that printed parts recompute to the printed score
RELAXED = 0.25  # of the threshold, where nothing reaches it
# Confidence is a logistic curve of the top score, 0.5 at this score and this steep. On XQuAD the best passage scores
# 0.70 (Chinese) and 0.62 (English) in the median where it answers, 0.48 and 0.38 where the answering one was removed.
CONFIDENCE_MIDDLE, CONFIDENCE_SLOPE = 0.55, 14.0


@dataclass(frozen=True)
class Candidate:
    """A row that may answer: what scoring reads of it. `tokens` are its fine tokens, `vector` a unit vector."""

    chunk_id: str
    document: str
    version: str
    language: str
    tokens: frozenset[str]
    ids: frozenset[str]
    vector: np.ndarray


@dataclass(frozen=True)
class Scored:
    """A candidate with its score and the parts of it."""

    candidate: Candidate
    score: float
    scores: dict[str, float]


def rescore(
    question: Question,
    candidates: Sequence[Candidate],
    *,
    term_weight: float,
    window: tuple[float, float],
    offsets: Mapping[tuple[str, str], float],
) -> list[Scored]:
    """Candidates with scores, best first; equal scores in order of chunk id."""
    found = []
    for candidate in candidates:
        parts = score_parts(
            question,
            candidate.tokens,
            candidate.ids,
            cosine=float(np.dot(question.vector, candidate.vector)),
            offset=language_offset(offsets, question.language, candidate.language, candidate.tokens),
            term_weight=term_weight,
            window=window,
        )
        found.append(Scored(candidate, total(parts), parts))
    return sorted(found, key=lambda scored: (-scored.score, scored.candidate.chunk_id))


def score_parts(
    question: Question,
    tokens: frozenset[str],
    named: frozenset[str],
    *,
    cosine: float,
    offset: float,
    term_weight: float,
    window: tuple[float, float],
) -> dict[str, float]:
    """The parts of a passage's score: `term`, `vector` and `id` make the sum of `total`; `term weight`, `cosine` and
    `language offset` say how these came about."""
    low, high = window
    parts = {
        "term": coverage(question.weights, tokens),
        "vector": min(max((cosine + offset - low) / (high - low), 0.0), 1.0),
        "id": len(named.intersection(question.ids)) / len(question.ids) if question.ids else 0.0,
        "term weight": term_weight,
        "cosine": cosine,
        "language offset": offset,
    }
    return {name: round(value, DIGITS) for name, value in parts.items()}


def language_offset(
    offsets: Mapping[tuple[str, str], float], asked: str, written: str, tokens: frozenset[str]
) -> float:
    """What is added to the cosine of a passage in another language: the model's offset for running text, down to half
    of it for single words and for tables of figures, which the model places less by their language."""
    offset = offsets.get((asked, written), 0.0)
    return offset * (LEAST_OFFSET + (1 - LEAST_OFFSET) * running_share(tokens, written)) if offset else 0.0


def total(scores: Mapping[str, float]) -> float:
    """The score that parts add up to."""
    weight = scores["term weight"]
    return round(weight * scores["term"] + (1 - weight) * scores["vector"] + scores["id"], DIGITS)


def above_threshold(scored: Sequence[Scored], threshold: float) -> list[Scored]:
    """Those that reach the threshold; where none does, those that reach a quarter of it (their scores, and an
    answer's confidence, say how poor they are)."""
    for least in (threshold, threshold * RELAXED):
        kept = [one for one in scored if one.score >= least]
        if kept:
            return kept
    return []


def confidence(question: Question, score: float) -> float:
    """How far an answer whose best passage has this score can be relied on, in 0…1; it rises with the score.

    A question that names identifiers could score twice as much, so its score is halved first: where no passage names
    what it asks for, confidence is near 0.
    """
    reached = score / (2 if question.ids else 1)
    return round(1 / (1 + exp(-CONFIDENCE_SLOPE * (reached - CONFIDENCE_MIDDLE))), 4)
