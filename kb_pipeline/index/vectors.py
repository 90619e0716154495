"""Vectors as rows hold them: the embedding, and one number per language that makes up for the model's own preference.

A multilingual model places passages in the question's language nearer than others, whatever they say. Scores add an
offset for that (`language_offset`). So that the index ranks as scores do, in one search, each row's vector ends with
the offset that it gets from a question in each language, and a question's vector with a 1 in its own language's place:
their inner product is the cosine plus the offset.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from kb_pipeline.tokenization.language import Language, language_offset

LANGUAGES: tuple[Language, ...] = get_args(Language)
EXTRA = len(LANGUAGES)  # numbers of a row's vector beyond the embedding's own


@dataclass(frozen=True)
class Vectors:
    """Unit vectors of a document.

    Attributes:
        content: `[chunks, dimension]` float32, in the order of the chunks.
        questions: `[questions, dimension]` of each enrichment's questions, by ordinal; none for no rows of them.
        language_offsets: the model's, by the languages of question and passage.
    """

    content: np.ndarray
    questions: Mapping[int, np.ndarray] = field(default_factory=dict)
    language_offsets: Mapping[tuple[str, str], float] = field(default_factory=dict)


def row_vector(
    vector: np.ndarray, written: Language, tokens: Collection[str], offsets: Mapping[tuple[str, str], float]
) -> np.ndarray:
    """`[dimension + EXTRA]` float32 for a passage written in a language, of which these are the fine tokens."""
    distinct = frozenset(tokens)
    extra = [language_offset(offsets, asked, written, distinct) for asked in LANGUAGES]
    return np.concatenate([np.asarray(vector, np.float32), np.asarray(extra, np.float32)])


def query_vector(vector: np.ndarray, asked: Language | None = None) -> list[float]:
    """`dimension + EXTRA` numbers for a question in a language; without one, no offset counts."""
    return [*vector.tolist(), *(float(asked == language) for language in LANGUAGES)]


def embedding_and_offset(stored: np.ndarray, asked: Language) -> tuple[np.ndarray, float]:
    """The unit vector of a row, and its offset for a question in a language."""
    vector, extra = stored[:-EXTRA], stored[-EXTRA:]
    offset = float(extra[LANGUAGES.index(asked)])
    return vector / max(float(np.linalg.norm(vector)), 1e-12), offset
