"""XLSX: sheets with their cells as they are shown, read straight from the package's parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from math import isfinite
from typing import NamedTuple

from lxml import etree

from kb_pipeline.errors import DamagedFile, FileTooLarge
from kb_pipeline.formats.ooxml import Package, R, Relationship, integer, of_kind
from kb_pipeline.formats.pictures import picture_ending
from kb_pipeline.formats.spreadsheet.book import MAX_CELLS, Picture, Sheet, Shown, Span
from kb_pipeline.formats.spreadsheet.drawings import read_drawing
from kb_pipeline.formats.spreadsheet.number_format import shown_number, shown_text
from kb_pipeline.formats.spreadsheet.styles import S, Style, has_mark, is_true, read_styles
from kb_pipeline.tables.headers import is_figure
from kb_pipeline.tables.ranges import column_number

ROWS, COLUMNS = 1_048_576, 16_384  # of a sheet
T = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"
MAX_POWER = 400  # of ten, of a number that a spreadsheet can hold, and more
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d+)")
_CELL_PICTURE = re.compile(r'=(?:_xlfn\.)?DISPIMG\("([^"]+)"')
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # how a part spells characters that XML cannot hold


class Said(NamedTuple):
    """A string: what of it is valid, what is struck out, and whether its runs tell so themselves."""

    text: str
    struck: str = ""
    told: bool = False


def read_xlsx(package: Package, keep_struck: bool) -> list[Sheet]:
    """The sheets of a workbook in order; chart sheets are left out. `keep_struck`: text that is struck out is text.

    Raises:
        DamagedFile, FileTooLarge.
    """
    main = package.main_part()
    workbook = package.xml(main)
    relationships = package.relationships(main)
    embedded = _cell_pictures(package, of_kind(relationships, "cellImage"))
    strings = [
        text
        for part in of_kind(relationships, "sharedStrings")
        for text in _shared_strings(package, part.target, keep_struck)
    ]
    styles = read_styles(package, of_kind(relationships, "styles"))
    properties = workbook.find(f"{S}workbookPr")
    since_1904 = properties is not None and is_true(properties.get("date1904"))
    sheets = []
    cells = 0
    for element in workbook.iterfind(f"{S}sheets/{S}sheet"):
        relationship = relationships.get(element.get(f"{R}id", ""))
        if relationship is None or relationship.kind != "worksheet":
            continue
        sheet = Sheet(element.get("name", ""), element.get("state", "visible") != "visible")
        reader = _SheetReader(package, sheet, strings, styles, since_1904, MAX_CELLS - cells, keep_struck)
        reader.read(relationship.target)
        _place_cell_pictures(sheet, embedded)
        cells += len(sheet.cells)
        sheets.append(sheet)
    return sheets


class _SheetReader:
    """Fills a sheet from its part and the parts that this one refers to."""

    def __init__(
        self,
        package: Package,
        sheet: Sheet,
        strings: list[Said],
        styles: list[Style],
        since_1904: bool,
        most: int,
        keep_struck: bool,
    ):
        self.package, self.sheet, self.strings, self.styles = package, sheet, strings, styles
        self.since_1904, self.most, self.keep_struck = since_1904, most, keep_struck
        self.formulas: dict[str, str] = {}
        self.row = -1

    def read(self, part: str) -> None:
        relationships = self.package.relationships(part)
        filtered: list[Span] = []
        names = ("row", "col", "mergeCell", "hyperlink", "autoFilter")
        for element in self.package.elements(part, [S + name for name in names]):
            name = etree.QName(element).localname
            if name == "row":
                self._read_row(element)
            elif name == "col" and is_true(element.get("hidden")):
                first, last = integer(element.get("min"), 1), integer(element.get("max"), 1)
                self.sheet.hidden_columns.update(range(max(0, first - 1), min(last, COLUMNS)))
            elif name == "mergeCell":
                self.sheet.merged += _spans(element.get("ref", ""))
            elif name == "hyperlink":
                self._link(element, relationships)
            elif name == "autoFilter" and element.find(f"{S}filterColumn") is not None:
                filtered += _spans(element.get("ref", ""))
        for relationship in of_kind(relationships, "table"):
            filtered += self._table(relationship.target)
        for first, _, last, _ in filtered:  # what a filter hides is data like the rest
            self.sheet.hidden_rows.difference_update(range(first, last + 1))
        self._comments(relationships)
        for relationship in of_kind(relationships, "drawing"):
            self.sheet.pictures += read_drawing(self.package, relationship.target)

    def _read_row(self, element: etree._Element) -> None:
        self.row = integer(element.get("r"), self.row + 2) - 1
        if not 0 <= self.row < ROWS:
            raise DamagedFile(
                f"a sheet has a row {self.row + 1}", document=self.package.name,
                remedy="open it in its own program and save it again",
            )  # fmt: skip
        if is_true(element.get("hidden")):
            self.sheet.hidden_rows.add(self.row)
        col = -1
        for cell in element.iterfind(f"{S}c"):
            match = _REFERENCE.fullmatch(cell.get("r", ""))
            col = min(column_number(match[1]), COLUMNS) - 1 if match else col + 1
            index = integer(cell.get("s"))
            style = self.styles[index] if 0 <= index < len(self.styles) else Style()
            said = self._said(cell)
            text, figure = self._shown(cell, style, said)
            if not self.keep_struck and (said.struck or (style.struck and not said.told)):
                text, struck = (text, one_line(said.struck)) if said.told else ("", text)
                if struck:
                    self.sheet.struck[self.row, col] = struck
            if text:
                self.sheet.cells[self.row, col] = Shown(text, figure, style.bold, style.ground)
                if len(self.sheet.cells) > self.most:
                    raise FileTooLarge(
                        f"it holds more than {MAX_CELLS} cells", document=self.package.name,
                        remedy="split the workbook, or export its sheets one by one",
                    )  # fmt: skip
            elif hidden := self._hidden(cell, col):
                self.sheet.hidden_values[self.row, col] = hidden
            elif style.border and len(self.sheet.framed) < MAX_CELLS:
                self.sheet.framed.add((self.row, col))

    def _hidden(self, cell: etree._Element, col: int) -> str:
        """A number that its format does not show; empty for none."""
        held = cell.get("t", "n") == "n" and (self.row, col) not in self.sheet.struck
        return (cell.findtext(f"{S}v") or "").strip() if held else ""

    def _said(self, cell: etree._Element) -> Said:
        """The string in a cell; none for other values."""
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            inline = cell.find(f"{S}is")
            return _string(inline, self.keep_struck) if inline is not None else Said("")
        place = integer(cell.findtext(f"{S}v"), -1) if kind == "s" else -1
        return self.strings[place] if 0 <= place < len(self.strings) else Said("")

    def _shown(self, cell: etree._Element, style: Style, said: Said) -> tuple[str, bool]:
        """A cell's text as it is shown, and whether it is a figure."""
        kind, value = cell.get("t", "n"), cell.findtext(f"{S}v")
        formula = cell.find(f"{S}f")
        if formula is not None and formula.text and formula.get("si"):
            self.formulas[formula.get("si", "")] = formula.text
        if kind == "inlineStr":
            return self._text(said.text, style)
        if value is None or (not value and kind != "str"):
            if formula is None:
                return "", False
            self.sheet.uncounted += 1
            return "=" + (formula.text or self.formulas.get(formula.get("si", ""), "")), False
        if kind == "s":
            return self._text(said.text, style)
        if kind == "str":
            return self._text(_unescaped(value), style)
        if kind == "b":
            return ("TRUE" if value.strip() == "1" else "FALSE"), False
        if kind == "e":
            return value.strip(), False
        if kind == "d":
            return value.strip(), True
        try:
            number = Decimal(value.strip())
        except ArithmeticError:
            return value.strip(), False
        if not isfinite(number) or abs(number.adjusted()) > MAX_POWER:
            return value.strip(), False
        return shown_number(number, style.code, self.since_1904), style.code != "@"

    def _text(self, value: str, style: Style) -> tuple[str, bool]:
        text = one_line(shown_text(value, style.code))
        return text, is_figure(text)

    def _link(self, element: etree._Element, relationships: dict[str, Relationship]) -> None:
        relationship = relationships.get(element.get(f"{R}id", ""))
        for row, col, _, _ in _spans(element.get("ref", "")):
            if relationship is not None and relationship.outside:
                self.sheet.links[row, col] = relationship.target

    def _table(self, part: str) -> list[Span]:
        """Note a declared table; the range that its filter narrows."""
        table = self.package.xml(part)
        for span in _spans(table.get("ref", "")):
            self.sheet.tables.append((span, max(0, integer(table.get("headerRowCount"), 1))))
        chosen = table.find(f"{S}autoFilter")
        if chosen is None or chosen.find(f"{S}filterColumn") is None:
            return []
        return _spans(chosen.get("ref", ""))

    def _comments(self, relationships: dict[str, Relationship]) -> None:
        """Notes; where there are threads, the notes only tell that they are there."""
        threads = of_kind(relationships, "threadedComment")
        for relationship in threads or of_kind(relationships, "comments"):
            root = self.package.xml(relationship.target)
            for element in root.iter(f"{T}threadedComment", f"{S}comment"):
                held = element.find(f"{T}text") if threads else element.find(f"{S}text")
                text = "" if held is None else one_line(held.text or "" if threads else _string(held).text)
                for row, col, _, _ in _spans(element.get("ref", "")):
                    before = self.sheet.comments.get((row, col), "")
                    self.sheet.comments[row, col] = f"{before} {text}".strip()


