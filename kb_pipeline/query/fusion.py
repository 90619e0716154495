"""Presets of fusion: how what the legs found becomes one score.

    score = min(1, ((1 − w) · term + w · vector) · boost) + id

`windowed`    term = share of the question's term weight covered; vector = cosine plus language offset, within the
              model's window; id = share of the question's identifiers named; w = 0.8. Best on the mean of all sets.
`weighted`    RAGFlow's formula: the same term, vector = the raw cosine, no offset, no id; w = 0.3.
`rrf`         reciprocal rank fusion (Cormack et al. 2009), k = 60: term and vector = (k + 1) / (k + rank) in the list
              of the full-text and of the dense leg, 0 where it has no rank; w = 0.5.
`rrf-4-1`     the same with w = 0.8, as Paddle-ERNIE-RAG weighs its legs.
`vector`      vectors alone: `windowed` with w = 1, no full-text leg.
`full-text`   BM25 alone, by rank as in `rrf`; w = 0.

`query.vector_weight` replaces w of the presets that mix. With `windowed`, term and w of a question that names
identifiers are those that rescore.py says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

RRF_K = 60


@dataclass(frozen=True)
class Fusion:
    """A preset.

    Attributes:
        vector_weight: w.
        by_rank: term and vector come from ranks, not from coverage and cosine.
        windowed: the cosine is seen within the model's window, with its language offsets.
        identifiers: identifiers are a leg and a tier of their own.
        dense, full_text: legs that are searched.
    """

    vector_weight: float
    by_rank: bool = False
    windowed: bool = True
    identifiers: bool = True
    dense: bool = True
    full_text: bool = True


PRESETS = {
    "windowed": Fusion(0.8),
    "weighted": Fusion(0.3, windowed=False, identifiers=False),
    "rrf": Fusion(0.5, by_rank=True, windowed=False, identifiers=False),
    "rrf-4-1": Fusion(0.8, by_rank=True, windowed=False, identifiers=False),
    "vector": Fusion(1.0, full_text=False, identifiers=False),
    "full-text": Fusion(0.0, by_rank=True, windowed=False, identifiers=False, dense=False),
}


def fusion(name: str, vector_weight: float | None = None) -> Fusion:
    """The preset of that name, with another w where one is given and the preset mixes."""
    preset = PRESETS[name]
    if vector_weight is None or not (preset.dense and preset.full_text):
        return preset
    return replace(preset, vector_weight=vector_weight)
