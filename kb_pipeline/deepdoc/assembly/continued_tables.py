"""Tables that go on over a page break, put together.

A table is continued by the first table of the next page where only noise stands between the two, both have the same
columns at the same places, and the second has no caption of its own, or one that says it goes on (续表, continued).
Header rows that come again are dropped, a row that the break split is rejoined, and every cell keeps its page and box.
Tables whose columns disagree stay apart.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import replace
from statistics import median
from typing import NamedTuple

import msgspec

from kb_pipeline.deepdoc.assembly.drafts import Block, Draft
from kb_pipeline.records import Box, Dropped, PageLocator, TableCell, TableGrid, on_pages
from kb_pipeline.tables.html import table_html
from kb_pipeline.text.drop_reasons import CONTINUED_CAPTION, REPEATED_HEADER
from kb_pipeline.text.joining import separator
from kb_pipeline.text.markers import ends_sentence

MIN_END, MAX_START = 0.6, 0.4  # shares of the page's height below and above which the two parts end and begin
WIDTH_DIFFERENCE = 0.08  # relative difference of the widths of two parts
COLUMN_DIFFERENCE = 0.08  # share of the width by which a ruled column's left edge may differ
COMMON_EXTENT = 0.6  # share of the narrower of two extents that a column has in common on both pages
SAME_TEXT = 0.9  # similarity of two header cells' texts
NOTE_SIZE = 0.85  # times a table's type size, up to which text below it is a note that does not part it

_CONTINUED = re.compile(r"续\s*表|(?:表|table|tab\.).*[(（\s](?:续|cont(?:inued|['’.]?d)?\.?)\s*[)）]?$", re.I)


def join_tables(drafts: Sequence[Draft], keep: Collection[str]) -> tuple[list[Draft], list[Dropped]]:
    """Drafts with continued tables as one, and what was dropped: repeated header rows, captions of continuations.

    `keep`: reasons that are switched off; such rows stay in the table, such captions stay as text after it.
    """
    found: list[Draft] = []
    dropped: list[Dropped] = []
    for draft in drafts:
        at = _table_before(found)
        first, second = _table(found[at].block) if at is not None else None, _table(draft.block)
        if at is None or first is None or second is None or not _goes_on(found[at], first, draft, second):
            found.append(draft)
            continue
        rows = 0 if REPEATED_HEADER in keep else _repeated_rows(first.grid, second.grid)
        grid, gone = _joined(first.grid, second.grid, rows)
        dropped += gone
        more = (*found[at].more, second.block)
        found[at] = replace(found[at], block=replace(first.block, grid=grid), more=more)
        if draft.caption and CONTINUED_CAPTION in keep:
            found.append(Draft("text", draft.page, draft.caption))
        else:
            lines = [line for row in draft.caption for line in row.lines]
            dropped += [Dropped(line.text, CONTINUED_CAPTION, (line.locator(0, len(line.text)),)) for line in lines]
    return found, dropped


class _Table(NamedTuple):
    """A block that is a table, with what every table has: its grid, and its box on the displayed page."""

    block: Block
    grid: TableGrid
    shown: Box


def _table(block: Block | None) -> _Table | None:
    if block is None or block.grid is None or block.shown is None:
        return None
    return _Table(block, block.grid, block.shown)


def _table_before(found: Sequence[Draft]) -> int | None:
    """Index of the table that ends the drafts so far, notes below it aside."""
    for i in range(len(found) - 1, -1, -1):
        draft = found[i]
        if draft.block is not None:
            return i if draft.block.grid is not None else None
        if not _is_note(draft, found[:i]):
            return None
    return None


def _is_note(draft: Draft, before: Sequence[Draft]) -> bool:
    block = next((d.block for d in reversed(before) if d.block is not None), None)
    if block is None or block.grid is None or draft.level or len(draft.rows) > 2:
        return False
    return all(row.size <= NOTE_SIZE * _cell_size(block.grid) for row in draft.rows)


def _cell_size(grid: TableGrid) -> float:
    heights = [p.box[3] - p.box[1] for cell in grid.cells if cell.rowspan == 1 for p in on_pages(cell.locators)]
    return 0.6 * median(heights) if heights else 10.0


def _goes_on(first: Draft, whole: _Table, second: Draft, b: _Table) -> bool:
    """Whether the second table continues the first, which is `whole` with all that was joined to it before."""
    a = _table(first.more[-1]) if first.more else whole
    if a is None or b.block.page != a.block.page + 1 or a.grid.turned != b.grid.turned:
        return False
    if whole.grid.cols != b.grid.cols:
        return False
    if not _columns_agree(a, b):
        return False
    if second.caption:
        return _says_continued(first, second)
    if a.grid.turned:
        return True
    return a.shown[3] >= MIN_END * a.block.page_size[1] and b.shown[1] <= MAX_START * b.block.page_size[1]


def _says_continued(first: Draft, second: Draft) -> bool:
    own, before = (
        unicodedata.normalize("NFKC", " ".join(line.text for row in d.caption for line in row.lines)).strip()
        for d in (second, first)
    )
    return bool(_CONTINUED.search(own)) or own == before


def _columns_agree(a: _Table, b: _Table) -> bool:
    """Same width, and the columns at the same places in it: ruled ones by their left edges, others by their extents,
    since a cell without rulings is as wide as its text."""
    axis = 1 if a.grid.turned in (90, 270) else 0
    widths = [table.shown[axis + 2] - table.shown[axis] for table in (a, b)]
    if abs(widths[0] - widths[1]) > WIDTH_DIFFERENCE * max(widths):
        return False
    one, two = (_columns(table, axis) for table in (a, b))
    ruled = a.grid.method == b.grid.method == "rulings"
    for col in one.keys() & two.keys():
        (left, right), (low, high) = one[col], two[col]
        if ruled and abs(left - low) > COLUMN_DIFFERENCE:
            return False
        if min(right, high) - max(left, low) < COMMON_EXTENT * min(right - left, high - low):
            return False
    return True


def _columns(table: _Table, axis: int) -> dict[int, tuple[float, float]]:
    """Extent of each column as shares of the table's width: median left edge, median right edge."""
    low, high = table.shown[axis], table.shown[axis + 2]
    found: dict[int, list[tuple[float, float]]] = {}
    for cell in table.grid.cells:
        for place in on_pages(cell.locators):
            if place.page == table.block.page and cell.colspan == 1 and high > low:
                ends = (place.box[axis] - low) / (high - low), (place.box[axis + 2] - low) / (high - low)
                found.setdefault(cell.col, []).append(ends)
    return {col: (median(left for left, _ in ends), median(right for _, right in ends)) for col, ends in found.items()}


