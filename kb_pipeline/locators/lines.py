"""Places in text files, and what is numbered in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from kb_pipeline.locators.cells import cells_in_words, grid_box
from kb_pipeline.locators.place import Box, Place
from kb_pipeline.tables.ranges import range_around


class LineLocator(Place, frozen=True, tag_field="kind", tag="lines"):
    """Lines `first`…`last` (from 1) of a text file; `range` is the cell range in a CSV file as a sheet would show it,
    such as `C5`, empty in all else."""

    first: int
    last: int
    start: int = 0
    end: int = 0
    range: str = ""

    def surface(self) -> tuple[object, ...]:
        return ("lines",)

    @classmethod
    def words(cls, places: Sequence[Self]) -> str:
        return numbered_in_words("line", [(place.first, place.last) for place in places], [p.range for p in places])

    def joins(self, other: Self) -> bool:
        return bool(self.range) == bool(other.range)

    def around(self, other: Self) -> dict[str, object]:
        return {
            "first": min(self.first, other.first),
            "last": max(self.last, other.last),
            "range": range_around(self.range, other.range),
        }

    def cell_box(self) -> tuple[int, Box] | None:
        return grid_box(self.range)


def numbered_in_words(noun: str, runs: Sequence[tuple[int, int]], ranges: Sequence[str]) -> str:
    """`line 5, cell C5`, `lines 2-4, 9-10`; cells are named where every run has some."""
    spans: list[list[int]] = []
    for first, last in sorted(runs):
        if spans and first <= spans[-1][1] + 1:
            spans[-1][1] = max(spans[-1][1], last)
        else:
            spans.append([first, last])
    one = len(spans) == 1 and spans[0][0] == spans[0][1]
    numbers = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
    cells = cells_in_words(ranges) if all(ranges) else ""
    several = ":" in cells or "," in cells
    return f"{noun}{'' if one else 's'} {numbers}" + (f", cell{'s' * several} {cells}" if cells else "")
