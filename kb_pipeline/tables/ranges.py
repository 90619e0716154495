"""Cell ranges as they are written: `B2`, `B2:D9`."""

from __future__ import annotations

import re
from typing import NamedTuple

_REFERENCE = re.compile(r"([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?")


class CellRange(NamedTuple):
    """Rows and columns of a range, from 1, last ones included."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def name(self) -> str:
        """As it is written."""
        first = f"{column_name(self.left)}{self.top}"
        one = (self.top, self.left) == (self.bottom, self.right)
        return first if one else f"{first}:{column_name(self.right)}{self.bottom}"


def cell_range(name: str) -> CellRange | None:
    """The range that a name stands for; None for anything else."""
    match = _REFERENCE.fullmatch(name)
    if not match:
        return None
    left, top = column_number(match[1]), int(match[2])
    return CellRange(top, left, int(match[4] or top), column_number(match[3] or match[1]))


def around(*ranges: CellRange) -> CellRange:
    """The range around several."""
    tops, lefts, bottoms, rights = zip(*ranges, strict=True)
    return CellRange(min(tops), min(lefts), max(bottoms), max(rights))


def range_around(*names: str) -> str:
    """The name of the range around several; empty where one of them names none."""
    found = [one for name in names if (one := cell_range(name))]
    return around(*found).name if len(found) == len(names) else ""


def column_number(letters: str) -> int:
    """1 for A, 27 for AA."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def column_name(number: int) -> str:
    """A for 1, AA for 27."""
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(65 + rest) + name
    return name
