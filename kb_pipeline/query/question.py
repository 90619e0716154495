"""A question, read once: cleaned text, tokens with their weights, identifiers, language, vector."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kb_pipeline.errors import UsageError
from kb_pipeline.tokenization.identifiers import ids, index_token, parts
from kb_pipeline.tokenization.language import language
from kb_pipeline.tokenization.term_weights import query_weights
from kb_pipeline.tokenization.tokens import Tokenizer, tokenizer

if TYPE_CHECKING:
    from kb_pipeline.embedding.choose import Embedder

MAX_CHARACTERS = 8000  # of a question; what lies beyond is not read
MAX_TERMS = 256  # tokens that are searched for; the lightest are left out
MAX_IDENTIFIERS = 32


@dataclass(frozen=True)
class Question:
    """What retrieval and scoring read of a question. `vector` is a unit vector; `weights` of its terms sum to 1, or are
    empty; so do `other_weights`, of the terms that are not its identifiers."""

    text: str
    language: str
    vector: np.ndarray
    weights: Mapping[str, float]
    coarse: tuple[str, ...]
    fine: tuple[str, ...]
    ids: tuple[str, ...]

    @cached_property
    def other_weights(self) -> Mapping[str, float]:
        named = {token for one in self.ids for token in (index_token(one), *map(index_token, parts(one)))}
        rest = {term: weight for term, weight in self.weights.items() if term not in named}
        whole = sum(rest.values())
        return {term: weight / whole for term, weight in rest.items()}


def read_question(text: str, embedder: Embedder, words: Tokenizer | None = None) -> Question:
    """Read a question. It is plain text: no character in it has a meaning to the search.

    Raises:
        UsageError: nothing is left of it once control characters and outer white space are gone.
    """
    cleaned = clean(text)
    if not cleaned:
        raise UsageError("the question is empty", remedy="ask something")
    words = words or tokenizer()
    weights = query_weights(cleaned, words)
    heaviest = set(sorted(weights, key=lambda token: (-weights[token], token))[:MAX_TERMS])
    return Question(
        text=cleaned,
        language=language(cleaned),
        vector=np.asarray(embedder.embed_query(cleaned), np.float32),
        weights=weights,
        coarse=_distinct(words.coarse(cleaned), heaviest),
        fine=_distinct(words.fine(cleaned), heaviest),
        ids=tuple(ids(cleaned)[:MAX_IDENTIFIERS]),
    )


def clean(text: str) -> str:
    """The text without control characters, format characters and lone surrogates, with plain white space, cut to
    MAX_CHARACTERS."""
    kept = (" " if c.isspace() else c for c in text[:MAX_CHARACTERS])
    return " ".join("".join(c for c in kept if unicodedata.category(c) not in ("Cc", "Cf", "Cs")).split())


def _distinct(tokens: list[str], kept: set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token for token in tokens if token in kept))
