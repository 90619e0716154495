"""Quotes: found in a chunk's text whatever the white space, and mapped to the places that they cover."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import msgspec

from kb_pipeline.records import Box, Locator, PageLocator, SlideLocator

# A box is one line of text if its short side is at most this many times the side of the square that each of its
# characters gets: 1.1 for one line of Chinese, 1.6 for one of English, 2.2 and more for two lines of either.
ONE_LINE = 1.9


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
    changes: dict[str, object] = {"start": start - origin, "end": end - origin}
    if isinstance(place, PageLocator | SlideLocator) and (start, end) != (first, last):
        changes["box"] = _part_of_box(place.box, text[first:last], start - first, end - first)
    return msgspec.structs.replace(place, **changes)


def _part_of_box(box: Box, line: str, start: int, end: int) -> Box:
    x0, top, x1, bottom = box
    width, height = x1 - x0, bottom - top
    total = _advance(line)
    if width <= 0 or height <= 0 or not total:
        return box
    before, after = _advance(line[:start]) / total, _advance(line[:end]) / total
    side = (width * height / len(line)) ** 0.5
    if height <= ONE_LINE * side:
        return (x0 + before * width, top, x0 + after * width, bottom)
    if width <= ONE_LINE * side and height > width:  # vertical text
        return (x0, top + before * height, x1, top + after * height)
    return box


def _advance(text: str) -> float:
    """Width of a text in half-width characters, as type is set without knowing the font."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
