"""Grapheme clusters: what a reader sees as one character is not cut (after Unicode Standard Annex 29)."""

from __future__ import annotations

import unicodedata

FIRST_MARK = "\u0300"  # characters below it join with nothing


def between_clusters(text: str, place: int) -> bool:
    """Whether a cut at `place` parts no grapheme cluster (marks, joiners, flags, surrogate pairs, conjoining jamo)."""
    if not 0 < place < len(text):
        return True
    before, after = text[place - 1], text[place]
    if before < FIRST_MARK and after < FIRST_MARK:
        return before != "\r" or after != "\n"
    if unicodedata.category(after) in ("Mn", "Mc", "Me") or after in "\u200d\ufe0e\ufe0f" or before == "\u200d":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff" or (before == "\r" and after == "\n"):
        return False
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return False
    if "\u1100" <= before <= "\u11ff" and "\u1160" <= after <= "\u11ff":
        return False
    if _is_flag(before) and _is_flag(after):
        run = 0
        while run < place and _is_flag(text[place - 1 - run]):
            run += 1
        return run % 2 == 0
    return True


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
