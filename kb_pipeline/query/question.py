"""A question, read once: cleaned text, tokens with their weights, identifiers, language, vector."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kb_pipeline.errors import UsageError
from kb_pipeline.tokenization.identifiers import index_token
from kb_pipeline.tokenization.keys import Key, keys
from kb_pipeline.tokenization.language import Language, language
from kb_pipeline.tokenization.term_weights import query_weights
from kb_pipeline.tokenization.tokens import Tokenizer, tokenizer

if TYPE_CHECKING:
    from kb_pipeline.embedding.choose import Embedder

MAX_CHARACTERS = 8000  # of a question; what lies beyond is not read
MAX_TERMS = 256  # tokens that are searched for; the lightest are left out
MAX_KEYS = 32


@dataclass(frozen=True)
class Question:
    """What retrieval and scoring read of a question. `vector` is a unit vector; `weights` of its terms sum to 1, or are
    empty; so do `other_weights`, of the terms that are not its keys."""

    text: str
    language: Language
    vector: np.ndarray
    weights: Mapping[str, float]
    coarse: tuple[str, ...]
    fine: tuple[str, ...]
    keys: tuple[Key, ...]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Canonical spellings of the keys that rows of the index list."""
        return tuple(key.token for key in self.keys if key.stored)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Index tokens of the codes that it asks for as bare numbers."""
        return tuple(index_token(key.token) for key in self.keys if key.kind == "number")

    @property
    def has_keys(self) -> bool:
        """Whether passages that hold what it names come before all others."""
        return bool(self.ids or self.numbers)

    @cached_property
    def other_weights(self) -> Mapping[str, float]:
        named = {index_token(token) for key in self.keys for token in (key.token, *key.parts) if key.kind != "year"}
        rest = {term: weight for term, weight in self.weights.items() if term not in named}
        whole = sum(rest.values())
        return {term: weight / whole for term, weight in rest.items()}


def read_question(text: str, embedder: Embedder, words: Tokenizer | None = None) -> Question:
    """Read a question. It is plain text: no character in it has a meaning to the search.

    Raises:
        UsageError: there is no letter and no digit in it.
    """
    cleaned = clean(text)
    if not any(map(str.isalnum, cleaned)):
        asked = f"{cleaned!r} holds no letter and no digit" if cleaned else "the question is empty"
        raise UsageError(f"{asked}: there is nothing to search for", remedy="ask something in words")
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
        keys=tuple(keys(cleaned)[:MAX_KEYS]),
    )


def clean(text: str) -> str:
    """The text without control characters, format characters and lone surrogates, with plain white space, cut to
    MAX_CHARACTERS."""
    kept = (" " if c.isspace() else c for c in text[:MAX_CHARACTERS])
    return " ".join("".join(c for c in kept if unicodedata.category(c) not in ("Cc", "Cf", "Cs")).split())


def _distinct(tokens: list[str], kept: set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token for token in tokens if token in kept))
