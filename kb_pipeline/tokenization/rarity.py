"""How rare English words are in general text: the counterpart of the Chinese dictionary's word counts.

`english_rarities.txt` holds the stems of common words by rarity (minus the natural logarithm of their probability), a
line for each tenth: `11.1 hous year …`. They come from the Unigram vocabulary of multilingual-e5-small (MIT), where a
word that is a token of its own is a common one; a word that is not in the list is rare.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).with_name("english_rarities.txt")
RARE = 20.0  # of a word that is not listed, as rare as the likeliest ones that the vocabulary has to put together


def english_rarity(stem: str) -> float:
    """Rarity of a word by its stem, 7 (the commonest) to RARE."""
    return _rarities().get(stem, RARE)


@lru_cache(maxsize=1)
def _rarities() -> dict[str, float]:
    lines = (line.split() for line in FILE.read_text("ascii").splitlines())
    return {stem: float(rarity) for rarity, *stems in lines for stem in stems}
