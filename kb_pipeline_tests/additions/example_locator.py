"""A locator: seconds of a film."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from kb_pipeline.locators.place import Place


class TimeLocator(Place, frozen=True, tag_field="kind", tag="time"):
    """From one second of a film to another."""

    first: float
    last: float
    start: int = 0
    end: int = 0

    def surface(self) -> tuple[object, ...]:
        return ("time",)

    @classmethod
    def words(cls, places: Sequence[Self]) -> str:
        return f"seconds {min(place.first for place in places):g}-{max(place.last for place in places):g}"

    def joins(self, other: Self) -> bool:
        return True

    def around(self, other: Self) -> dict[str, object]:
        return {"first": min(self.first, other.first), "last": max(self.last, other.last)}
