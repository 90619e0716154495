"""The grid of a table that is drawn with lines, from the lines alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kb_pipeline.deepdoc.tables.grid import Cell, Grid
from kb_pipeline.records import Box

TOLERANCE = 2.0  # points within which parallel lines are one
INSET = 0.7  # points left out at the ends of a cell's side, where lines cross
DRAWN = 0.5  # share of a cell's side that must be drawn for the side to part two cells
MIN_CELLS = 4
LONG = 0.8  # share of the longest line from which a line says where an open border is
OPEN_SIDE = 6.0  # points by which lines must stick out over the outermost line across them
OVERHANG = 0.15  # share of a segment's width that may stick out of its cell
MAX_OUTSIDE = 0.05  # share of the segments that may lie in no cell or across a line
MAX_BESIDE = 0.03  # pairs of segments side by side in one cell, per segment
STACK = 4  # segments in one cell that look like several rows without lines between
MAX_STACKED = 0.34  # share of the filled cells
MIN_ROWS = 5  # rows of a merged region from which its text may show them
ROWS_HELD = 0.8  # share of these rows in which a text must stand
WIDE = 0.8  # share of a table's extent that a line must cover to part all its columns or rows

Line = tuple[float, float, float]
"""Place across and extent along: (y, x0, x1) of a horizontal line, (x, top, bottom) of a vertical one, in points."""


def ruled_grid(horizontal: Sequence[Line], vertical: Sequence[Line], box: Box, texts: np.ndarray) -> Grid | None:
    """The grid that the lines inside `box` draw; None where they draw no closed grid.

    Borders that are left open, as at the sides of many tables, are taken to stand where the lines across them end.
    Places are merged over sides that are not drawn; a merged region that is no rectangle means that the grid is open.
    A merged region falls apart again where its text [N, 4] stands in the rows or columns that are drawn elsewhere, as
    in tables that are ruled at their head alone.
    """
    horizontal = _within(horizontal, box[1], box[3], box[0], box[2])
    vertical = _within(vertical, box[0], box[2], box[1], box[3])
    ys = _bordered(_levels(horizontal), vertical)
    xs = _bordered(_levels(vertical), horizontal)
    rows, cols = len(ys) - 1, len(xs) - 1
    if rows < 1 or cols < 1 or rows * cols < MIN_CELLS:
        return None
    parent = np.arange(rows * cols)

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for r in range(rows):
        for c in range(cols):
            here = r * cols + c
            if c + 1 < cols and _drawn(vertical, xs[c + 1], ys[r], ys[r + 1]) < DRAWN:
                parent[root(here + 1)] = root(here)
            if r + 1 < rows and _drawn(horizontal, ys[r + 1], xs[c], xs[c + 1]) < DRAWN:
                parent[root(here + cols)] = root(here)
    groups: dict[int, list[tuple[int, int]]] = {}
    for i in range(rows * cols):
        groups.setdefault(root(i), []).append(divmod(i, cols))
    regions = []
    for group in sorted(groups.values()):
        r0, r1 = min(r for r, _ in group), max(r for r, _ in group) + 1
        c0, c1 = min(c for _, c in group), max(c for _, c in group) + 1
        if len(group) != (r1 - r0) * (c1 - c0):
            return None
        regions += _apart((r0, r1, c0, c1), ys, xs, np.asarray(texts, float).reshape(-1, 4))
    cells = [Cell(r0, c0, r1 - r0, c1 - c0) for r0, r1, c0, c1 in regions]
    boxes = [[xs[c0], ys[r0], xs[c1], ys[r1]] for r0, r1, c0, c1 in regions]
    if len(cells) < MIN_CELLS:
        return None
    return Grid(tuple(cells), np.array(boxes, float), "rulings")


def _apart(
    region: tuple[int, int, int, int], ys: Sequence[float], xs: Sequence[float], texts: np.ndarray
) -> list[tuple[int, int, int, int]]:
    """A merged region (first and last row, first and last column, half open), in parts where its text shows them."""
    r0, r1, c0, c1 = region
    x, y = (texts[:, 0] + texts[:, 2]) / 2, (texts[:, 1] + texts[:, 3]) / 2
    own = texts[(xs[c0] < x) & (x < xs[c1]) & (ys[r0] < y) & (y < ys[r1])]
    rows = [(r0, r1)]
    if r1 - r0 >= MIN_ROWS and (held := _bands_held(own[:, [1, 3]], ys[r0 : r1 + 1])) is not None:
        rows = [(r, r + 1) for r in range(r0, r1)] if len(held) >= ROWS_HELD * (r1 - r0) else rows
    beside = any(_beside(a, b) for i, a in enumerate(own) for b in own[:i])
    cols = [(c0, c1)]
    if c1 - c0 > 1 and beside and _bands_held(own[:, [0, 2]], xs[c0 : c1 + 1]) is not None:
        cols = [(c, c + 1) for c in range(c0, c1)]
    return [(*row, *col) for row in rows for col in cols]


def _bands_held(extents: np.ndarray, levels: Sequence[float]) -> set[int] | None:
    """The bands between levels in which intervals [N, 2] lie; None where one lies across a level."""
    held = set()
    for low, high in extents:
        band = int(np.searchsorted(levels, (low + high) / 2)) - 1
        over = OVERHANG * (high - low)
        if low < levels[band] - over or high > levels[band + 1] + over:
            return None
        held.add(band)
    return held


def _within(lines: Sequence[Line], low: float, high: float, start: float, end: float) -> list[Line]:
    """Lines inside a box widened by the tolerance, with their ends cut to it."""
    cut = [
        (at, max(a, start - TOLERANCE), min(b, end + TOLERANCE))
        for at, a, b in lines
        if low - TOLERANCE <= at <= high + TOLERANCE
    ]
    return [(float(at), float(a), float(b)) for at, a, b in cut if b > a]


def _levels(lines: Sequence[Line]) -> list[float]:
    """Places at which lines stand, parallel ones within the tolerance taken together."""
    groups: list[list[float]] = []
    for at in sorted(line[0] for line in lines):
        if groups and at - groups[-1][-1] <= TOLERANCE:
            groups[-1].append(at)
        else:
            groups.append([at])
    return [float(np.mean(group)) for group in groups]


def _bordered(levels: list[float], across: Sequence[Line]) -> list[float]:
    """The levels, with those at which the long lines across them start and end, where these stick out."""
    longest = max((b - a for _, a, b in across), default=0.0)
    long = [(a, b) for _, a, b in across if b - a >= LONG * longest]
    if not long or not levels:
        return levels
    start, end = float(np.median([a for a, _ in long])), float(np.median([b for _, b in long]))
    first = [start] if start < levels[0] - OPEN_SIDE else []
    last = [end] if end > levels[-1] + OPEN_SIDE else []
    return [*first, *levels, *last]


def _drawn(lines: Sequence[Line], at: float, start: float, end: float) -> float:
    """Share of the side at `at` from `start` to `end` that lines cover."""
    start, end = start + INSET, end - INSET
    pieces = sorted(
        (max(a, start), min(b, end)) for y, a, b in lines if abs(y - at) <= TOLERANCE and min(b, end) > max(a, start)
    )
    covered, reached = 0.0, start
    for a, b in pieces:
        covered += max(0.0, b - max(a, reached))
        reached = max(reached, b)
    return covered / max(end - start, 1e-6)


def fits(ruled: Grid, model: Grid, boxes: np.ndarray) -> bool:
    """Whether a ruled grid is the table's grid, and not a frame around open rows or columns.

    Hardly any text [N, 4] lies outside of its cells; where a model sees more columns, hardly any cell holds segments
    side by side; where it sees more rows, few cells hold a stack of segments.
    """
    if len(boxes) == 0:
        return False
    outside, held = 0, {}
    cells = ruled.boxes
    for box in np.asarray(boxes, float):
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        at = (cells[:, 0] <= x) & (x <= cells[:, 2]) & (cells[:, 1] <= y) & (y <= cells[:, 3])
        owners = np.flatnonzero(at)
        if len(owners) == 0:
            outside += 1
            continue
        held.setdefault(int(owners[0]), []).append(box)
        over = OVERHANG * (box[2] - box[0])
        outside += bool(box[0] < cells[owners[0], 0] - over or box[2] > cells[owners[0], 2] + over)
    beside = sum(_beside(a, b) for group in held.values() for i, a in enumerate(group) for b in group[:i])
    stacked = sum(len(group) >= STACK for group in held.values())
    return (
        outside <= max(1, MAX_OUTSIDE * len(boxes))
        and (ruled.cols >= model.cols or beside <= MAX_BESIDE * len(boxes))
        and (ruled.rows >= model.rows or stacked <= max(1, MAX_STACKED * len(held)))
    )


def snapped(grid: Grid, horizontal: Sequence[Line], vertical: Sequence[Line], box: Box) -> Grid:
    """The model's grid with its rows and columns set to the lines that run through the table, where these are as many.

    Rows and columns are looked at on their own: a table ruled between its rows alone gets exact rows.
    """
    horizontal = _within(horizontal, box[1], box[3], box[0], box[2])
    vertical = _within(vertical, box[0], box[2], box[1], box[3])
    boxes = grid.boxes.copy()
    for lines, across, count, low, axis in (
        (horizontal, vertical, grid.rows, 1, "row"),
        (vertical, horizontal, grid.cols, 0, "col"),
    ):
        extent = (box[0], box[2]) if axis == "row" else (box[1], box[3])
        levels = [at for at in _levels(lines) if _drawn(lines, at, *extent) >= WIDE]
        levels = _bordered(levels, across) if across else levels
        if len(levels) != count + 1:
            continue
        for i, cell in enumerate(grid.cells):
            first, span = (cell.row, cell.rowspan) if axis == "row" else (cell.col, cell.colspan)
            boxes[i, low], boxes[i, low + 2] = levels[first], levels[first + span]
    return Grid(grid.cells, boxes, grid.method, grid.confidence, grid.cut)


def _beside(a: np.ndarray, b: np.ndarray) -> bool:
    shared = min(a[3], b[3]) - max(a[1], b[1])
    lower = min(a[3] - a[1], b[3] - b[1])
    return bool(shared > 0.5 * lower and max(a[0], b[0]) - min(a[2], b[2]) > lower)
