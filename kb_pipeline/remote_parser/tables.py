"""The cells of an HTML table."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb_pipeline.deepdoc.tables.grid import Cell

MAX_COLUMNS = 1000  # a span beyond it is a fault of the service
PARTING = ("br", "p", "div", "li", "table", "tr", "td", "th", "caption")  # tags between two words

# A tag of this very form, so that every other "<" is text: what a service writes is no careful HTML, and no character
# of it may be lost.
_TAG = re.compile(r"<!--.*?-->|<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]*)(?P<given>[^<>]*)>", re.DOTALL)
_SPAN = re.compile(r"""\b(rowspan|colspan)\s*=\s*["']?\s*([0-9]{1,9})\b""", re.I)


@dataclass
class HtmlTable:
    """Cells in row order with their texts, and the text that stands outside of them, such as a caption."""

    cells: list[Cell] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    outside: str = ""


def read_table(source: str) -> HtmlTable:
    """The table in a piece of HTML; several tables in it follow each other. Broken HTML is read as far as it goes."""
    reader = _Reader(source)
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
    return "".join(token for token in _tokens(source) if isinstance(token, str))


def _tokens(source: str) -> Iterator[str | re.Match[str]]:
    """Text, its entities resolved, and tags, in order."""
    at = 0
    for tag in _TAG.finditer(source):
        yield html.unescape(source[at : tag.start()])
        yield tag
        at = tag.end()
    yield html.unescape(source[at:])


@dataclass
class _Cell:
    header: bool
    rowspan: int
    colspan: int
    text: list[str] = field(default_factory=list)


class _Reader:
    """Rows of cells; a table inside a cell is text of that cell."""

    def __init__(self, source: str) -> None:
        self.rows: list[list[_Cell]] = []
        self.outside: list[str] = []
        self._cell: _Cell | None = None
        self._depth = 0
        self._head = False
        for token in _tokens(source):
            if isinstance(token, str):
                self._add(token)
            elif token["name"]:
                name = token["name"].lower()
                if name in PARTING:
                    self._add(" ")
                if token["end"]:
                    self._close(name)
                else:
                    self._open(name, token["given"])

    def _add(self, text: str) -> None:
        (self._cell.text if self._cell else self.outside).append(text)

    def _open(self, name: str, given: str) -> None:
        if name == "table":
            self._depth += 1
        elif self._depth > 1:
            return
        elif name in ("thead", "tbody", "tfoot"):
            self._head, self._cell = name == "thead", None
        elif name == "tr":
            self.rows.append([])
            self._cell = None
        elif name in ("td", "th"):
            self.rows = self.rows or [[]]
            spans = {key.lower(): min(max(int(value), 1), MAX_COLUMNS) for key, value in _SPAN.findall(given)}
            self._cell = _Cell(self._head or name == "th", spans.get("rowspan", 1), spans.get("colspan", 1))
            self.rows[-1].append(self._cell)

    def _close(self, name: str) -> None:
        if name == "table":
            self._depth = max(self._depth - 1, 0)
            self._cell = self._cell if self._depth else None
        elif self._depth <= 1 and name in ("td", "th", "tr", "thead", "tbody", "tfoot"):
            self._cell = None
            self._head = self._head and name != "thead"
