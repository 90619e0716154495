"""The blocks of a document's body: paragraphs, tables, and what is anchored in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Protocol

import msgspec
from lxml import etree

from kb_pipeline.formats.building import SectionBuilder
from kb_pipeline.formats.docx.cells import CellReader, is_bold
from kb_pipeline.formats.docx.inline import Inline, InlineReader
from kb_pipeline.formats.docx.names import W, source_text, value
from kb_pipeline.formats.docx.objects import Objects
from kb_pipeline.formats.docx.tables import Grid, GridCell, read_grid
from kb_pipeline.formats.ooxml import integer
from kb_pipeline.records import Locator, ParagraphLocator, Section
from kb_pipeline.tables.headers import StyledCell, header_rows, is_figure, title_rows
from kb_pipeline.text.drop_reasons import CONTENTS, COVERED_BY_MERGE, DELETED

LONGEST_HEADING = 300  # characters; a whole paragraph in a heading's style is none
LONGEST_CAPTION = 200
_NUMBER = r"\s*(?:\d|(?-i:[A-Z])(?![A-Za-z])|[一二三四五六七八九十]+(?![一-鿿])|[(（]\d)"
_TABLE_CAPTION = re.compile(rf"\s*(?:续表|附表|表格?|tab(?:le|\.)){_NUMBER}", re.I)
_FIGURE_CAPTION = re.compile(rf"\s*(?:附图|图表?|照片|fig(?:ure|\.)?|chart|photo){_NUMBER}", re.I)
_SENTENCE = re.compile(r"[。！？；]|[.!?]\s+\S|\.$")


class References(Protocol):
    """What gives the notes and comments that paragraphs refer to."""

    def note(self, key: tuple[str, str], place: ParagraphLocator) -> None: ...

    def comment(self, number: str, place: ParagraphLocator) -> None: ...


class Body:
    """Adds the sections of blocks to a document."""

    def __init__(
        self,
        out: SectionBuilder,
        inline: InlineReader,
        cells: CellReader,
        objects: Objects,
        keep: Collection[str],
        references: References,
    ):
        self.out, self.inline, self.cells, self.objects = out, inline, cells, objects
        self.keep, self.references = keep, references
        self.titled = 0  # levels that the document's title takes

    def blocks(self, container: etree._Element, contents: bool = False) -> None:
        """Add all blocks of a container. `contents`: it is a table of contents."""
        for child in container:
            tag = child.tag
            if tag == f"{W}p":
                self._paragraph(child, contents)
            elif tag == f"{W}tbl":
                self._table(child)
            elif tag == f"{W}sdt":
                gallery = value(child.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery"))
                self.blocks(child, contents or gallery == "Table of Contents")
            elif tag in (f"{W}del", f"{W}moveFrom") and DELETED not in self.keep:
                self.out.drop_at(source_text(child), DELETED)
            elif tag == f"{W}altChunk":
                self.objects.unread += 1
            elif next(child.iter(f"{W}p"), None) is not None:
                self.blocks(child, contents)

    def finish(self) -> None:
        """Give tables without a caption the one that stands right below them; ids are given anew."""
        kept: list[Section] = []
        for section in self.out.sections:
            last = kept[-1] if kept else None
            below = (
                section.role == "text" and len(section.text) <= LONGEST_CAPTION and not _SENTENCE.search(section.text)
            )
            if (
                last is not None
                and last.role == "table"
                and not last.caption
                and below
                and (_TABLE_CAPTION.match(section.text) or _FIGURE_CAPTION.match(section.text))
            ):
                kept[-1] = _captioned(last, section.text, section.locators)
            else:
                kept.append(section)
        self.out.sections = [msgspec.structs.replace(one, id=f"s{i:05d}") for i, one in enumerate(kept, 1)]

    # ------------------------------------------------------------ paragraphs

    def _paragraph(self, element: etree._Element, contents: bool) -> None:
        if self.inline.contents and self.inline.styles.heading_level(element):
            self.inline.close_contents()
        contents = contents or self.inline.contents
        found = self.inline.read(element)
        place = self._place(element)
        self._drop(found, place)
        if (contents or self.inline.contents or self.inline.styles.is_contents(element)) and CONTENTS not in self.keep:
            self.out.drop_at(found.source, CONTENTS, (place,))
        else:
            self._text(element, found, place)
        self._anchored(found, place)

    def _text(self, element: etree._Element, found: Inline, place: ParagraphLocator) -> None:
        label = self.cells.label(element)
        if not found.text:
            return
        level = self._level(element)
        text = label + found.text
        if level and len(text) <= LONGEST_HEADING:
            text = " ".join(text.split())
            self.out.append("title", text, (_over(place, text),), level=level)
        elif found.equations and not label:
            self.out.append("equation", text, (_over(place, text),))
        elif not self._figure_caption(element, text, place):
            self.out.append("text", text, (_over(place, text),))
        self.out.count += found.count

    def _level(self, element: etree._Element) -> int:
        """Level of a heading; those of a document with a title are one deeper."""
        if self.inline.styles.is_title(element):
            self.titled = 1
            return 1
        level = self.inline.styles.heading_level(element)
        return level + self.titled if level else 0

    def _figure_caption(self, element: etree._Element, text: str, place: ParagraphLocator) -> bool:
        """Give the figure right before its caption; False where it is none."""
        last = self.out.sections[-1] if self.out.sections else None
        if last is None or last.role != "figure" or last.caption or len(text) > LONGEST_CAPTION:
            return False
        if not (_FIGURE_CAPTION.match(text) or self._is_caption(element, text)) or _TABLE_CAPTION.match(text):
            return False
        self.out.sections[-1] = _captioned(last, text, (_over(place, text),))
        return True

    def _is_caption(self, element: etree._Element, text: str) -> bool:
        return self.inline.styles.is_caption(element) and not _TABLE_CAPTION.match(text)

    def _drop(self, found: Inline, place: ParagraphLocator) -> None:
        for text, reason in found.dropped:
            self.out.drop_at(text, reason, (place,))

    def _anchored(self, found: Inline, place: ParagraphLocator) -> None:
        """Text boxes and objects in order, then notes and comments."""
        for one in found.anchored:
            if one.box is not None:
                self.blocks(one.box)
            else:
                self.objects.add(one, place)
        for key in found.notes:
            self.references.note(key, place)
        for number in found.comments:
            self.references.comment(number, place)

    def _place(self, element: etree._Element) -> ParagraphLocator:
        number = integer(element.get("number", ""))
        return ParagraphLocator(number, number, self.out.breadcrumb)

    # ------------------------------------------------------------ tables

    def _table(self, element: etree._Element) -> None:
        grid = read_grid(element, DELETED in self.keep)
        for row in grid.deleted:
            self.out.drop_at(source_text(row), DELETED)
        cells = [(cell, cell.element) for row in grid.rows for cell in row if cell.element is not None]
        frame = len(cells) == 1 or all(len(row) == 1 for row in grid.rows)
        if frame and (len(cells) == 1 or element.find(f".//{W}tc//{W}tbl") is not None):
            for cell, inside in cells:  # a table that only frames other blocks
                self.blocks(inside)
                self._covered(cell)
            return
        caption, places = self._caption()
        pieces = {id(cell): self.cells.pieces(inside) for cell, inside in cells}
        rows = [
            [self.cells.table_cell(cell, pieces.get(id(cell), []), self.out.breadcrumb) for cell in row]
            for row in grid.rows
        ]
        looks = [
            StyledCell(made, is_figure(made.text), is_bold(pieces.get(id(cell), [])), cell.ground)
            for row, drawn in zip(rows, grid.rows, strict=True)
            for made, cell in zip(row, drawn, strict=True)
        ]
        self.out.append_rows([row for row in rows if row], self._head(grid, looks), caption, places)
        for cell, _ in cells:
            for piece in pieces[id(cell)]:
                place = ParagraphLocator(piece.number, piece.number, self.out.breadcrumb)
                self.out.count += piece.inline.count
                self._drop(piece.inline, place)
                self._anchored(piece.inline, place)
            self._covered(cell)

    def _head(self, grid: Grid, looks: Sequence[StyledCell]) -> int:
        if grid.head and grid.head < len(grid.rows):
            return grid.head
        titles = title_rows(looks)
        body = [look for look in looks if look.cell.row >= titles]
        names = header_rows(body)
        return titles + names if names else 0

    def _covered(self, cell: GridCell) -> None:
        for covered in cell.covered:
            self.out.drop_at(source_text(covered), COVERED_BY_MERGE)

    def _caption(self) -> tuple[str, list[Locator]]:
        """The caption in the paragraph before, taken out of the sections."""
        last: Section | None = self.out.sections[-1] if self.out.sections else None
        if last is None or last.role != "text" or len(last.text) > LONGEST_CAPTION or "\n" in last.text:
            return "", []
        if not _TABLE_CAPTION.match(last.text) or _SENTENCE.search(last.text):
            return "", []
        self.out.sections.pop()
        return last.text, list(last.locators)


def _over(place: ParagraphLocator, text: str) -> ParagraphLocator:
    return msgspec.structs.replace(place, start=0, end=len(text))


def _captioned(section: Section, caption: str, places: Sequence[Locator]) -> Section:
    """A section under a caption, which is the head of its text."""
    shift = len(caption) + 1
    moved = [
        msgspec.structs.replace(one, start=one.start + shift, end=one.end + shift) if one.end > one.start else one
        for one in section.locators
    ]
    text = f"{caption}\n{section.text}" if section.text else caption
    return msgspec.structs.replace(section, text=text, caption=caption, locators=(*places, *moved))
