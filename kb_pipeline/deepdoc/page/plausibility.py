"""Does a text read like some language? Cheap signs only: no dictionary, no model, no list of languages."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

import numpy as np

# Below so many letters or words there is no telling.
MIN_LETTERS = 16
MIN_WORDS = 6
# Share of the words of four letters and more that have a vowel; above 0.95 in European languages.
MIN_VOWELLED = 0.75
# Frequencies of a…z in per mille, rounded over the larger European languages; and how well a text's letters must
# correlate with them. Language stays above 0.6, a text whose letters were exchanged (fonts without a character map)
# mostly below 0.3. Tried from so many letters on.
FREQUENCIES = (85, 14, 32, 40, 120, 14, 20, 28, 75, 6, 15, 45, 29, 72, 62, 24, 2, 66, 65, 68, 40, 13, 12, 2, 11, 12)
MIN_CORRELATION = 0.45
ENOUGH_LETTERS = 40
# Share of ideographs that belong to the common set of a national standard: above 0.97 in ordinary text.
MIN_COMMON = 0.6
# Share of letters in the script that has most of them; mixed scripts within words are noise.
MIN_DOMINANT = 0.7
# Words of so many letters are long enough to be no accident.
LONG_WORD = 4

VOWELS = frozenset("aeiouyæœøıαεηιουωаеёиоуыэюяіїє")
WORD = re.compile(rf"[^\W\d_]{{{LONG_WORD},}}")
# First and last code of the common level of GB 2312, Big 5 and JIS X 0208 (in the named codec).
COMMON_LEVELS = (("gb2312", 0xB0A1, 0xD7F9), ("big5", 0xA440, 0xC67E), ("shift_jis", 0x889F, 0x9872))


def reads_like_language(text: str) -> bool | None:
    """Whether a text reads like language; None where there is too little to say.

    Chinese and Japanese by the share of common characters, alphabets by their vowels, other scripts by whether one
    script dominates. Made for text that something else already puts under suspicion: a table of part numbers does not
    read like language either.
    """
    letters = [c for c in text if c.isalpha()]
    if len(letters) < MIN_LETTERS:
        return None
    scripts = Counter(_script(c) for c in letters)
    script, count = min(scripts.items(), key=lambda item: (-item[1], item[0]))
    if script != "CJK" and count < MIN_DOMINANT * (len(letters) - scripts["CJK"]):
        return False
    if scripts["CJK"] >= 0.3 * len(letters):
        ideographs = [c for c in letters if "\u3400" <= c <= "\u9fff"]
        common = sum(map(_is_common, ideographs))
        return len(ideographs) < MIN_LETTERS / 2 or common >= MIN_COMMON * len(ideographs)
    if script not in ("LATIN", "GREEK", "CYRILLIC"):
        return True
    words = WORD.findall(text)
    if len(words) < MIN_WORDS:
        return None
    if script == "LATIN" and sum(map(len, words)) >= ENOUGH_LETTERS:
        return letter_correlation("".join(words)) >= MIN_CORRELATION
    return sum(any(_base(c) in VOWELS for c in word) for word in words) >= MIN_VOWELLED * len(words)


def letter_correlation(text: str) -> float:
    """Pearson correlation, -1…1, of a text's letters a…z (accents and case aside) with those of European languages."""
    counts = Counter(map(_base, text))
    own = np.array([counts[chr(97 + i)] for i in range(26)], dtype=float)
    return float(np.corrcoef(own, FREQUENCIES)[0, 1]) if own.any() else 0.0


def word_share(text: str) -> float:
    """Share of the non-space characters that stand in long words with a vowel, or beside another CJK character."""
    solid = "".join(text.split())
    words = sum(len(w) for w in WORD.findall(text) if any(_base(c) in VOWELS for c in w) or not w.isascii())
    pairs = sum(len(run) for run in re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,3}(?!\w)", text))
    return (words + pairs) / len(solid) if solid else 0.0


@lru_cache(maxsize=65_536)
def _base(character: str) -> str:
    return unicodedata.normalize("NFD", character.lower())[0]


@lru_cache(maxsize=65_536)
def _script(character: str) -> str:
    """First word of the character's name: LATIN, GREEK, HEBREW, ARABIC, HANGUL …; CJK for Han and kana."""
    name = unicodedata.name(character, "")
    first = name.split(" ", 1)[0]
    if first in ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO"):
        return "CJK"
    # Letters beyond Latin Extended-A do not stand in running text of European languages.
    return "LATIN RARE" if first == "LATIN" and "\u0180" <= character <= "\u02ff" else first


@lru_cache(maxsize=65_536)
def _is_common(character: str) -> bool:
    for codec, first, last in COMMON_LEVELS:
        try:
            code = int.from_bytes(character.encode(codec), "big")
        except UnicodeEncodeError:
            continue
        if first <= code <= last:
            return True
    return False
