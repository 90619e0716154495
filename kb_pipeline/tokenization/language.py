"""The language of a text by its script."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Literal

Language = Literal["zh", "en"]
# Of a language offset, for passages that are no running text. On XQuAD the gap of cosines between languages is 0.057
# for passages of 5 words, 0.067 for 8, 0.087 for 14, 0.095 from 30 words on, and 0.048 for tables of figures.
MIN_OFFSET = 0.5
# Share of words in the question's own language from which a passage counts as one of that language: bilingual captions
# and reference lists, which the model places near a question in either.
BILINGUAL = 0.3
LETTERS_PER_CHARACTER = 3  # Latin letters that say what one Chinese character says (parallel texts: 395 to 1,199)

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN = re.compile("[A-Za-zÀ-ÖØ-öø-ɏＡ-Ｚａ-ｚ]")


def language(text: str, default: Language = "zh") -> Language:
    """`zh` or `en`, whichever script says more of the text; `default` for a text without letters."""
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    if not han and not latin:
        return default
    return "zh" if han * LETTERS_PER_CHARACTER > latin else "en"


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


def language_offset(
    offsets: Mapping[tuple[str, str], float], asked: Language, written: Language, tokens: Collection[str]
) -> float:
    """What is added to the cosine of a passage in another language: the model's offset for running text, down to half
    of it for single words and for tables of figures, which the model places less by their language, and down to nothing
    for passages that hold text in the question's language as well."""
    offset = offsets.get((asked, written), 0.0)
    if not offset:
        return 0.0
    foreign = max(0.0, 1 - word_share(tokens, asked) / BILINGUAL)
    return offset * foreign * (MIN_OFFSET + (1 - MIN_OFFSET) * running_share(tokens, written))
