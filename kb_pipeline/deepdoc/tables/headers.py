"""Header rows by what stands in them: words above figures, whatever the structure model said.

Table models trained on ruled tables mark no header, and rulings know none, but chunks repeat the header rows and
answers name a value by them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kb_pipeline.deepdoc.tables.grid import Grid

MAX_HEADER_ROWS = 4
_FIGURE = re.compile(r"[^\w]*\d[\d\s.,:%‰°'′″~～–−±×/()（）+\-]*\w{0,3}")  # digits lead, a short unit may follow
_YEAR = re.compile(r"(?:19|20)\d{2}\s*(?:年度?|[AEae])?|[QqHh][1-4]|\d{1,2}\s*月")


def with_headers(grid: Grid, texts: Sequence[str]) -> Grid:
    """The grid with its header rows marked: the leading rows of words that stand above rows with figures, and the rows
    that merged header cells reach into. Where nothing is proven so, the marks that the grid came with stay.

    Args:
        texts: text of every cell, in the order of `grid.cells`.
    """
    rows = _header_rows(grid, texts)
    if not rows:
        return grid
    cells = tuple(replace(cell, header=cell.row < rows) for cell in grid.cells)
    return replace(grid, cells=cells)


def _header_rows(grid: Grid, texts: Sequence[str]) -> int:
    found = 0
    while found < min(grid.rows - 1, MAX_HEADER_ROWS) and _names_columns(grid, texts, found):
        found += 1
    if found == 0 or not _has_figures(grid, texts, found):
        return 0  # words all the way down: which row names the columns is not to be seen
    reach = max(cell.row + cell.rowspan for cell in grid.cells if cell.row < found)
    return reach if reach <= found else 0  # a cell that runs on into the figures is a row's label, not a header


def _row(grid: Grid, texts: Sequence[str], row: int) -> list[str]:
    return [text.strip() for cell, text in zip(grid.cells, texts, strict=True) if cell.row == row and text.strip()]


def _names_columns(grid: Grid, texts: Sequence[str], row: int) -> bool:
    """Whether a row holds words, or years under or beside words, and no figures; an only cell must span columns."""
    filled = _row(grid, texts, row)
    if not filled:
        return False
    if len(filled) == 1 and not any(c.row == row and c.colspan > 1 for c in grid.cells):
        return False
    return not any(_FIGURE.fullmatch(text) and not _YEAR.fullmatch(text) for text in filled)


def _has_figures(grid: Grid, texts: Sequence[str], row: int) -> bool:
    return any(_FIGURE.fullmatch(text) for text in _row(grid, texts, row))