def _repeated_rows(first: TableGrid, second: TableGrid) -> int:
    """Rows at the head of the second table that are the header rows of the first."""
    rows = 0
    while rows < min(first.rows, second.rows) and _same_row(first, second, rows):
        rows += 1
    while rows and any(cell.row < rows < cell.row + cell.rowspan for cell in second.cells):
        rows -= 1
    return rows if rows < second.rows else 0


def _same_row(first: TableGrid, second: TableGrid, row: int) -> bool:
    a, b = (
        {cell.col: _plain(cell.text) for cell in grid.cells if cell.row == row and cell.text.strip()}
        for grid in (first, second)
    )
    header = any(cell.header for grid in (first, second) for cell in grid.cells if cell.row == row)
    wordy = any(any(c.isalpha() for c in text) for text in a.values())
    if not a or a.keys() != b.keys() or not (header or wordy):
        return False
    return all(difflib.SequenceMatcher(None, a[col], b[col], autojunk=False).ratio() >= SAME_TEXT for col in a)


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).casefold()


def _joined(first: TableGrid, second: TableGrid, rows: int) -> tuple[TableGrid, list[Dropped]]:
    """Both grids as one, without the first `rows` of the second."""
    gone = [cell for cell in second.cells if cell.row < rows]
    rest = [cell for cell in second.cells if cell.row >= rows]
    cells = list(first.cells)
    split = _split_row(first, rest, rows)
    if split:
        cells = [_continued_cell(cell, split.get(cell.col)) if _ends(cell, first) else cell for cell in cells]
        rest = [cell for cell in rest if cell.row > rows]
        rows += 1
    shift = first.rows - rows
    cells += [msgspec.structs.replace(cell, row=cell.row + shift) for cell in rest]
    whole = tuple(cells)
    grid = msgspec.structs.replace(
        first, rows=first.rows + second.rows - rows, cells=whole, html=table_html(whole), lines=first.lines
    )
    return grid, [Dropped(cell.text, REPEATED_HEADER, cell.locators) for cell in gone if cell.text.strip()]


def _ends(cell: TableCell, grid: TableGrid) -> bool:
    return cell.row + cell.rowspan == grid.rows


def _split_row(first: TableGrid, rest: Sequence[TableCell], row: int) -> dict[int, TableCell]:
    """The cells by which the second part's first row goes on with the first part's last row; none for a row of its own.

    Such a row has no key in its first column, fills fewer cells, and goes on where text stands that has not ended.
    """
    head = [cell for cell in rest if cell.row == row]
    filled = {cell.col: cell for cell in head if cell.text.strip()}
    above = {cell.col: cell for cell in first.cells if _ends(cell, first)}
    key = min((cell.col for cell in head), default=0)
    if not filled or key in filled or any(cell.rowspan > 1 for cell in head) or not above.get(key):
        return {}
    if not above[key].text.strip() or len(filled) > 0.5 * len([c for c in above.values() if c.text.strip()]):
        return {}
    for col, cell in filled.items():
        before = above[col].text.strip() if col in above and above[col].colspan == cell.colspan else ""
        if not before or ends_sentence(before) or not any(c.isalpha() for c in cell.text):
            return {}
    return filled


def _continued_cell(cell: TableCell, more: TableCell | None) -> TableCell:
    """A cell with the rest of its text from the next page, each place with its own range."""
    if more is None:
        return cell
    between = separator(cell.text.rstrip(), more.text.lstrip())
    start = len(cell.text) + len(between)
    before, after = on_pages(cell.locators), on_pages(more.locators)
    places = [*_ranged(before, 0, len(cell.text)), *_ranged(after, start, len(more.text))]
    return msgspec.structs.replace(cell, text=cell.text + between + more.text, locators=tuple(places))


def _ranged(places: Sequence[PageLocator], start: int, length: int) -> list[PageLocator]:
    found = []
    for place in places:
        first, last = (place.start, place.end) if place.end > place.start else (0, length)
        found.append(msgspec.structs.replace(place, start=start + first, end=start + last))
    return found
