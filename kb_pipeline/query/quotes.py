"""Quotes: found in a chunk's text whatever the white space, and mapped to the places that they cover."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kb_pipeline.records import Locator


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Range of the first occurrence of `quote` in `text`, white space aside; None where there is none.

    A quote of nothing but white space occurs nowhere.
    """
    wanted = "".join(quote.split())
    if not wanted:
        return None
    places = [i for i, c in enumerate(text) if not c.isspace()]
    at = "".join(text[i] for i in places).find(wanted)
    return (places[at], places[at + len(wanted) - 1] + 1) if at >= 0 else None


def places_of(text: str, locators: Sequence[Locator], start: int, end: int) -> tuple[Locator, ...]:
    """Where `text[start:end]` of a chunk stands; ranges of the result are ranges of that part.

    Boxes of one line are cut to the part's share of the line; boxes of several lines stay whole. Locators of other
    kinds stay whole. A locator without a range (`0:0`) is the place of the whole (a table, a figure): beside others it
    is given only where no place of the part itself is known. Where there is none either (text repeated from the chunk
    before, without a place of its own), all locators of the chunk are returned.
    """
    ranged = [place for place in locators if place.end > place.start]
    if not ranged:
        return tuple(_cut(text, place, 0, len(text), start, end, start) for place in locators)
    found = [
        _cut(text, place, place.start, place.end, max(place.start, start), min(place.end, end), start)
        for place in ranged
        if max(place.start, start) < min(place.end, end)
    ]
    if not found:
        whole = [place for place in locators if place.end <= place.start]
        return tuple(msgspec.structs.replace(place, start=0, end=end - start) for place in whole or locators)
    return tuple(found)


def _cut(text: str, place: Locator, first: int, last: int, start: int, end: int, origin: int) -> Locator:
    """The part `start:end` of a locator that covers `first:last`."""
    part = place if (start, end) == (first, last) else place.part(text[first:last], start - first, end - first)
    return msgspec.structs.replace(part, start=start - origin, end=end - origin)
