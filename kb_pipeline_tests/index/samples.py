"""Chunks and vectors that tests make up."""

from __future__ import annotations

import numpy as np

from kb_pipeline.records import Chunk, PageLocator

DIMENSION = 16


def chunk(ordinal: int, text: str, breadcrumb: tuple[str, ...] = (), page: int = 1) -> Chunk:
    place = PageLocator(page, (50.0, 100.0, 500.0, 112.0), (595.0, 842.0), 0, len(text))
    return Chunk(ordinal, "text", text, breadcrumb, len(text), (f"s{ordinal}",), (place,))


def vectors(count: int, seed: int = 0) -> np.ndarray:
    found = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)
