"""The index ranks by the cosine plus the language offset, in one search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.index.vectors import LANGUAGES, embedding_and_offset, query_vector, row_vector
from kb_pipeline.tokenization.language import language_offset

OFFSETS = {("zh", "en"): 0.09, ("en", "zh"): 0.05}
languages = st.sampled_from(LANGUAGES)
words = st.lists(st.sampled_from(["ore", "hole", "grade", "矿体", "品位", "42", "0.85"]), max_size=30)
seeds = st.integers(0, 2**32 - 1)


def unit(seed: int) -> np.ndarray:
    vector = np.random.default_rng(seed).standard_normal(8)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


@given(seeds, seeds, languages, languages, words)
def test_the_inner_product_is_the_cosine_plus_the_offset(a: int, b: int, asked: str, written: str, tokens) -> None:
    question, passage = unit(a), unit(b)
    stored = row_vector(passage, written, tokens, OFFSETS)
    offset = language_offset(OFFSETS, asked, written, frozenset(tokens))
    cosine = float(question @ passage)
    assert np.dot(query_vector(question, asked), stored) == pytest.approx(cosine + offset, abs=1e-5)
    assert np.dot(query_vector(question), stored) == pytest.approx(cosine, abs=1e-5)
    vector, kept = embedding_and_offset(stored, asked)
    assert kept == pytest.approx(offset, abs=1e-6)
    assert np.allclose(vector, passage, atol=1e-6)
