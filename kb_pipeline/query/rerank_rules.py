"""A reranker of rules, each factor visible: after Paddle-ERNIE-RAG's, with its measured faults put right.

There, keywords were single Chinese characters and no digit was ever one, similarity spread over 1.6 of 35 points,
length was counted in characters of either script, and "ZK" in every drill-hole passage earned the bonus of proper
nouns. Here:

    fuzzy     share of the question's neighbouring pairs of characters that the text holds
    keyword   share of the question's term weight that it covers
    semantic  its cosine, between the minimum and the maximum of the hits at hand
    length    1 for 200 to 600 Chinese characters' worth of text, less for shorter and longer ones
    position  1 for the first hit so far, 0 from the twentieth on
    names     share of the question's names (identifiers, capitalised English words, Chinese names) in it
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kb_pipeline.query.question import Question
from kb_pipeline.query.rescore import Scored
from kb_pipeline.settings import RerankSettings
from kb_pipeline.tokenization.language import LETTERS_PER_CHARACTER
from kb_pipeline.tokenization.normalise import normalised
from kb_pipeline.tokenization.segmenter import proper_nouns
from kb_pipeline.tokenization.term_weights import coverage
from kb_pipeline.tokenization.tokens import tokenizer

WEIGHTS = {"fuzzy": 0.25, "keyword": 0.25, "semantic": 0.35, "length": 0.15}  # of Paddle-ERNIE-RAG
BONUSES = {"position": 0.05, "names": 0.30}  # its 20 and 30 of 100; the position's is a quarter, else nothing moves
POSITIONS = 20
BEST_LENGTH = (200, 600)
_CAPITALISED = re.compile(r"(?<!^)\b[A-Z][A-Za-z]{2,}\b")


def rule_parts(
    question: Question, scored: Sequence[Scored], passages: Sequence[str], settings: RerankSettings
) -> list[dict[str, float]]:
    """The share and the factors that it consists of, for each candidate."""
    return [{"rerank": rule_score(one), **one} for one in rule_factors(question, scored, passages)]


def rule_score(factors: Mapping[str, float]) -> float:
    """The factors as one share in 0…1."""
    weights = WEIGHTS | BONUSES
    return sum(weight * factors[f"rule {name}"] for name, weight in weights.items()) / sum(weights.values())


def rule_factors(question: Question, scored: Sequence[Scored], passages: Sequence[str]) -> list[dict[str, float]]:
    """Factors of each candidate, each in 0…1, by name with `rule ` before it."""
    cosines = [one.scores["cosine"] for one in scored]
    low, spread = min(cosines), (max(cosines) - min(cosines)) or 1.0
    asked = _pairs(question.text)
    names = _names(question)
    found = []
    for place, (one, passage) in enumerate(zip(scored, passages, strict=True)):
        text = normalised(passage).lower()
        found.append(
            {
                "rule fuzzy": len(asked & _pairs(passage)) / len(asked) if asked else 0.0,
                "rule keyword": coverage(question.weights, one.candidate.tokens),
                "rule semantic": (cosines[place] - low) / spread,
                "rule length": _length(passage),
                "rule position": max(0.0, 1 - place / POSITIONS),
                "rule names": _named(names, question, one, text),
            }
        )
    return found


def _pairs(text: str) -> frozenset[str]:
    plain = "".join(c for c in normalised(text).lower() if c.isalnum())
    return frozenset(plain[i : i + 2] for i in range(len(plain) - 1))


def _length(text: str) -> float:
    worth = sum(1 if c > "\u2e80" else 1 / LETTERS_PER_CHARACTER for c in text if not c.isspace())
    short, long = BEST_LENGTH
    return min(1.0, worth / short, long / max(worth, 1.0))


def _names(question: Question) -> frozenset[str]:
    english = (match.group().lower() for match in _CAPITALISED.finditer(question.text))
    chinese = proper_nouns() & set(tokenizer().coarse(question.text))
    return frozenset(english) | chinese


def _named(names: frozenset[str], question: Question, one: Scored, text: str) -> float:
    count = len(names) + len(question.ids)
    held = sum(name in text for name in names) + len(one.candidate.ids.intersection(question.ids))
    return held / count if count else 0.0
