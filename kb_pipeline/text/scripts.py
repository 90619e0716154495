"""Raised and lowered characters as text, so that they never merge with the digits beside them: 10⁵, H₂O, x^max."""

from __future__ import annotations

import re

_PLAIN = "0123456789+-−=()ni"
_RAISED = str.maketrans(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_ORDINAL = re.compile(r"st|nd|rd|th|er|re|e|o|a|me|ème|lle|TM|SM|R|[®™℠ªº°′″*†‡]+", re.I)


def raised(text: str) -> str:
    """Superscript text: Unicode forms of digits and signs, `^` before what has none; ordinals as they are (1st)."""
    return _scripted(text, "^", _RAISED)


def lowered(text: str) -> str:
    """Subscript text: Unicode forms of digits and signs, `_` before what has none."""
    return _scripted(text, "_", _LOWERED)


def raised_form(character: str) -> str:
    """The Unicode superscript of a digit or sign; any other character itself: one for one, as sums count."""
    return character.translate(_RAISED) if character not in "ni" else character


def lowered_form(character: str) -> str:
    """The Unicode subscript of a digit or sign; any other character itself."""
    return character.translate(_LOWERED)


def note_mark(label: str, before: str) -> str:
    """The mark of a note, apart from a figure that it would run into. `before`: the text that it follows."""
    return f" [{label}]" if before[-1:].isdigit() else f"[{label}]"


def _scripted(text: str, mark: str, forms: dict[int, int]) -> str:
    inner = text.strip()
    if not inner or (mark == "^" and _ORDINAL.fullmatch(inner)):
        return text
    head, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if all(ord(character) in forms for character in inner):
        return head + inner.translate(forms) + tail
    return head + (f"{mark}({inner})" if " " in inner else mark + inner) + tail
