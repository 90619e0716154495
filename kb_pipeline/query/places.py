"""Places in words: page, sheet and cells, paragraphs under their headings, lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kb_pipeline.records import (
    CellLocator,
    ElementLocator,
    LineLocator,
    Locator,
    PageLocator,
    ParagraphLocator,
    SlideLocator,
)
from kb_pipeline.tables.ranges import CellRange, around, cell_range

NAMED = 3  # cells that are named one by one; more are named by the range around them


def in_words(locators: Iterable[Locator]) -> str:
    """Places in reading order, each once, neighbours as one."""
    groups: dict[tuple[object, ...], list[Locator]] = {}
    for place in locators:
        groups.setdefault(_surface(place), []).append(place)
    return ", ".join(_group(places) for places in groups.values())


def _surface(place: Locator) -> tuple[object, ...]:
    """What places that are told together share."""
    match place:
        case PageLocator():
            return "page", place.page
        case CellLocator():
            return "sheet", place.sheet
        case SlideLocator():
            return "slide", place.slide
        case ParagraphLocator():
            return "paragraphs", place.heading_path
        case LineLocator():
            return ("lines",)
        case ElementLocator():
            return "element", place.path


def _group(places: Sequence[Locator]) -> str:
    match places[0]:
        case PageLocator(page=page):
            return f"page {page}"
        case SlideLocator(slide=slide):
            return f"slide {slide}"
        case CellLocator(sheet=sheet):
            return f"{sheet}!{_cells([place.range for place in places if isinstance(place, CellLocator)])}"
        case ElementLocator(path=path):
            return path
        case LineLocator():
            return _numbered("line", [place for place in places if isinstance(place, LineLocator)])
        case ParagraphLocator(heading_path=path):
            paragraphs = [place for place in places if isinstance(place, ParagraphLocator)]
            return _numbered("paragraph", paragraphs) + (f" ({' > '.join(path)})" if path else "")


def _numbered(noun: str, places: Sequence[LineLocator | ParagraphLocator]) -> str:
    """`line 5, cell C5`, `lines 2-4, 9-10`."""
    spans: list[list[int]] = []
    for first, last in sorted((place.first, place.last) for place in places):
        if spans and first <= spans[-1][1] + 1:
            spans[-1][1] = max(spans[-1][1], last)
        else:
            spans.append([first, last])
    one = len(spans) == 1 and spans[0][0] == spans[0][1]
    numbers = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
    ranges = [place.range for place in places if place.range]
    cells = _cells(ranges) if len(ranges) == len(places) else ""
    several = ":" in cells or "," in cells
    return f"{noun}{'' if one else 's'} {numbers}" + (f", cell{'s' * several} {cells}" if cells else "")


def _cells(references: Sequence[str]) -> str:
    """Some cells by name, many by the ranges around those that lie close together."""
    names = list(dict.fromkeys(references))
    ranges = [found for name in names if (found := cell_range(name))]
    if len(names) <= NAMED or len(ranges) < len(names):
        return ", ".join(names)
    blocks: list[CellRange] = []
    for one in sorted(ranges):
        last = blocks[-1] if blocks else None
        if last and one.top <= last.bottom + 1:
            blocks[-1] = around(last, one)
        else:
            blocks.append(one)
    return ", ".join(block.name for block in blocks)
