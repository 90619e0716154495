"""What the readers of XLSX and XLS give alike: a workbook's sheets with their cells as they are shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

MAX_CELLS = 1_000_000  # of a workbook: some 500 bytes each while it is read
Span = tuple[int, int, int, int]  # first row, first column, last row, last column, all from 0


class Shown(NamedTuple):
    """A cell as it is shown. `figure`: its value is a number or date."""

    text: str
    figure: bool = False
    bold: bool = False
    ground: bool = False


@dataclass
class Picture:
    """A picture or chart placed on a sheet: the cells it lies over, its bytes and their file ending, its alt text."""

    place: Span
    data: bytes = b""
    ending: str = ""
    text: str = ""


@dataclass
class Sheet:
    """One sheet. Rows and columns count from 0.

    Attributes:
        cells: those with text, by (row, column).
        framed: cells with a border or ground and no text, which hold a table together.
        tables: ranges that the workbook itself declares as tables, with the number of their header rows.
        hidden_values: numbers that their format does not show, by cell.
        struck: text that is struck out, by cell; it is in no cell's text.
        comments: text by cell.  links: address by cell.
        filtered: rows that only a filter hides; they are data like any other.
    """

    name: str
    hidden: bool = False
    cells: dict[tuple[int, int], Shown] = field(default_factory=dict)
    framed: set[tuple[int, int]] = field(default_factory=set)
    merged: list[Span] = field(default_factory=list)
    tables: list[tuple[Span, int]] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    hidden_values: dict[tuple[int, int], str] = field(default_factory=dict)
    struck: dict[tuple[int, int], str] = field(default_factory=dict)
    comments: dict[tuple[int, int], str] = field(default_factory=dict)
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    pictures: list[Picture] = field(default_factory=list)
    uncounted: int = 0  # formulas without a stored value
