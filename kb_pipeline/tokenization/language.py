"""The language of a text by its script."""

from __future__ import annotations

import re
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
