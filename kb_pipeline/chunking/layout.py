"""Where the cells of a table stand in its text: caption first, rows on lines, cells parted by ` | `."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from kb_pipeline.records import Section, TableCell

CELL = " | "


@dataclass(frozen=True)
class Placed:
    """A cell and its range `start:end` of the section's text."""

    cell: TableCell
    start: int
    end: int


@dataclass(frozen=True)
class Row:
    """A row `start:end` of the section's text; `cells` are those that begin in it, none where they are not known."""

    start: int
    end: int
    cells: tuple[Placed, ...] = ()


@dataclass(frozen=True)
class TableText:
    """`caption`: range of the caption, or none. `head`: rows that name the columns. `body`: the other rows."""

    caption: tuple[int, int] | None
    head: tuple[Row, ...]
    body: tuple[Row, ...]

    @cached_property
    def tall(self) -> list[Placed]:
        """Cells of the body that go on into later rows."""
        return [placed for row in self.body for placed in row.cells if placed.cell.rowspan > 1]

    def headers_of(self, cell: TableCell) -> list[Placed]:
        """Header cells above a cell, outermost first."""
        first, last = cell.col, cell.col + cell.colspan
        return [
            placed
            for row in self.head
            for placed in row.cells
            if placed.cell.text.strip() and placed.cell.col < last and first < placed.cell.col + placed.cell.colspan
        ]


def table_text(section: Section) -> TableText:
    """The rows of a table's text. Where its cells are not found in it, its lines are the rows, and there is no head."""
    text = section.text
    begin = len(section.caption) if section.caption and text.startswith(section.caption) else 0
    caption = (0, begin) if begin else None
    rows = _aligned(section, begin)
    if rows is None:
        return TableText(caption, (), tuple(_lines(text, begin)))
    head = _head_rows(rows)
    return TableText(caption, tuple(rows[:head]), tuple(rows[head:]))


def _aligned(section: Section, at: int) -> list[Row] | None:
    """Rows with their cells, found one after the other in the text; None where it holds anything else."""
    text, found = section.text, []
    by_row: dict[int, list[TableCell]] = {}
    for cell in sorted(section.cells, key=lambda cell: (cell.row, cell.col)):
        by_row.setdefault(cell.row, []).append(cell)
    for cells in by_row.values():
        if not any(cell.text.strip() for cell in cells):
            line = CELL.join(cell.text for cell in cells)
            line = "\n" + line if at else line
            if text.startswith(line, at) and text[at + len(line) : at + 1 + len(line)] in ("", "\n"):
                at += len(line)
            continue
        while text[at : at + 1] == "\n":
            at += 1
        start, placed = at, []
        for i, cell in enumerate(cells):
            if i:
                if not text.startswith(CELL, at):
                    return None
                at += len(CELL)
            if "".join(text[at : at + len(cell.text)].split()) != "".join(cell.text.split()):
                return None
            placed.append(Placed(cell, at, at + len(cell.text)))
            at += len(cell.text)
        found.append(Row(start, at, tuple(placed)))
    return found if found and not text[at:].strip() else None


def _lines(text: str, at: int) -> list[Row]:
    found = []
    for line in text[at:].split("\n"):
        if line.strip():
            found.append(Row(at, at + len(line)))
        at += len(line) + 1
    return found


def _head_rows(rows: list[Row]) -> int:
    """How many rows at the top name columns: all their cells are headers, or they lie beside a header cell that began
    above. None where all rows would."""
    reach = 0
    for count, row in enumerate(rows):
        filled = [placed.cell for placed in row.cells if placed.cell.text.strip()]
        if row.cells[0].cell.row >= reach and not all(cell.header for cell in filled):
            return count
        reach = max([reach, *(cell.row + cell.rowspan for cell in filled if cell.header)])
    return 0
