"""Paragraphs with their automatic numbers, and the cells of tables put together out of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree

from kb_pipeline.formats.building import cell_name
from kb_pipeline.formats.docx.inline import Inline, InlineReader
from kb_pipeline.formats.docx.names import W
from kb_pipeline.formats.docx.numbering import Numbering
from kb_pipeline.formats.docx.tables import GridCell, read_grid
from kb_pipeline.formats.ooxml import integer
from kb_pipeline.records import ParagraphLocator, TableCell

CELL, ROW = ", ", "; "  # between cells and rows of a table within a cell


class Piece(NamedTuple):
    """A paragraph within a cell: what is put before it, its text with its number, its element read."""

    joint: str
    text: str
    number: int
    inline: Inline


class CellReader:
    """Numbers the paragraphs of blocks and of cells, which count on in the same lists, and reads cells."""

    def __init__(self, inline: InlineReader, numbering: Numbering):
        self.inline, self.numbering = inline, numbering

    def label(self, element: etree._Element) -> str:
        """The automatic number of a paragraph, counted on; empty for none, and for paragraphs that are struck out."""
        number, level, style = self.inline.styles.numbering(element)
        if number in ("", "0") or element.find(f"{W}pPr/{W}rPr/{W}del") is not None:
            return ""
        if level is None:
            level = self.numbering.level_of_style(number, style)
        return self.numbering.label(number, level)

    def table_cell(self, cell: GridCell, pieces: Sequence[Piece], trail: tuple[str, ...]) -> TableCell:
        """A cell's paragraphs on one line, each with its place."""
        text, places = "", []
        name = cell_name(cell.row, cell.col, cell.rowspan, cell.colspan)
        for piece in pieces:
            if not piece.text:
                continue
            text += piece.joint if text else ""
            end = len(text) + len(piece.text)
            places.append(ParagraphLocator(piece.number, piece.number, trail, len(text), end, name))
            text += piece.text
        if not places and pieces:
            number = pieces[0].number
            places.append(ParagraphLocator(number, number, trail, range=name))
        return TableCell(cell.row, cell.col, cell.rowspan, cell.colspan, False, text, tuple(places))

    def pieces(self, container: etree._Element, joint: str = " ") -> list[Piece]:
        """Paragraphs of a cell; a table within it as its cells one after the other."""
        found: list[Piece] = []
        for child in container:
            if child.tag == f"{W}p":
                inline = self.inline.read(child)
                label = self.label(child)
                text = " ".join((label + inline.text).split()) if inline.text else ""
                found.append(Piece(joint, text, integer(child.get("number", "")), inline))
                joint = " "
            elif child.tag == f"{W}tbl":
                for row in read_grid(child, keep_deleted=True).rows:
                    first = ROW if found else joint
                    for cell in row:
                        for element in ([cell.element] if cell.element is not None else []) + cell.covered:
                            found += self.pieces(element, first)
                            first = CELL
                joint = ROW if found else joint
            elif child.tag not in (f"{W}tcPr", f"{W}sdtPr"):
                found += self.pieces(child, joint)
        return found


def is_bold(pieces: Sequence[Piece]) -> bool:
    worded = [piece.inline for piece in pieces if piece.text]
    return bool(worded) and all(inline.bold for inline in worded)
