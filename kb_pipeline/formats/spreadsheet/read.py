"""A workbook's sections: each sheet a heading, each of its tables a table, each place a cell range."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

import msgspec

from kb_pipeline.formats.building import SectionBuilder, cell_name, characters
from kb_pipeline.formats.native import NativeDocument
from kb_pipeline.formats.ooxml import Package
from kb_pipeline.formats.pictures import picture_part
from kb_pipeline.formats.spreadsheet.blocks import Block, View, blocks, view_of
from kb_pipeline.formats.spreadsheet.book import Picture, Sheet, Shown, Span
from kb_pipeline.records import CellLocator, Role, TableCell
from kb_pipeline.tables.headers import StyledCell, header_rows, note_rows, title_rows
from kb_pipeline.text.drop_reasons import (
    COVERED_BY_MERGE,
    HIDDEN_COLUMN,
    HIDDEN_ROW,
    HIDDEN_SHEET,
    HIDDEN_VALUE,
    LINK_ADDRESS,
    STRUCK,
)

SPARSE, SMALL = 20, 10_000  # cells of a range for each filled one, beyond that many, above which gaps are left out


def read_xlsx_file(data: bytes, name: str, keep: Collection[str]) -> NativeDocument:
    """Sections of an XLSX workbook. Raises DamagedFile, FileTooLarge."""
    from kb_pipeline.formats.spreadsheet.xlsx import read_xlsx

    return _document(read_xlsx(Package(data, name), STRUCK in keep), keep)


def read_xls_file(data: bytes, name: str, keep: Collection[str]) -> NativeDocument:
    """Sections of an XLS workbook. Raises DamagedFile, EncryptedFile, FileTooLarge."""
    from kb_pipeline.formats.spreadsheet.xls import read_xls

    return _document(read_xls(data, name, STRUCK in keep), keep)


def _document(sheets: Sequence[Sheet], keep: Collection[str]) -> NativeDocument:
    """Sections of sheets in order. The character sum counts cells as they are shown, names of sheets, notes, link
    addresses, and what is written on pictures and charts."""
    out = SectionBuilder()
    pictures: dict[str, bytes] = {}
    total = 0
    for sheet in sheets:
        total += _characters(sheet) if _used(sheet) else 0
        _SheetSections(sheet, out, pictures, keep).add()
    uncounted = [f"{s.name}: {s.uncounted} formulas without a stored value" for s in sheets if s.uncounted]
    return NativeDocument(out.document_of(total, notes=uncounted), pictures)


def _used(sheet: Sheet) -> bool:
    """Whether a sheet holds anything; the names of empty ones say nothing."""
    return bool(sheet.cells or sheet.hidden_values or sheet.struck or sheet.pictures or sheet.comments or sheet.links)


def _characters(sheet: Sheet) -> int:
    texts = [
        sheet.name,
        *(shown.text for shown in sheet.cells.values()),
        *sheet.comments.values(),
        *sheet.hidden_values.values(),
        *sheet.struck.values(),
    ]
    addresses = [link for place, link in sheet.links.items() if not _is_shown(link, sheet.cells.get(place))]
    return sum(map(characters, [*texts, *addresses, *(picture.text for picture in sheet.pictures)]))


def _is_shown(address: str, shown: Shown | None) -> bool:
    """Whether the address of a link stands in its cell, too."""
    bare = address.removeprefix("mailto:").rstrip("/")
    return shown is not None and bare in shown.text


class _SheetSections:
    """Adds the sections of one sheet."""

    def __init__(self, sheet: Sheet, out: SectionBuilder, pictures: dict[str, bytes], keep: Collection[str]):
        self.sheet, self.out, self.pictures, self.keep = sheet, out, pictures, keep

    @cached_property
    def view(self) -> View:
        """What is shown of the sheet: to be asked for when all that is not shown was taken out."""
        return view_of(self.sheet)

    def add(self) -> None:
        sheet = self.sheet
        if not _used(sheet):
            return
        for place, text in sheet.struck.items():
            self.out.drop_at(text, STRUCK, (self._locator((*place, *place)),))
        if sheet.hidden and HIDDEN_SHEET not in self.keep:
            self._drop_whole()
            return
        self._drop_hidden()
        self._drop_covered()
        self._addresses()
        self._text("title", sheet.name, self._corner(), level=1)
        left = dict(sheet.comments)
        over = list(sheet.pictures)
        for block in blocks(self.view):
            while over and over[0].place < self._on_sheet(block.span):
                self._picture(over.pop(0))
            self._block(block)
            top, first, bottom, last = self._on_sheet(block.span)
            for row, col in sorted(place for place in left if top <= place[0] <= bottom and first <= place[1] <= last):
                self._comment((row, col), left.pop((row, col)))
        for place in sorted(left):
            self._comment(place, left[place])
        for picture in over:
            self._picture(picture)

    # ------------------------------------------------------------ what is not shown

    def _drop_whole(self) -> None:
        sheet = self.sheet
        self.out.drop_at(sheet.name, HIDDEN_SHEET)
        rows: dict[int, list[tuple[int, str]]] = {}
        for (row, col), shown in sorted(sheet.cells.items()):
            rows.setdefault(row, []).append((col, shown.text))
        for row, texts in rows.items():
            span = (row, texts[0][0], row, texts[-1][0])
            self.out.drop_at("\t".join(text for _, text in texts), HIDDEN_SHEET, (self._locator(span),))
        for place, value in sheet.hidden_values.items():
            self.out.drop_at(value, HIDDEN_VALUE, (self._locator((*place, *place)),))
        others = [*sheet.comments.items(), *((p, a) for p, a in sheet.links.items() if self._is_beside(p, a))]
        for (row, col), text in others:
            self.out.drop_at(text, HIDDEN_SHEET, (self._locator((row, col, row, col)),))
        for picture in sheet.pictures:
            self.out.drop_at(picture.text, HIDDEN_SHEET, (self._locator(picture.place),))

    def _drop_hidden(self) -> None:
        """Take cells of hidden rows and columns out of the sheet, or show these rows and columns where they are kept.
        A merged cell that reaches out of them is shown."""
        sheet = self.sheet
        for place, value in sheet.hidden_values.items():
            if HIDDEN_VALUE in self.keep:
                sheet.cells[place] = Shown(value, True)
            else:
                self.out.drop_at(value, HIDDEN_VALUE, (self._locator((*place, *place)),))
        if HIDDEN_ROW in self.keep:
            sheet.hidden_rows = set()
        if HIDDEN_COLUMN in self.keep:
            sheet.hidden_columns = set()
        if not (sheet.hidden_rows or sheet.hidden_columns):
            return
        reaching = {
            (top, left)
            for top, left, bottom, right in sheet.merged
            if any(row not in sheet.hidden_rows for row in range(top, bottom + 1))
            and any(col not in sheet.hidden_columns for col in range(left, right + 1))
        }
        lost: dict[tuple[str, int], list[tuple[int, int]]] = {}
        for row, col in sorted(sheet.cells):
            if (row, col) in reaching:
                continue
            if row in sheet.hidden_rows:
                lost.setdefault((HIDDEN_ROW, row), []).append((row, col))
            elif col in sheet.hidden_columns:
                lost.setdefault((HIDDEN_COLUMN, col), []).append((row, col))
        for (reason, _), places in lost.items():
            text = "\t".join(sheet.cells.pop(place).text for place in places)
            span = (places[0][0], places[0][1], places[-1][0], places[-1][1])
            self.out.drop_at(text, reason, (self._locator(span),))

    def _drop_covered(self) -> None:
        """Text under a merged cell, which no program shows."""
        for row, col in sorted(covered_places(self.sheet)):
            shown = self.sheet.cells.pop((row, col))
            self.out.drop_at(shown.text, COVERED_BY_MERGE, (self._locator((row, col, row, col)),))

    def _is_beside(self, place: tuple[int, int], address: str) -> bool:
        return not _is_shown(address, self.sheet.cells.get(place))

    def _addresses(self) -> None:
        """Addresses of links that do not stand in their cell: dropped, or put behind the text."""
        for (row, col), address in self.sheet.links.items():
            shown = self.sheet.cells.get((row, col))
            if not self._is_beside((row, col), address):
                continue
            if LINK_ADDRESS in self.keep and shown:
                self.sheet.cells[row, col] = shown._replace(text=f"{shown.text} {address}")
            else:
                self.out.drop_at(address, LINK_ADDRESS, (self._locator((row, col, row, col)),))

    # ------------------------------------------------------------ sections

    def _block(self, block: Block) -> None:
        rows = self._rows(block.span)
        looks = [look for row in rows for look in row]
        width = block.span[3] - block.span[1] + 1
        if block.head < 0 and (width == 1 or all(len(_filled(row)) < 2 for row in rows)):
            self._lines(rows)
            return
        titles = title_rows(looks) if block.head < 0 else 0
        notes = note_rows([look for row in rows[titles:] for look in row], width) if block.head < 0 else 0
        body = rows[titles : len(rows) - notes]
        head = block.head if block.head >= 0 else header_rows([look for row in body for look in row])
        caption, places = self._caption(rows[:titles])
        cells = [[look.cell for look in row] for row in body]
        self.out.append_rows(_from_zero(cells), min(head, len(cells)), caption, places)
        self.out.count += characters(caption) + sum(characters(cell.text) for row in cells for cell in row)
        self._lines(rows[len(rows) - notes :])

    def _rows(self, span: Span) -> list[list[StyledCell]]:
        """Rows of a range with their cells, those that merged cells cover left out, empty ones filled in."""
        view, covered, rows = self.view, set(), []
        top, left, bottom, right = span
        for first, (a, b, c, d) in view.spans.items():
            if top <= a <= bottom and left <= b <= right:
                inside = ((row, col) for row in range(a, min(c, bottom) + 1) for col in range(b, min(d, right) + 1))
                covered.update(place for place in inside if place != first)
        for row, columns in self._columns(span):
            found = []
            for col in columns:
                if (row, col) in covered:
                    continue
                shown = view.cells.get((row, col), Shown(""))
                a, b, c, d = view.spans.get((row, col), (row, col, row, col))
                c, d = min(c, bottom), min(d, right)
                place = self._locator(self._on_sheet((a, b, c, d)))
                cell = TableCell(row - top, col - left, c - a + 1, d - b + 1, False, shown.text, (place,))
                found.append(StyledCell(cell, shown.figure, shown.bold, shown.ground))
            rows.append(found)
        return [row for row in rows if _says_something(row, right - left + 1)]

    def _columns(self, span: Span) -> Iterator[tuple[int, Sequence[int]]]:
        """Rows of a range, each with its columns; where hardly a cell is filled, with those that are."""
        top, left, bottom, right = span
        inside = [p for p in self.view.cells if top <= p[0] <= bottom and left <= p[1] <= right]
        if (bottom - top + 1) * (right - left + 1) <= SPARSE * len(inside) + SMALL:
            yield from ((row, range(left, right + 1)) for row in range(top, bottom + 1))
            return
        filled: dict[int, list[int]] = {}
        for row, col in sorted(inside):
            filled.setdefault(row, []).append(col)
        yield from filled.items()

    def _caption(self, rows: Sequence[Sequence[StyledCell]]) -> tuple[str, list[CellLocator]]:
        text, places = "", []
        for look in (look for row in rows for look in _filled(row)):
            text += "\n" if text else ""
            end = len(text) + len(look.cell.text)
            places.append(msgspec.structs.replace(look.cell.locators[0], start=len(text), end=end))
            text += look.cell.text
        return text, places

    def _lines(self, rows: Sequence[Sequence[StyledCell]]) -> None:
        """Cells that form no table as one text, a line each."""
        text, places = self._caption(rows)
        if text:
            self.out.append("text", text, places)
            self.out.count += characters(text)

    def _text(self, role: Role, text: str, span: Span, level: int = 0, picture: str = "") -> None:
        place = msgspec.structs.replace(self._locator(span), end=len(text))
        self.out.append(role, text, (place,), level, picture=picture)
        self.out.count += characters(text)

    def _comment(self, place: tuple[int, int], text: str) -> None:
        """A note, under the text of its cell."""
        shown = self.sheet.cells.get(place)
        label = f"{shown.text} ({cell_name(*place)}): " if shown else f"{cell_name(*place)}: "
        found = msgspec.structs.replace(self._locator((*place, *place)), end=len(label) + len(text))
        self.out.append("text", label + text, (found,))
        self.out.count += characters(text)

    def _picture(self, picture: Picture) -> None:
        part = ""
        if picture.ending:
            part = picture_part(len(self.pictures) + 1, picture.ending)
            self.pictures[part] = picture.data
        self._text("figure", picture.text, picture.place, picture=part)

    # ------------------------------------------------------------ places

    def _on_sheet(self, span: Span) -> Span:
        view = self.view
        return view.rows[span[0]], view.columns[span[1]], view.rows[span[2]], view.columns[span[3]]

    def _locator(self, span: Span) -> CellLocator:
        top, left, bottom, right = span
        return CellLocator(self.sheet.name, cell_name(top, left, bottom - top + 1, right - left + 1))

    def _corner(self) -> Span:
        """The first cell that holds anything: where the sheet's heading is."""
        places = [*self.sheet.cells, *self.sheet.comments, *(p.place[:2] for p in self.sheet.pictures)] or [(0, 0)]
        rows, columns = zip(*places, strict=True)
        return min(rows), min(columns), min(rows), min(columns)


