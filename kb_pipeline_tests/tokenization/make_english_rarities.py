"""Makes kb_pipeline/tokenization/english_rarities.txt out of the embedding model's vocabulary.

python -m kb_pipeline_tests.tokenization.make_english_rarities
"""

from __future__ import annotations

import re
from itertools import groupby

from kb_pipeline.embedding.e5_weights import read_weights
from kb_pipeline.tokenization.rarity import FILE
from kb_pipeline.tokenization.stemming import stem
from kb_pipeline.weights.manifest import model_path

STEMS = 20_000  # the commonest; beyond them, names and words of other languages prevail


def rarities() -> str:
    """The file's text: for a stem, that of its likeliest word, in small letters or capitals."""
    best: dict[str, float] = {}
    for piece, score in read_weights(model_path("embedding")).pieces():
        word = re.fullmatch("▁([A-Za-z]{2,})", piece)
        if word:
            key = stem(word[1].lower())
            best[key] = min(best.get(key, 99.0), round(-score, 1))
    ordered = sorted(best.items(), key=lambda item: (item[1], item[0]))[:STEMS]
    lines = [
        (rarity, " ".join(key for key, _ in group)) for rarity, group in groupby(ordered, key=lambda item: item[1])
    ]
    return "".join(f"{rarity} {stems}\n" for rarity, stems in lines)


if __name__ == "__main__":
    FILE.write_text(rarities(), "ascii")
