"""Places in word processor documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from kb_pipeline.locators.cells import grid_box
from kb_pipeline.locators.lines import numbered_in_words
from kb_pipeline.locators.place import Box, Place
from kb_pipeline.tables.ranges import range_around


class ParagraphLocator(Place, frozen=True, tag_field="kind", tag="paragraphs"):
    """Paragraphs `first`…`last` (from 1) of a word processor document, under `heading_path`; those of tables and text
    boxes count where they stand. `range` is the cell range within its table (`B2:C2`), empty outside of tables."""

    first: int
    last: int
    heading_path: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    range: str = ""

    def surface(self) -> tuple[object, ...]:
        return "paragraphs", self.heading_path

    @classmethod
    def words(cls, places: Sequence[Self]) -> str:
        runs = [(place.first, place.last) for place in places]
        path = places[0].heading_path
        told = numbered_in_words("paragraph", runs, [place.range for place in places])
        return told + (f" ({' > '.join(path)})" if path else "")

    def joins(self, other: Self) -> bool:
        return self.heading_path == other.heading_path and bool(self.range) == bool(other.range)

    def around(self, other: Self) -> dict[str, object]:
        return {
            "first": min(self.first, other.first),
            "last": max(self.last, other.last),
            "range": range_around(self.range, other.range),
        }

    def cell_box(self) -> tuple[int, Box] | None:
        return grid_box(self.range)