def _filled(row: Sequence[StyledCell]) -> list[StyledCell]:
    return [look for look in row if look.cell.text]


def _says_something(row: Sequence[StyledCell], width: int) -> bool:
    """Whether a row is more than a gap: it holds text, or a merged cell is in it."""
    return bool(row) and (bool(_filled(row)) or len(row) < width or any(look.cell.rowspan > 1 for look in row))


def covered_places(sheet: Sheet) -> set[tuple[int, int]]:
    """Cells with text that a merged cell lies over."""
    found = set()
    for top, left, bottom, right in sheet.merged:
        if (bottom - top + 1) * (right - left + 1) <= len(sheet.cells):
            inside = ((row, col) for row in range(top, bottom + 1) for col in range(left, right + 1))
            found.update(place for place in inside if place in sheet.cells and place != (top, left))
        else:
            found.update(
                (row, col)
                for row, col in sheet.cells
                if top <= row <= bottom and left <= col <= right and (row, col) != (top, left)
            )
    return found


def _from_zero(rows: list[list[TableCell]]) -> list[list[TableCell]]:
    """The rows counted from 0 without the empty ones among them, over which merged cells no longer reach."""
    numbers = [row[0].row for row in rows]
    return [
        [msgspec.structs.replace(c, row=r, rowspan=bisect_left(numbers, c.row + c.rowspan) - r) for c in row]
        for r, row in enumerate(rows)
    ]
