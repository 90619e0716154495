"""The text of a section out of its pieces, with the locators' ranges and the count of source characters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from kb_pipeline.deepdoc.assembly.drafts import DROP_CAP, Line, Row, characters, is_drop_cap
from kb_pipeline.records import Dropped, PageLocator, TableCell, TableGrid, on_pages
from kb_pipeline.text.drop_reasons import LINE_END_HYPHEN
from kb_pipeline.text.joining import hyphen, separator

CELL = " | "
ROW = "\n"
TOUCHING = 0.1  # type sizes between two segments of one word at most
CHARACTER = 0.6  # type sizes that a character of a listing is wide


@dataclass
class Text:
    """Text that grows piece by piece. `count`: non-space characters of the source, what assembly added left out."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    count: int = 0
    locators: list[PageLocator] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    @property
    def value(self) -> str:
        return "".join(self.pieces)

    def add(self, text: str) -> int:
        """Append source text; returns where it starts."""
        start = self.length
        self.pieces.append(text)
        self.length += len(text)
        self.count += characters(text)
        return start

    def separate(self, text: str) -> None:
        """Append what is not in the source."""
        self.pieces.append(text)
        self.length += len(text)

    def add_line(self, line: Line, text: str) -> None:
        start = self.add(text)
        self.locators.append(line.locator(start, self.length))

    def break_row(self) -> None:
        if self.length:
            self.separate(ROW)


def add_paragraph(text: Text, rows: Sequence[Row], vocabulary: Collection[str], keep: Collection[str]) -> None:
    """Append rows as one paragraph: hyphens at line ends rejoined, Chinese lines joined without a space."""
    flat = [(line, row) for row in rows for line in row.lines]
    for i, (line, row) in enumerate(flat):
        following = flat[i + 1] if i + 1 < len(flat) else None
        if following is None:
            text.add_line(line, line.text)
        elif following[1] is row:
            text.add_line(line, line.text)
            text.separate("" if _touches(line, following[0]) else " ")
        else:
            _add_before_break(text, line, following[0].text, vocabulary, keep)


def _touches(line: Line, following: Line) -> bool:
    """Whether two segments of a row are one word: a drop cap and what it begins, or print without a gap between."""
    if is_drop_cap(line) and line.size >= DROP_CAP * following.size and following.text[0].isalpha():
        return True
    return not (line.ocr or following.ocr) and abs(following.box[0] - line.box[2]) < TOUCHING * following.size


def _add_before_break(text: Text, line: Line, after: str, vocabulary: Collection[str], keep: Collection[str]) -> None:
    verdict = hyphen(line.text, after, vocabulary)
    if verdict == "drop" and LINE_END_HYPHEN not in keep:
        text.add_line(line, line.text[:-1])
        text.dropped.append(Dropped(line.text[-1], LINE_END_HYPHEN, (line.locator(0, 1),)))
    else:
        text.add_line(line, line.text)
        if not verdict:
            text.separate(separator(line.text, after))


def add_rows(text: Text, rows: Sequence[Row]) -> None:
    """Append rows each on a line of its own, segments parted by spaces: labels inside figures, formulas."""
    for row in rows:
        text.break_row()
        for i, line in enumerate(row.lines):
            if i:
                text.separate(" ")
            text.add_line(line, line.text)


def add_listing(text: Text, rows: Sequence[Row]) -> None:
    """Append the rows of a program, each on a line of its own and indented as it stands on the page."""
    left = min(row.box[0] for row in rows)
    for row in rows:
        text.break_row()
        text.separate(" " * round((row.box[0] - left) / (CHARACTER * row.size)))
        for i, line in enumerate(row.lines):
            if i:
                text.separate(" ")
            text.add_line(line, line.text)


def add_grid(text: Text, grid: TableGrid, page_size: tuple[float, float]) -> None:
    """Append a table's readable form: rows on lines, cells parted by ` | `, every cell with its own place."""
    for cells in grid_rows(grid.cells):
        text.break_row()
        for i, cell in enumerate(cells):
            if i:
                text.separate(CELL)
            start = text.add(flat(cell.text))
            if text.length > start:
                text.locators += _cell_locators(cell, start, grid, page_size)


def grid_rows(cells: Sequence[TableCell]) -> list[list[TableCell]]:
    """Cells by their first row and column; rows without any text left out."""
    rows: dict[int, list[TableCell]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.col)):
        rows.setdefault(cell.row, []).append(cell)
    return [row for row in rows.values() if any(cell.text.strip() for cell in row)]


def flat(text: str) -> str:
    """Cell text on one line, character for character."""
    return "".join(" " if c in "\n\r\t\v\f\x1c\x1d\x1e\x85\u2028\u2029" else c for c in text)


def _cell_locators(cell: TableCell, start: int, grid: TableGrid, page_size: tuple[float, float]) -> list[PageLocator]:
    """A cell's places with ranges of the table's text; a place without a range covers the whole cell."""
    length = len(cell.text)
    found = []
    for place in on_pages(cell.locators):
        first, last = (place.start, min(place.end, length)) if place.end > place.start else (0, length)
        found.append(PageLocator(place.page, place.box, place.page_size, start + first, start + last))
    return found or [PageLocator(grid.page, grid.box, page_size, start, start + length)]
