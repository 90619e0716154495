"""Sections out of numbered lines: what the text formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kb_pipeline.records import (
    CharacterSum,
    Dropped,
    LineLocator,
    ParsedDocument,
    Role,
    Section,
    TableCell,
)


@dataclass
class Builder:
    """Sections of a text file as they come, with the count of their source characters."""

    sections: list[Section] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    count: int = 0
    trail: list[tuple[int, str]] = field(default_factory=list)

    def add(
        self,
        role: Role,
        lines: Sequence[tuple[int, str]],
        joints: Sequence[str] | str = "\n",
        level: int = 0,
        **more: object,
    ) -> None:
        """A section of (line number, text) pieces; `joints` are put between them and are not counted."""
        text, locators = "", []
        for i, (number, piece) in enumerate(lines):
            if i:
                text += joints if isinstance(joints, str) else joints[i - 1]
            locators.append(LineLocator(number, number, len(text), len(text) + len(piece)))
            text += piece
            self.count += characters(piece)
        self.append(role, text, tuple(locators), level, **more)

    def append(self, role: Role, text: str, locators: tuple[LineLocator, ...], level: int = 0, **more: object) -> None:
        if level:
            self.trail = [entry for entry in self.trail if entry[0] < level]
        breadcrumb = tuple(title for _, title in self.trail)
        number = f"s{len(self.sections) + 1:05d}"
        self.sections.append(Section(number, role, text, level=level, breadcrumb=breadcrumb, locators=locators, **more))
        if level:
            self.trail.append((level, text))

    def add_table(self, rows: Sequence[tuple[int, Sequence[str]]], header_rows: int) -> None:
        """A table of (line number, cell texts) rows."""
        text, places, cells = "", [], []
        for r, (number, row) in enumerate(rows):
            text += "\n" if r else ""
            for c, piece in enumerate(row):
                text += " | " if c else ""
                if piece:
                    places.append(LineLocator(number, number, len(text), len(text) + len(piece)))
                text += piece
                self.count += characters(piece)
                cells.append(TableCell(r, c, 1, 1, r < header_rows, piece, (LineLocator(number, number),)))
        self.append("table", text, tuple(places), html=table_html(cells), cells=tuple(cells))

    def drop(self, text: str, reason: str, number: int) -> None:
        if characters(text):
            self.dropped.append(Dropped(text.strip(), reason, (LineLocator(number, number),)))

    def document(self, source: str, charset: str) -> ParsedDocument:
        """The parsed document of `source`, the file's whole text."""
        by_reason: Counter[str] = Counter()
        for item in self.dropped:
            by_reason[item.reason] += characters(item.text)
        total = CharacterSum(characters(source), self.count, dict(sorted(by_reason.items())))
        return ParsedDocument((), tuple(self.sections), tuple(self.dropped), total, charset)


def characters(text: str) -> int:
    """Non-space characters: what the character sum counts."""
    return sum(not c.isspace() for c in text)


def numbered(text: str) -> list[tuple[int, str]]:
    """Lines of a text from 1, ends of line (LF, CRLF, CR) taken off."""
    return list(enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1))


def table_html(cells: Sequence[TableCell]) -> str:
    """A grid without spans as HTML, texts escaped."""
    rows: dict[int, list[str]] = {}
    for cell in cells:
        tag = "th" if cell.header else "td"
        rows.setdefault(cell.row, []).append(f"<{tag}>{_escaped(cell.text)}</{tag}>")
    return "<table>" + "".join(f"<tr>{''.join(row)}</tr>" for row in rows.values()) + "</table>"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
