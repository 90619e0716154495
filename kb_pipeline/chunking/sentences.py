"""Sentence ends in Chinese and English text."""

from __future__ import annotations

import re

from kb_pipeline.chunking.graphemes import between_clusters

_CLOSING = r"[\"'”’」』》）)\]】]*"
_END = re.compile(
    rf"""(?:
      [。！？；…]+{_CLOSING}            # full-width stops end a sentence whatever follows
    | [.!?]+{_CLOSING}(?=\s)           # half-width stops only before white space: not in 3.14, v1.2, a.b
    | ;(?=\s)
    | \n
    )\s*""",
    re.X,
)
# words that end in a full stop inside a sentence
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:[A-Za-z]|[A-Z][a-z]?|al|approx|ca|cf|Ch|Co|Corp|Dr|ed|eds|e\.g|Eq|Eqs|et|etc|Fig|Figs|figs?|i\.e|Inc"
    r"|Jr|Ltd|Mr|Mrs|Ms|no|No|Nos|pp?|Prof|Ref|Refs|resp|Sec|Sect|Sr|St|Tab|Vol|vol|vs)\.$"
)


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


def _ends_here(text: str, dot: int, following: int) -> bool:
    """Whether the full stop before `dot` ends a sentence: no abbreviation, and no lower-case letter follows."""
    return not text[following].islower() and not _ABBREVIATION.search(text, max(0, dot - 8), dot)
