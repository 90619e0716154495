"""Sentences of Chinese and English text, as ranges of it."""

from __future__ import annotations

import re

_CLOSING = r"[\"'”’」』》）)\]】]*"
_STOP = re.compile(
    rf"""
      [。！？；!?…]+{_CLOSING}           # ends a sentence whatever follows
    | \.{_CLOSING}(?=\s|$)              # a full stop only before white space: not in 3.14, v1.2, a.b
    | \n+                               # lines of tables, and paragraphs
    """,
    re.X,
)
# a full stop after one of these, after an initial, or after a number at the head of a line ends no sentence
_ABBREVIATED = re.compile(
    r"(?:(?<![\w/])(?:[A-Z]|al|approx|ca|cf|Ch|Dr|ed|e\.g|Eq|Fig|i\.e|Inc|Ltd|Mr|Mrs|Ms|No|pp|Prof|Ref|Sec|Tab|Vol|vs)"
    r"|(?:^|\n)\s*\d{1,3})$"
)
_ABBREVIATION_LENGTH = 12  # characters looked back


def sentences(text: str) -> list[tuple[int, int]]:
    """Ranges `text[start:end]` of the sentences, in order, without the white space around them; none is empty.

    Every character that is not white space is in exactly one range. A line end parts sentences too: rows of a table
    and headings stand on lines of their own.
    """
    found: list[tuple[int, int]] = []
    start = 0
    for match in _STOP.finditer(text):
        head = text[max(start, match.start() - _ABBREVIATION_LENGTH) : match.start()]
        if match.group().startswith(".") and _ABBREVIATED.search(head):
            continue
        _add(found, text, start, match.end())
        start = match.end()
    _add(found, text, start, len(text))
    return found


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    right = len(part.rstrip())
    if left < right:
        found.append((start + left, start + right))
