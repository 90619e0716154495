"""Sections of a document as a reader finds them: ids, breadcrumbs, table text, the character sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from kb_pipeline.records import CharacterSum, Dropped, Locator, ParsedDocument, Role, Section, TableCell
from kb_pipeline.tables.html import table_html
from kb_pipeline.tables.ranges import CellRange

CELL_BREAK = " | "
SECTION_ROWS = 500  # rows of one section; each repeats the header, so that a long table stays readable in parts


@dataclass
class SectionBuilder:
    """Sections and dropped text as they come, with the count of their source characters."""

    sections: list[Section] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    count: int = 0
    trail: list[tuple[int, str]] = field(default_factory=list)

    def append(
        self,
        role: Role,
        text: str,
        locators: Sequence[Locator],
        level: int = 0,
        *,
        html: str = "",
        cells: tuple[TableCell, ...] = (),
        caption: str = "",
        picture: str = "",
        fence: str = "",
    ) -> None:
        """A section; its source characters are for the caller to add to `count`."""
        if level:
            self.trail = [entry for entry in self.trail if entry[0] < level]
        number = f"s{len(self.sections) + 1:05d}"
        trail = self.breadcrumb
        self.sections.append(
            Section(number, role, text, level, trail, tuple(locators), html, cells, caption, picture, fence)
        )
        if level:
            self.trail.append((level, text))

    @property
    def breadcrumb(self) -> tuple[str, ...]:
        """The headings above what comes next, outermost first."""
        return tuple(title for _, title in self.trail)

    def append_table(
        self, cells: Sequence[TableCell], caption: str = "", caption_places: Sequence[Locator] = ()
    ) -> None:
        """A table of cells in the order of their rows; a cell's locators with a range are ranges of its own text. One
        without a word is no section."""
        if not caption and not any(cell.text.strip() for cell in cells):
            return
        text, places = table_text(cells, caption, caption_places)
        self.append("table", text, places, html=table_html(cells), cells=tuple(cells), caption=caption)

    def append_rows(
        self,
        rows: Sequence[Sequence[TableCell]],
        head: int,
        caption: str = "",
        caption_places: Sequence[Locator] = (),
    ) -> None:
        """A table of rows, the first `head` of which name its columns; a long one as sections of at most SECTION_ROWS
        rows that no cell spans apart, each under the caption and the header."""
        heads, body = rows[:head], rows[head:]
        at = 0
        while at < max(1, len(body)):
            end = min(len(body), at + SECTION_ROWS)
            while end < len(body) and _spanned(body, at, end):
                end += 1
            cells = [
                msgspec.structs.replace(cell, row=r, header=r < head or cell.header)
                for r, row in enumerate([*heads, *body[at:end]])
                for cell in row
            ]
            self.append_table(cells, caption, caption_places)
            at = max(end, at + 1)

    def drop_at(self, text: str, reason: str, locators: Sequence[Locator] = ()) -> None:
        """Text that stands in no section; nothing where it is white space."""
        if characters(text):
            self.dropped.append(Dropped(text.strip(), reason, tuple(locators)))

    def document_of(self, total: int, charset: str = "", notes: Sequence[str] = ()) -> ParsedDocument:
        """The parsed document of a file with that many non-space characters."""
        by_reason: Counter[str] = Counter()
        for item in self.dropped:
            by_reason[item.reason] += characters(item.text)
        found = CharacterSum(total, self.count, dict(sorted(by_reason.items())))
        return ParsedDocument((), tuple(self.sections), tuple(self.dropped), found, charset, tuple(notes))


def table_text(
    cells: Sequence[TableCell], caption: str = "", caption_places: Sequence[Locator] = ()
) -> tuple[str, list[Locator]]:
    """A table's readable form, rows on lines, cells parted by bars, its caption first; and the places in it."""
    parts = [caption] if caption else []
    length = len(caption)
    places = [_moved(place, 0, len(caption)) for place in caption_places]
    row = None
    for cell in cells:
        joint = CELL_BREAK if cell.row == row else "\n" if length else ""
        row = cell.row
        length += len(joint)
        if cell.text:
            places += [_moved(place, length, len(cell.text)) for place in cell.locators]
        parts += (joint, cell.text)
        length += len(cell.text)
    return "".join(parts), places


def _spanned(rows: Sequence[Sequence[TableCell]], first: int, end: int) -> bool:
    """Whether a cell of the rows before `end` goes on into it."""
    return any(r + cell.rowspan > end for r in range(first, end) for cell in rows[r] if cell.rowspan > 1)


def _moved(place: Locator, offset: int, length: int) -> Locator:
    """A place within a text, or of all of it, as one within a longer text."""
    start, end = (place.start, place.end) if place.end > place.start else (0, length)
    return msgspec.structs.replace(place, start=offset + start, end=offset + end)


def characters(text: str) -> int:
    """Non-space characters: what the character sum counts."""
    return len("".join(text.split()))


def cell_name(row: int, col: int, rowspan: int = 1, colspan: int = 1) -> str:
    """`B2`, or `B2:D9` for a range, rows and columns from 0."""
    return CellRange(row + 1, col + 1, row + rowspan, col + colspan).name
