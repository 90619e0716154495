"""Children of a chunk: pieces between delimiters, which are found in its stead."""

from __future__ import annotations

import re

import msgspec

from kb_pipeline.records import Chunk


def pieces(text: str, delimiters: tuple[str, ...]) -> list[tuple[int, int]]:
    """Ranges of a text between delimiters, without white space around them; a delimiter stays with what it ends."""
    found, start = [], 0
    pattern = re.compile("|".join(re.escape(d) for d in sorted(delimiters, key=len, reverse=True)))
    for end in (*(match.end() for match in pattern.finditer(text)), len(text)):
        piece = text[start:end]
        left, right = len(piece) - len(piece.lstrip()), len(piece.rstrip())
        if left < right:
            found.append((start + left, start + right))
        start = end
    return found


def child(parent: Chunk, start: int, end: int) -> Chunk:
    """The piece `text[start:end]` of a chunk with its places; its ordinal and tokens are not set yet."""
    locators = [
        msgspec.structs.replace(place, start=max(place.start, start) - start, end=min(place.end, end) - start)
        for place in parent.locators
        if place.start < end and start < place.end
    ]
    return msgspec.structs.replace(
        parent, text=parent.text[start:end], locators=tuple(locators), added=(), parent=parent.ordinal
    )
