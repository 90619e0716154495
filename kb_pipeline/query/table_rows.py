"""Rows of tables as statements: every value under its column's header, whatever cells are merged.

A table's text holds rows on lines and cells parted by ` | `, its caption first. What a row says is only known together
with the header cells above it, and with a merged cell that began in a row before. Both are found by the boxes of the
cells where these are known (a header stands above a cell whose middle it spans), else by the order of the cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb_pipeline.records import Box, Hit, crumb_line

CELL_BREAK = " | "
MAX_HEADER_ROWS = 3
_FIGURE = re.compile(r"[-+–−~≈<>≤≥()（）\s]*\d[\d.,%‰°'′″\s~～–−±×/()（）+-]*")


@dataclass(frozen=True)
class TableCell:
    """A cell: its text, its range of the hit's text, its page and box where these are known.

    Cells of a sheet, a CSV file or a Word table have their columns and rows as their box, on page 1.
    """

    text: str
    start: int
    end: int
    page: int = 0
    box: Box | None = None


@dataclass(frozen=True)
class TableRow:
    """A row `text[start:end]` of a hit; `cells` are its own and those merged into it, `headers` one per cell."""

    start: int
    end: int
    caption: str
    cells: tuple[TableCell, ...]
    headers: tuple[str, ...]

    @property
    def statement(self) -> str:
        """The row in words: caption, then each value after its header."""
        pairs = zip(self.headers, self.cells, strict=True)
        said = "; ".join(f"{header}: {cell.text}" if header else cell.text for header, cell in pairs if cell.text)
        return f"{self.caption}\n{said}" if self.caption else said


def table_rows(hit: Hit) -> list[TableRow]:
    """Rows of a hit that is a table, in order, without caption and header rows; none where it holds no rows."""
    lines = [line for line in _lines(hit) if line[0].start >= headings_end(hit)]
    first = next((i for i, cells in enumerate(lines) if len(cells) > 1), len(lines))
    caption = " ".join(cells[0].text for cells in lines[:first] if cells)
    body = lines[first:]
    head = _header_rows(body)
    found = []
    for place, cells in enumerate(body[head:], head):
        own = [cell for cell in cells if cell.text]
        if not own:
            continue
        merged = [cell for before in body[head:place] for cell in before if _reaches(cell, own[0])]
        every = tuple(merged + own)
        headers = tuple(_header(cell, cells, body[:head]) for cell in every)
        found.append(TableRow(own[0].start, own[-1].end, caption, every, headers))
    return found


def headings_end(hit: Hit) -> int:
    """Where a hit's own text begins, below a line of its headings (`[第一章] > [第二节]`, chunk mode manual)."""
    line = crumb_line(hit.breadcrumb)
    return len(line) + 1 if line and hit.text.startswith(f"{line}\n") else 0


def _lines(hit: Hit) -> list[list[TableCell]]:
    places: dict[int, tuple[int, Box]] = {}
    for place in hit.locators:
        box = place.cell_box()
        if box and place.end > place.start:
            places.setdefault(place.start, box)
    found, start = [], 0
    for line in hit.text.split("\n"):
        cells, at = [], start
        bare = line
        if line.startswith("| "):  # an empty first cell whose white space was trimmed
            cells.append(TableCell("", start, start))
            at, bare = start + 2, line[2:]
        for text in bare.removesuffix(" |").split(CELL_BREAK):
            begin = at + len(text) - len(text.lstrip())
            end = max(begin, at + len(text.rstrip()))
            place = places.get(begin)
            cells.append(TableCell(text.strip(), begin, end, *(place or (0, None))))
            at += len(text) + len(CELL_BREAK)
        if line.strip():
            found.append(cells)
        start += len(line) + 1
    return found


def _header_rows(rows: Sequence[Sequence[TableCell]]) -> int:
    """Rows before the first one with a figure in a cell, or with one filled cell only; one at least and not all. In a
    table of words alone the first row names the columns."""
    if len(rows) < 2:
        return 0
    limit = min(len(rows) - 1, MAX_HEADER_ROWS)
    head = next((i for i, cells in enumerate(rows[:limit]) if not _names_columns(cells)), limit)
    worded = head == limit and _names_columns(rows[limit])
    return 1 if worded else max(1, head)


def _names_columns(cells: Sequence[TableCell]) -> bool:
    filled = [cell.text for cell in cells if cell.text]
    return len(filled) > 1 and not any(_FIGURE.fullmatch(text) for text in filled)


def _header(cell: TableCell, row: Sequence[TableCell], head: Sequence[Sequence[TableCell]]) -> str:
    """Texts of the header cells above a cell, outermost first."""
    if cell.box is not None:
        above = [h for cells in head for h in cells if h.text and _spans(h, cell)]
    else:
        position = next((i for i, one in enumerate(row) if one is cell), -1)
        above = [cells[position] for cells in head if position >= 0 and len(cells) == len(row)]
    return " ".join(dict.fromkeys(h.text for h in above if h.text))


def _spans(header: TableCell, cell: TableCell) -> bool:
    """Whether a header cell stands above the middle of a cell, on its page or repeated on a later one."""
    if header.box is None or cell.box is None:
        return False
    (left, _, right, _), (x0, _, x1, _) = header.box, cell.box
    middle = (x0 + x1) / 2
    return left <= middle <= right or (x0 <= (left + right) / 2 <= x1)


def _reaches(before: TableCell, cell: TableCell) -> bool:
    """Whether a cell of an earlier row goes on down to the row of another cell."""
    if not before.text or before.box is None or cell.box is None or before.page != cell.page:
        return False
    return before.box[1] < (cell.box[1] + cell.box[3]) / 2 < before.box[3]