def _cell_pictures(package: Package, relationships: list[Relationship]) -> dict[str, Picture]:
    """Pictures that stand in cells, by the name under which the cells' formulas call them (WPS)."""
    found = {}
    for relationship in relationships:
        targets = package.relationships(relationship.target)
        for picture in package.xml(relationship.target).iter("{*}pic"):
            named, blip = picture.find(".//{*}cNvPr"), picture.find(".//{*}blip")
            target = None if blip is None else targets.get(blip.get(f"{R}embed", ""))
            if named is not None and target and target.target in package:
                data = package.shared(target.target)
                alt = " ".join((named.get("descr") or "").split())
                found[named.get("name", "")] = Picture((0, 0, 0, 0), data, picture_ending(data), alt)
    return found


def _place_cell_pictures(sheet: Sheet, embedded: dict[str, Picture]) -> None:
    for (row, col), shown in tuple(sheet.cells.items()):
        match = _CELL_PICTURE.match(shown.text)
        if match and match[1] in embedded:
            del sheet.cells[row, col]
            sheet.pictures.append(replace(embedded[match[1]], place=(row, col, row, col)))
    sheet.pictures.sort(key=lambda picture: picture.place)


def _shared_strings(package: Package, part: str, keep_struck: bool) -> Iterator[Said]:
    for element in package.elements(part, [f"{S}si"]):
        yield _string(element, keep_struck)


