"""Locators and lists as JSON fields of a row: objects `{"l": […]}` of limited size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kb_pipeline.records import Locator, encode


def stored_locators(locators: Sequence[Locator], limit: int) -> dict[str, Any]:
    """`{"l": [locator, …]}` of at most `limit` bytes of JSON.

    Where there are too many (a table of hundreds of cells), neighbours on the same page or slide become one box around
    both, those of one sheet or table one range, paragraphs and lines one run, over and over; what cannot be joined is
    then cut at the end.
    """
    while _size(locators) > limit:
        joined = _neighbours_joined(locators)
        locators = joined if len(joined) < len(locators) else locators[: len(locators) * 3 // 4]
    return {"l": msgspec.to_builtins(list(locators))}


def read_locators(field: dict[str, Any]) -> tuple[Locator, ...]:
    """The locators that `stored_locators` stored."""
    return msgspec.convert(field["l"], tuple[Locator, ...])


def stored_list(texts: Sequence[str], limit: int) -> dict[str, Any]:
    """`{"l": [text, …]}` of at most `limit` bytes of JSON; outermost headings are left out first."""
    while _size(texts) > limit:
        texts = texts[1:]
    return {"l": list(texts)}


def _size(items: Sequence[Any]) -> int:
    return len(encode(list(items))) + len('{"l":}')


def _neighbours_joined(locators: Sequence[Locator]) -> list[Locator]:
    found: list[Locator] = []
    fresh = False  # whether the last one may still take its neighbour
    for place in locators:
        if fresh and _same_surface(found[-1], place):
            found[-1] = _around(found[-1], place)
            fresh = False
        else:
            found.append(place)
            fresh = True
    return found


def _same_surface(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a.joins(b)


def _around(a: Any, b: Any) -> Locator:
    """The place around two of one kind."""
    return msgspec.structs.replace(a, **a.around(b), start=min(a.start, b.start), end=max(a.end, b.end))
