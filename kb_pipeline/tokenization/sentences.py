"""Sentences of Chinese and English text, as ranges of it."""

from __future__ import annotations

import re

from kb_pipeline.tokenization.graphemes import between_clusters

_CJK = "\u3400-\u4dbf\u4e00-\u9fff"
_CLOSING = r"[\"'”’」』》）)\]】]*"
_END = re.compile(  # what all forms begin with comes first: so the search skips what begins with none of it
    rf"""[。！？；…!?.;\n](?:
      (?<=[。！？；…])[。！？；…]*{_CLOSING}           # full-width stops end a sentence whatever follows
    | (?<=[!?])[!?]*{_CLOSING}(?=\s|$|[{_CJK}])    # half-width ones where it cannot be an address: before white space
    | (?<=\.)\.*{_CLOSING}(?=\s|$)                # a full stop only there: not in 3.14, v1.2, a.b
    | (?<=;)(?=\s)
    | (?<=\n)                                     # lines of tables, and paragraphs
    )\s*""",
    re.X,
)
# a full stop after one of these, after an initial, or after a number at the head of a line ends no sentence
_ABBREVIATED = re.compile(
    r"(?:(?:^|[\s(\[])(?:[A-Za-z]|[A-Z][a-z]?|al|approx|ca|cf|Ch|Co|Corp|Dr|ed|eds|e\.g|Eq|Eqs|et|etc|Fig|Figs|figs?|i\.e"
    r"|Inc|Jr|Ltd|Mr|Mrs|Ms|no|No|Nos|pp?|Prof|Ref|Refs|resp|Sec|Sect|Sr|St|Tab|Vol|vol|vs)|(?:^|\n)\s*\d{1,3})\.$"
)
_ABBREVIATION_LENGTH = 12  # characters looked back


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> list[int]:
    """Where sentences of `text[start:end]` end (exclusive, white space after them included); the last is `end`."""
    end = len(text) if end is None else end
    found: list[int] = []
    for match in _END.finditer(text, start, end):
        stop = match.end()
        if stop >= end:
            break
        if text[match.start()] == "." and not _ends_here(text, match.start() + 1, stop):
            continue
        if not between_clusters(text, stop):
            continue
        found.append(stop)
    if end > start:
        found.append(end)
    return found


def sentences(text: str) -> list[tuple[int, int]]:
    """Ranges `text[start:end]` of the sentences, in order, without the white space around them; none is empty.

    Every character that is not white space is in exactly one range. A line end parts sentences too: rows of a table
    and headings stand on lines of their own.
    """
    found: list[tuple[int, int]] = []
    start = 0
    for end in sentence_ends(text):
        part = text[start:end]
        left, right = len(part) - len(part.lstrip()), len(part.rstrip())
        if left < right:
            found.append((start + left, start + right))
        start = end
    return found


def _ends_here(text: str, dot: int, following: int) -> bool:
    """Whether the full stop before `dot` ends a sentence: no abbreviation, and no lower-case letter follows."""
    if text[following].islower():
        return False
    return not _ABBREVIATED.search(text[max(0, dot - _ABBREVIATION_LENGTH) : dot])
