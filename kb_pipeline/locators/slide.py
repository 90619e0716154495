"""Places on slides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import msgspec

from kb_pipeline.locators.boxes import box_around, part_of_box
from kb_pipeline.locators.place import Box, Place


class SlideLocator(Place, frozen=True, tag_field="kind", tag="slide"):
    """A shape on a slide, in points of the slide."""

    slide: int
    box: Box
    slide_size: tuple[float, float]
    start: int = 0
    end: int = 0

    def surface(self) -> tuple[object, ...]:
        return "slide", self.slide

    @classmethod
    def words(cls, places: Sequence[Self]) -> str:
        return f"slide {places[0].slide}"

    def joins(self, other: Self) -> bool:
        return self.slide == other.slide

    def around(self, other: Self) -> dict[str, object]:
        return {"box": box_around(self.box, other.box)}

    def part(self, text: str, start: int, end: int) -> Self:
        return msgspec.structs.replace(self, box=part_of_box(self.box, text, start, end))
