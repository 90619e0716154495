"""XLS (Excel 97 to 2003, and 5): sheets with their cells as they are shown, through xlrd."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence

import xlrd
from xlrd.biffh import XLRDError, error_text_from_code
from xlrd.compdoc import CompDocError
from xlrd.formatting import XF

from kb_pipeline.errors import DamagedFile, EncryptedFile, FileTooLarge
from kb_pipeline.formats.spreadsheet.book import MAX_CELLS, Sheet, Shown
from kb_pipeline.formats.spreadsheet.number_format import general, shown_number, shown_text
from kb_pipeline.formats.spreadsheet.xlsx import one_line
from kb_pipeline.tables.headers import is_figure

SPARSE = 10  # cells of the ranges in use, a cell allowed
SOLID = 1  # fill pattern
WHITE = (9, 65)  # palette indexes of white and of the window's ground
# what xlrd raises on bytes that are not what they should be
DAMAGE = (
    XLRDError, CompDocError, struct.error, AssertionError, LookupError, ValueError, ArithmeticError, TypeError,
    AttributeError, RecursionError,
)  # fmt: skip


def read_xls(data: bytes, name: str, keep_struck: bool) -> list[Sheet]:
    """The sheets of a workbook in order. `keep_struck`: text that is struck out is text.

    Raises:
        EncryptedFile, DamagedFile, FileTooLarge.
    """
    try:
        book = xlrd.open_workbook(file_contents=data, formatting_info=True, logfile=io.StringIO(), on_demand=False)
        size = sum(sheet.nrows * sheet.ncols for sheet in book.sheets())
        if size <= SPARSE * MAX_CELLS:
            return [_sheet(book, sheet, keep_struck) for sheet in book.sheets()]
    except DAMAGE as error:
        if "encrypted" in str(error).lower():
            raise EncryptedFile("the workbook needs a password", document=name, remedy="save it without one") from error
        raise DamagedFile(
            f"the workbook cannot be read ({error})", document=name,
            remedy="open it in its own program and save it again",
        ) from error  # fmt: skip
    raise FileTooLarge(f"it holds more than {MAX_CELLS} cells", document=name, remedy="split the workbook")


def _sheet(book: xlrd.Book, source: xlrd.sheet.Sheet, keep_struck: bool) -> Sheet:
    sheet = Sheet(source.name, source.visibility != 0)
    for row in range(source.nrows):
        for col in range(source.row_len(row)):
            cell = source.cell(row, col)
            style = book.xf_list[cell.xf_index] if cell.xf_index is not None else None
            text, figure = _shown(book, cell, book.format_map[style.format_key].format_str if style else "General")
            if text and not keep_struck:
                text, struck = _valid(book, text, style, source.rich_text_runlist_map.get((row, col)))
                if struck:
                    sheet.struck[row, col] = struck
                    figure = figure and bool(text)
            if text:
                bold = bool(style) and book.font_list[style.font_index].weight >= 600
                ground = style.background if style else None
                coloured = bool(ground) and ground.fill_pattern == SOLID and ground.pattern_colour_index not in WHITE
                sheet.cells[row, col] = Shown(text, figure, bold, coloured)
            elif cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE) and (row, col) not in sheet.struck:
                sheet.hidden_values[row, col] = general(float(cell.value))
            elif style and _is_framed(style):
                sheet.framed.add((row, col))
    sheet.merged = [(top, left, bottom - 1, right - 1) for top, bottom, left, right in source.merged_cells]
    sheet.hidden_rows = {row for row, info in source.rowinfo_map.items() if info.hidden}
    sheet.hidden_columns = {col for col, info in source.colinfo_map.items() if info.hidden}
    sheet.comments = {place: one_line(note.text) for place, note in source.cell_note_map.items()}
    addresses = {place: link.url_or_path for place, link in source.hyperlink_map.items()}
    sheet.links = {place: address for place, address in addresses.items() if isinstance(address, str) and address}
    return sheet


def _valid(book: xlrd.Book, text: str, style: XF | None, runs: Sequence[tuple[int, int]] | None) -> tuple[str, str]:
    """What of a cell's text is valid, and what is struck out. `runs`: offset and font, where fonts change."""
    fonts = [(0, style.font_index if style else 0), *(runs or ())]
    ends = [*(start for start, _ in fonts[1:]), len(text)]
    parts: dict[bool, str] = {False: "", True: ""}
    for (start, font), end in zip(fonts, ends, strict=True):
        parts[bool(book.font_list[font].struck_out)] += text[start:end]
    return (text, "") if not parts[True] else (one_line(parts[False]), one_line(parts[True]))


def _is_framed(style: XF) -> bool:
    border = style.border
    return border is not None and any(
        (border.top_line_style, border.bottom_line_style, border.left_line_style, border.right_line_style)
    )


def _shown(book: xlrd.Book, cell: xlrd.sheet.Cell, code: str) -> tuple[str, bool]:
    """A cell's text as it is shown, and whether it is a figure."""
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        return shown_number(float(cell.value), code, bool(book.datemode)), code != "@"
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return ("TRUE" if cell.value else "FALSE"), False
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return error_text_from_code.get(int(cell.value), "#ERROR!"), False
    text = one_line(shown_text(str(cell.value), code)) if cell.ctype == xlrd.XL_CELL_TEXT else ""
    return text, is_figure(text)