def _string(element: etree._Element, keep_struck: bool = True) -> Said:
    """A string with or without runs; its reading aid (rPh) is no part of it."""
    told = not keep_struck and next(element.iter(f"{S}strike"), None) is not None
    pieces: dict[bool, list[str]] = {False: [], True: []}
    for text in element.iter(f"{S}t"):
        above = text.getparent()
        if above is element or (above is not None and above.tag == f"{S}r"):
            look = above.find(f"{S}rPr") if told and above is not None else None
            pieces[look is not None and has_mark(look, "strike")].append(text.text or "")
    return Said(_unescaped("".join(pieces[False])), _unescaped("".join(pieces[True])), told)


def _unescaped(text: str) -> str:
    """Text with escapes as characters, save halves of such as are two units in UTF-16."""
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda match: match[0] if match[1][0] in "Dd" else chr(int(match[1], 16)), text)


def one_line(text: str) -> str:
    """A cell's text without line ends, since the rows of a table's text are its lines."""
    return " ".join(part for part in (line.strip() for line in text.splitlines()) if part)


def _spans(reference: str) -> list[Span]:
    """Ranges of a reference such as `A1:B2 D4`."""
    found = []
    for part in reference.split():
        ends = [_REFERENCE.fullmatch(end) for end in part.split(":")]
        if all(ends):
            places = [
                (min(integer(end[2], ROWS), ROWS) - 1, min(column_number(end[1]), COLUMNS) - 1) for end in ends if end
            ]
            (top, left), (bottom, right) = places[0], places[-1]
            found.append((min(top, bottom), min(left, right), max(top, bottom), max(left, right)))
    return found
