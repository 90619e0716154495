"""Blocks of HTML in a Markdown file: paragraphs, headings, pictures and tables."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from kb_pipeline.formats.markdown.inline import SCRIPTS, STRIKES
from kb_pipeline.formats.markdown.markup import PHRASES, Bit, alternative, bits, spans
from kb_pipeline.formats.markdown.source import Piece, Place, Run, Source
from kb_pipeline.records import LineLocator, TableCell
from kb_pipeline.text.drop_reasons import COMMENT, HIDDEN_TEXT, HTML_TAG, STRUCK

MAX_COLUMNS = 1_000  # of a table
MAX_ROWS = 65_534  # that one cell may span
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
SILENT = ("script", "style", "template")


@dataclass
class _Cell:
    header: bool
    rowspan: int
    colspan: int
    pieces: list[Piece] = field(default_factory=list)


class HtmlBlocks:
    """Sections of the blocks that are added one after the other."""

    def __init__(self, source: Source, keep: Collection[str]):
        self.source, self.keep = source, keep
        self.pieces: list[Piece] = []
        self.level, self.struck, self.script, self.silent = 0, 0, "", ""
        self.depth = 0  # of tables
        self.head = False
        self.rows: list[list[_Cell]] = []
        self.cell: _Cell | None = None

    @property
    def in_table(self) -> bool:
        return self.depth > 0

    def add(self, place: Place, content: str) -> None:
        """A block's content."""
        for bit in bits(content):
            if bit.kind == "tag":
                self._put(place, Run(bit.start, bit.end, "", HTML_TAG))
                self._tag(bit, place, content)
            elif bit.kind == "comment":
                self._drop(place, bit.start + 4, max(bit.start + 4, bit.end - 3), bit.text, COMMENT)
            elif self.silent:
                self._drop(place, bit.start, bit.end, bit.text, HIDDEN_TEXT)
            elif self.struck:
                self._drop(place, bit.start, bit.end, bit.text, STRUCK)
            else:
                text = SCRIPTS[self.script](bit.text) if self.script else bit.text
                self._put(place, Run(bit.start, bit.end, text))

    def close(self) -> None:
        """End what is still open."""
        if self.rows:
            self._table()
        self._paragraph()

    def _drop(self, place: Place, start: int, end: int, text: str, reason: str) -> None:
        self._put(place, Run(start, end, text, "" if reason in self.keep else reason))

    def _put(self, place: Place, run: Run) -> None:
        (self.cell.pieces if self.cell else self.pieces).extend(place.pieces(run))

    def _part(self) -> None:
        """What follows begins a line of its own."""
        (self.cell.pieces if self.cell else self.pieces).append(Piece(0, 0, 0, "\n"))

    def _paragraph(self) -> None:
        if self.level:
            self.source.add("title", self.pieces, level=self.level, joint=" ")
        else:
            self.source.add("text", self.pieces)
        self.pieces = []

    def _tag(self, bit: Bit, place: Place, content: str) -> None:
        name = bit.name
        if self.silent:
            self.silent = "" if bit.closing and name == self.silent else self.silent
        elif name in SILENT:
            self.silent = "" if bit.closing or bit.given.endswith("/") else name
        elif name in SCRIPTS:
            self.script = "" if bit.closing else name
        elif name in STRIKES:
            self.struck = max(0, self.struck + (-1 if bit.closing else 1))
        elif name == "img":
            self._picture(bit, place, content)
        elif name == "table":
            self._table_tag(bit)
        elif self.depth:
            self._within_table(bit)
        elif name == "br":
            self._part()
        elif name and name not in PHRASES:
            self._paragraph()
            self.level = HEADINGS.index(name) + 1 if name in HEADINGS and not bit.closing else 0

    def _picture(self, bit: Bit, place: Place, content: str) -> None:
        """A picture's alternative text, which stands in its tag."""
        start, end = alternative(bit)
        if start < end:
            pieces = self.cell.pieces if self.cell else self.pieces
            whole = [piece for piece in place.pieces(Run(bit.start, bit.end, "", HTML_TAG))]
            del pieces[-len(whole) :]
            self._put(place, Run(bit.start, start, "", HTML_TAG))
            self._put(place, Run(start, end, content[start:end]))
            self._put(place, Run(end, bit.end, "", HTML_TAG))

    # ------------------------------------------------------------ tables

    def _table_tag(self, bit: Bit) -> None:
        if self.depth:
            self._part()
        else:
            self._paragraph()
        self.depth = max(0, self.depth + (-1 if bit.closing else 1))
        if not self.depth and self.rows:
            self._table()

    def _within_table(self, bit: Bit) -> None:
        """A table in a cell is text of that cell."""
        name = bit.name
        if self.depth > 1:
            if name not in PHRASES:
                self._part()
        elif name in ("thead", "tbody", "tfoot"):
            self.head, self.cell = name == "thead" and not bit.closing, None
        elif name == "tr":
            self.cell = None
            if not bit.closing:
                self.rows.append([])
        elif name in ("td", "th"):
            self.cell = None
            if not bit.closing:
                self.rows = self.rows or [[]]
                given = spans(bit.given)
                rowspan, colspan = min(given.get("rowspan", 1), MAX_ROWS), min(given.get("colspan", 1), MAX_COLUMNS)
                self.cell = _Cell(self.head or name == "th", rowspan, colspan)
                self.rows[-1].append(self.cell)
        elif name == "br" or name not in PHRASES:
            self._part()

    def _table(self) -> None:
        """The rows read so far as a table; what stands in it outside of cells is its caption."""
        caption = self.source.take(self.pieces)
        text = " ".join(segment.text for segment in caption)
        places = [LineLocator(segment.line, segment.line, 0, len(text)) for segment in caption[:1]]
        cells = []
        open_until: dict[int, int] = {}  # the row up to which a cell above takes a column
        for row, found in enumerate(self.rows):
            col = 0
            for cell in found:
                while open_until.get(col, 0) > row:
                    col += 1
                if col >= MAX_COLUMNS:
                    self.source.add("text", cell.pieces)
                    continue
                rowspan, colspan = min(cell.rowspan, len(self.rows) - row), 1
                while colspan < min(cell.colspan, MAX_COLUMNS - col) and open_until.get(col + colspan, 0) <= row:
                    colspan += 1
                segments = self.source.take(cell.pieces)
                locators = tuple(LineLocator(line, line) for line in dict.fromkeys(part.line for part in segments))
                words = " ".join(part.text for part in segments)
                cells.append(TableCell(row, col, rowspan, colspan, cell.header, words, locators))
                open_until.update(dict.fromkeys(range(col, col + colspan), row + rowspan))
                col += colspan
        self.source.out.append_table(cells, text, places)
        self.pieces, self.rows, self.cell, self.head = [], [], None, False
