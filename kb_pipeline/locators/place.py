"""What a place in a document can do, whatever kind of document it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import msgspec

Box = tuple[float, float, float, float]


class Place(msgspec.Struct, frozen=True):
    """Base of the locators. Each has `start` and `end` besides: the range of the owner's text that it covers.

    What is given beside it is always of its own kind (`Any`, since a subclass may not ask for less than its base).
    """

    def surface(self) -> tuple[object, ...]:
        """What places share that are told in one phrase, such as their page."""
        raise NotImplementedError

    @classmethod
    def words(cls, places: Sequence[Any]) -> str:
        """Places on one surface in words, such as `lines 2-4`."""
        raise NotImplementedError

    def joins(self, other: Any) -> bool:
        """Whether one place can stand for this and the next one, where an index has no room for both."""
        return False

    def around(self, other: Any) -> dict[str, object]:
        """The fields of that one place, its `start` and `end` aside."""
        raise NotImplementedError

    def part(self, text: str, start: int, end: int) -> Self:
        """The place of `text[start:end]` where this is the place of `text`; the whole where a part has none."""
        return self

    def cell_box(self) -> tuple[int, Box] | None:
        """Where a table's cell lies among the others: page and box, or a box in rows and columns of its grid; None
        where the place is no cell's."""
        return None
