"""The cells of an HTML table."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from kb_pipeline.deepdoc.tables.grid import Cell

MOST_COLUMNS = 1000  # a span beyond it is a fault of the service
PARTING = ("br", "p", "div", "li", "tr", "td", "th", "caption")  # tags between two words
_TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z!?][^<>]*>", re.DOTALL)


@dataclass
class HtmlTable:
    """Cells in row order with their texts, and the text that stands outside of them, such as a caption."""

    cells: list[Cell] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    outside: str = ""


def read_table(source: str) -> HtmlTable:
    """The table in a piece of HTML; several tables in it follow each other. Broken HTML is read as far as it goes."""
    reader = _Reader()
    reader.feed(source)
    reader.close()
    table = HtmlTable(outside=" ".join("".join(reader.outside).split()))
    taken: set[tuple[int, int]] = set()
    for row, cells in enumerate(reader.rows):
        col = 0
        for cell in cells:
            while (row, col) in taken:
                col += 1
            rowspan = min(cell.rowspan, len(reader.rows) - row)
            colspan = 1
            while colspan < cell.colspan and (row, col + colspan) not in taken:
                colspan += 1
            taken |= {(row + r, col + k) for r in range(rowspan) for k in range(colspan)}
            table.cells.append(Cell(row, col, rowspan, colspan, cell.header))
            table.texts.append(" ".join("".join(cell.text).split()))
            col += colspan
    return table


def visible(source: str) -> str:
    """The text of a piece of HTML without its tags."""
    return html.unescape(_TAG.sub("", source))


@dataclass
class _Cell:
    header: bool
    rowspan: int
    colspan: int
    text: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    """Rows of cells; a table inside a cell is text of that cell."""

    CDATA_CONTENT_ELEMENTS = ()  # a stray <script> must not swallow the rest

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[_Cell]] = []
        self.outside: list[str] = []
        self._cell: _Cell | None = None
        self._depth = 0
        self._head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
        elif self._depth > 1:
            self.handle_data(" " if tag in PARTING else "")
        elif tag in ("thead", "tbody", "tfoot"):
            self._head, self._cell = tag == "thead", None
        elif tag == "tr":
            self.rows.append([])
            self._cell = None
        elif tag in ("td", "th"):
            given = dict(attrs)
            self.rows = self.rows or [[]]
            self._cell = _Cell(self._head or tag == "th", _span(given.get("rowspan")), _span(given.get("colspan")))
            self.rows[-1].append(self._cell)
        elif tag in PARTING:
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table" or tag in PARTING:
            self.handle_data(" ")
        if tag == "table":
            self._depth = max(self._depth - 1, 0)
            self._cell = self._cell if self._depth else None
        elif self._depth <= 1 and tag in ("td", "th", "tr", "thead", "tbody", "tfoot"):
            self._cell = None
            self._head = self._head and tag != "thead"

    def handle_data(self, data: str) -> None:
        (self._cell.text if self._cell else self.outside).append(data)


def _span(value: str | None) -> int:
    return min(max(int(value), 1), MOST_COLUMNS) if value and value.isdecimal() and len(value) < 10 else 1
