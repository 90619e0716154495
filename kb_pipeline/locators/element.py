"""Places in web pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from kb_pipeline.locators.place import Place


class ElementLocator(Place, frozen=True, tag_field="kind", tag="element"):
    """An element of a web page, by its path from the root, under `heading_path`."""

    path: str
    heading_path: tuple[str, ...] = ()
    start: int = 0
    end: int = 0

    def surface(self) -> tuple[object, ...]:
        return "element", self.path

    @classmethod
    def words(cls, places: Sequence[Self]) -> str:
        return places[0].path
