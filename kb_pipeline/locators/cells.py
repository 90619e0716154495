"""Places in spreadsheets, and cells in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from kb_pipeline.locators.place import Box, Place
from kb_pipeline.tables.ranges import CellRange, around, cell_range, range_around

NAMED = 3  # cells that are named one by one; more are named by the range around them


class CellLocator(Place, frozen=True, tag_field="kind", tag="cells"):
    """A cell range such as `B2:D9` of a sheet."""

    sheet: str
    range: str
    start: int = 0
    end: int = 0

    def surface(self) -> tuple[object, ...]:
        return "sheet", self.sheet

    @classmethod
    def words(cls, places: Sequence[Self]) -> str:
        return f"{places[0].sheet}!{cells_in_words([place.range for place in places])}"

    def joins(self, other: Self) -> bool:
        return self.sheet == other.sheet

    def around(self, other: Self) -> dict[str, object]:
        return {"range": range_around(self.range, other.range)}

    def cell_box(self) -> tuple[int, Box] | None:
        return grid_box(self.range)


def grid_box(name: str) -> tuple[int, Box] | None:
    """Page 1 and the box of a range in rows and columns; None where the name is none of a range."""
    found = cell_range(name)
    if found is None:
        return None
    return 1, (float(found.left), float(found.top), float(found.right + 1), float(found.bottom + 1))


def cells_in_words(references: Sequence[str]) -> str:
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
