"""A light English stemmer: steps 1 and 5a of Porter's algorithm (plural, -ed, -ing, final y and e), and nothing more.

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980. Steps 2 to 4, which also join words such as
"general" and "generate", are left out on purpose: a wrong hit costs more here than a missed derivation, which the
vectors find anyway. The result is a key for matching, not a word ("stud" + "ies" gives "studi", as does "study").
"""

from __future__ import annotations

import re
from functools import lru_cache

_VOWEL = r"(?:[aeiou]|(?<=[^aeiou])y)"
_HAS_VOWEL = re.compile(rf"{_VOWEL}|^y[^aeiou]")
_MEASURE = re.compile(rf"(?:{_VOWEL})+(?:(?!{_VOWEL})[a-z])+")  # VC sequences; their count is Porter's m
_SHORT = re.compile(rf"(?:(?!{_VOWEL})[a-z]){_VOWEL}(?:(?!{_VOWEL})[a-vz])$")  # consonant, vowel, consonant but w, x, y
_DOUBLE = re.compile(r"([bcdfghjkmnpqrtvwx])\1$")  # doubled consonant but l, s, z
SHORTEST = 3  # letters of a word or stem that stays as it is; our addition, it keeps "ore" and "use" whole


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a lower-case English word; anything but a to z stays as it is."""
    if len(word) <= SHORTEST or not word.isascii() or not word.isalpha():
        return word
    word = _past_and_gerund(_plural(word))
    return _without_final_e(_final_y(word)) if len(word) > SHORTEST else word


def _plural(word: str) -> str:
    if word.endswith("sses") or word.endswith("ies"):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _past_and_gerund(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _MEASURE.search(word[:-3]) else word
    for suffix in ("ed", "ing"):
        base = word.removesuffix(suffix)
        if base != word and _HAS_VOWEL.search(base):
            return _restored(base)
    return word


def _restored(base: str) -> str:
    if base.endswith(("at", "bl", "iz")) or len(base) < SHORTEST:
        return base + "e"
    if len(base) > SHORTEST and _DOUBLE.search(base):
        return base[:-1]
    if len(_MEASURE.findall(base)) == 1 and _SHORT.search(base):
        return base + "e"
    return base


def _final_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _HAS_VOWEL.search(word[:-1]) else word


def _without_final_e(word: str) -> str:
    base = word.removesuffix("e")
    if base == word:
        return word
    measure = len(_MEASURE.findall(base))
    return base if measure > 1 or (measure == 1 and not _SHORT.search(base)) else word
