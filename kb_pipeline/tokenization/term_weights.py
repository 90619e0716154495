"""How much each word of a question matters, and how much of a question a passage covers.

Rarity comes from word frequencies of general Chinese (jieba's dictionary), so that no statistics of the collection are
needed and a score does not change when a document is added; that of English words comes from rarity.py, and identifiers
and numbers count more than any word.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import log

from kb_pipeline.tokenization.rarity import RARE, english_rarity
from kb_pipeline.tokenization.tokens import Term, Tokenizer, tokenizer

UNKNOWN_COUNT = 3  # occurrences assumed of a Chinese word that the dictionary lacks, in its 60 million
SINGLE_CHARACTER = 0.5  # of the rarity of a Chinese character that stands alone
WORD_RARITIES = (8.0, RARE)  # English words as common as the one and more weigh least, as rare as the other weigh most
WORD_WEIGHTS = (4.0, 10.0)  # on the scale of Chinese rarities, whose usual range is 5 to 16
ONE_LETTER = 1.0
NUMBER = 12.0
IDENTIFIER = 30.0
WHOLE_SHARE = {"id": 0.8, "chinese": 0.5, "word": 1.0, "number": 1.0}  # of a term; its parts share the rest


def query_weights(text: str, words: Tokenizer | None = None) -> dict[str, float]:
    """Weight of each fine token of a question; they sum to 1, or there are none.

    A term counts once however often it occurs. A part counts towards its term, so that a passage with the parts and
    not the whole earns some of its weight; a character that stands alone shares its weight with the pair that it forms
    with a neighbouring word. Other pairs across words count nothing.
    """
    chosen = words or tokenizer()
    terms = chosen.terms(text)
    found: dict[str, float] = {}
    for term, before in zip(terms, [None, *terms], strict=False):
        inner = term.parts
        if term.kind == "chinese" and len(term.token) == 1:
            inner = tuple(filter(None, [(before and before.link) or term.link]))
        weight = _weight(term, chosen)
        whole = weight * WHOLE_SHARE[term.kind] if inner else weight
        for token, share in ((term.token, whole), *((part, (weight - whole) / len(inner)) for part in inner)):
            found[token] = max(found.get(token, 0.0), share)
    total = sum(found.values())
    return {token: weight / total for token, weight in found.items()}


def coverage(weights: Mapping[str, float], tokens: Collection[str]) -> float:
    """Share of a question's weight that a passage's fine tokens cover, in 0…1; 0 for a question without terms.

    Args:
        weights: of `query_weights`.
        tokens: fine tokens of the passage; a set is fastest.
    """
    held = tokens if isinstance(tokens, set | frozenset) else set(tokens)
    return min(1.0, sum(weight for token, weight in weights.items() if token in held))


def _weight(term: Term, words: Tokenizer) -> float:
    if term.kind == "id":
        return IDENTIFIER
    if term.kind == "number":
        return NUMBER
    if term.kind == "word":
        return _word_weight(term.token)
    score = words.words.unknown + log(UNKNOWN_COUNT)
    if term.token not in words.user_words:
        score = words.words.scores.get(term.token, score)
    return -score * (SINGLE_CHARACTER if len(term.token) == 1 else 1.0)


def _word_weight(stem: str) -> float:
    if len(stem) == 1:
        return ONE_LETTER
    (common, rare), (low, high) = WORD_RARITIES, WORD_WEIGHTS
    return low + (high - low) * (min(max(english_rarity(stem), common), rare) - common) / (rare - common)
