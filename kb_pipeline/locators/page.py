"""Places on pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import msgspec

from kb_pipeline.locators.boxes import box_around, part_of_box
from kb_pipeline.locators.place import Box, Place


class PageLocator(Place, frozen=True, tag_field="kind", tag="page"):
    """A place on a page of a PDF or picture; `start:end` is the range of the owner's text that it covers."""

    page: int
    box: Box
    page_size: tuple[float, float]
    start: int = 0
    end: int = 0

    def surface(self) -> tuple[object, ...]:
        return "page", self.page

    @classmethod
    def words(cls, places: Sequence[Self]) -> str:
        return f"page {places[0].page}"

    def joins(self, other: Self) -> bool:
        return self.page == other.page

    def around(self, other: Self) -> dict[str, object]:
        return {"box": box_around(self.box, other.box)}

    def part(self, text: str, start: int, end: int) -> Self:
        return msgspec.structs.replace(self, box=part_of_box(self.box, text, start, end))

    def cell_box(self) -> tuple[int, Box] | None:
        return self.page, self.box
