"""Chinese numerals as numbers: 十二, 一百零五, 二〇二四, 两千."""

from __future__ import annotations

NUMERAL = "〇零一二三四五六七八九十百千两廿"
"""Characters of a numeral, simplified."""

_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_POWERS = {"十": 10, "百": 100, "千": 1000}


def number(text: str) -> int | None:
    """The number that a numeral, or a run of ASCII digits, stands for; None for anything else."""
    if text.isascii() and text.isdigit():
        return int(text)
    text = text.replace("廿", "二十")
    if text and all(character in _DIGITS for character in text):
        return int("".join(str(_DIGITS[character]) for character in text))
    total, digit = 0, None
    for character in text:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character in _POWERS:
            total += (1 if digit is None else digit) * _POWERS[character]
            digit = None
        else:
            return None
    return total + (digit or 0) if text else None
