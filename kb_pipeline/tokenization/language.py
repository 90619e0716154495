"""The language of a text by its script."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

Language = Literal["zh", "en"]
LETTERS_A_CHARACTER = 3  # Latin letters that say what one Chinese character says (parallel texts: 395 to 1,199)

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN = re.compile("[A-Za-zÀ-ÖØ-öø-ɏＡ-Ｚａ-ｚ]")


def language(text: str, default: Language = "zh") -> Language:
    """`zh` or `en`, whichever script says more of the text; `default` for a text without letters."""
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    if not han and not latin:
        return default
    return "zh" if han * LETTERS_A_CHARACTER > latin else "en"


_WORD = {"zh": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+"), "en": re.compile("[a-z]{2,}")}  # of fine tokens
FULL_WORDS = 20  # distinct ones of a paragraph
FULL_SHARE = 0.7  # of a paragraph's tokens are words


def running_share(tokens: Collection[str], of: Language) -> float:
    """How far a passage is running text of a language, in 0…1: 1 from a short paragraph on, less for a line of a few
    words, little for a table whose cells are figures.

    Args:
        tokens: distinct fine tokens of the passage.
    """
    words = sum(1 for token in tokens if _WORD[of].fullmatch(token))
    if not words:
        return 0.0
    return min(1.0, words / FULL_WORDS) * min(1.0, words / len(tokens) / FULL_SHARE)


def word_share(tokens: Collection[str], of: Language) -> float:
    """Share of a passage's words that are of a language, in 0…1; 0 for a passage without words.

    Args:
        tokens: distinct fine tokens of the passage.
    """
    counts = {name: sum(1 for token in tokens if word.fullmatch(token)) for name, word in _WORD.items()}
    words = sum(counts.values())
    return counts[of] / words if words else 0.0
