"""The grid of a table before its text: cells with spans, and a box for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Cell:
    """A cell by row and column from 0."""

    row: int
    col: int
    rowspan: int = 1
    colspan: int = 1
    header: bool = False


@dataclass(frozen=True)
class Grid:
    """Cells by row and column, each with its box.

    Attributes:
        boxes: [N, 4] float64 (x0, top, x1, bottom), one per cell, in the frame of whoever made the grid.
        method: what read it: a model's name, `rulings` or `lines`.
        confidence: mean token probability of a model, 1 for rulings.
        cut: the model stopped at its longest output, so that rows are missing.
    """

    cells: tuple[Cell, ...]
    boxes: np.ndarray
    method: str
    confidence: float = 1.0
    cut: bool = False

    @property
    def rows(self) -> int:
        return max((c.row + c.rowspan for c in self.cells), default=0)

    @property
    def cols(self) -> int:
        return max((c.col + c.colspan for c in self.cells), default=0)

    def owners(self) -> np.ndarray:
        """[rows, cols] indexes of the cell that owns a place, -1 where none does."""
        owner = np.full((self.rows, self.cols), -1, int)
        for i, cell in enumerate(self.cells):
            owner[cell.row : cell.row + cell.rowspan, cell.col : cell.col + cell.colspan] = i
        return owner

    def moved(self, factor: float, x: float, y: float) -> Grid:
        """The same grid with boxes times `factor`, then moved by (x, y)."""
        return replace(self, boxes=self.boxes * factor + np.array([x, y, x, y], float))


def whole_grid(grid: Grid) -> Grid:
    """The grid with every place owned by exactly one cell, cells in row order.

    Spans that reach over a cell that came earlier are cut back; places that nothing owns become empty cells whose boxes
    are the bands of their row and column. Rows and columns in which no cell starts are taken out.
    """
    if not grid.cells:
        return grid
    taken: dict[tuple[int, int], int] = {}
    cells = []
    for i, cell in enumerate(grid.cells):
        colspan = 0
        while colspan < cell.colspan and (cell.row, cell.col + colspan) not in taken:
            colspan += 1
        rowspan = 1
        while rowspan < cell.rowspan and all(
            (cell.row + rowspan, cell.col + k) not in taken for k in range(max(colspan, 1))
        ):
            rowspan += 1
        cells.append(replace(cell, rowspan=rowspan, colspan=colspan))
        taken.update({(cell.row + r, cell.col + k): i for r in range(rowspan) for k in range(colspan)})
    kept = [i for i, c in enumerate(cells) if c.colspan]
    grid = replace(grid, cells=tuple(cells[i] for i in kept), boxes=np.asarray(grid.boxes, float)[kept])
    return _filled(_without_empty_bands(grid))


def _without_empty_bands(grid: Grid) -> Grid:
    """Rows and columns in which no cell starts only repeat the ones before them."""
    rows = sorted({c.row for c in grid.cells})
    cols = sorted({c.col for c in grid.cells})
    cells = []
    for c in grid.cells:
        row, col = rows.index(c.row), cols.index(c.col)
        rowspan = sum(c.row <= r < c.row + c.rowspan for r in rows)
        colspan = sum(c.col <= k < c.col + c.colspan for k in cols)
        cells.append(Cell(row, col, rowspan, colspan, c.header))
    return replace(grid, cells=tuple(cells))


def _filled(grid: Grid) -> Grid:
    owner = grid.owners()
    empty = [(int(r), int(k)) for r, k in np.argwhere(owner < 0)]
    row_bands = bands(grid.cells, grid.boxes, grid.rows, "row")
    col_bands = bands(grid.cells, grid.boxes, grid.cols, "col")
    header = {r for r in range(grid.rows) if any(c.row == r and c.header for c in grid.cells)}
    cells = [*grid.cells, *(Cell(r, k, header=r in header) for r, k in empty)]
    boxes = [
        *grid.boxes.tolist(),
        *([col_bands[k][0], row_bands[r][0], col_bands[k][1], row_bands[r][1]] for r, k in empty),
    ]
    order = sorted(range(len(cells)), key=lambda i: (cells[i].row, cells[i].col))
    return replace(
        grid, cells=tuple(cells[i] for i in order), boxes=np.array([boxes[i] for i in order], float).reshape(-1, 4)
    )


def bands(cells: Sequence[Cell], boxes: np.ndarray, count: int, axis: str) -> list[tuple[float, float]]:
    """Extent of every row (`axis` "row", top to bottom) or column ("col", left to right): the median of its cells.

    Bands without a cell of their own lie between their neighbours.
    """
    low, high = (1, 3) if axis == "row" else (0, 2)
    found: list[tuple[float, float] | None] = []
    for i in range(count):
        own = [
            box
            for cell, box in zip(cells, boxes, strict=True)
            if (cell.row == i and cell.rowspan == 1 if axis == "row" else cell.col == i and cell.colspan == 1)
        ]
        found.append(
            (float(np.median([b[low] for b in own])), float(np.median([b[high] for b in own]))) if own else None
        )
    start = float(np.min(boxes[:, low])) if len(boxes) else 0.0
    end = float(np.max(boxes[:, high])) if len(boxes) else 0.0
    whole_bands: list[tuple[float, float]] = []
    for i, band in enumerate(found):
        if band is None:
            before = whole_bands[-1][1] if whole_bands else start
            after = next((b[0] for b in found[i + 1 :] if b), end)
            band = (min(before, after), max(before, after))
        whole_bands.append(band)
    return whole_bands
