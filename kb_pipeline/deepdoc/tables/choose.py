"""Which reader's grid to believe: the models by their confidence, rulings as the arbiter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kb_pipeline.deepdoc.tables.aligned_grid import aligned_grid, is_better
from kb_pipeline.deepdoc.tables.components import read_components
from kb_pipeline.deepdoc.tables.grid import Cell, Grid, whole_grid
from kb_pipeline.deepdoc.tables.ruled import Line, fits, ruled_grid, snapped
from kb_pipeline.deepdoc.tables.tiling import read_tiled
from kb_pipeline.records import TextLine
from kb_pipeline.weights.manifest import DEEPDOC, in_use

SURE = 0.98
"""Mean token probability below which a model's grid is doubtful (mean TEDS-S .39 below .99, .93 above)."""


def choose_grid(
    crop: np.ndarray,
    scale: float,
    segments: Sequence[TextLine],
    horizontal: Sequence[Line],
    vertical: Sequence[Line],
    second_opinion: bool,
) -> Grid:
    """The grid of a table, boxes in points from the crop's upper left corner.

    Args:
        crop: [H, W, 3] uint8 BGR, the table's picture.
        scale: pixels per point.
        segments: the table's text in points.
        horizontal, vertical: rulings in points.
        second_opinion: ask the second model where the first is unsure; a dropped-in tsr.onnx is asked alone.

    Returns:
        A grid; without cells where nothing reads one.
    """
    boxes = np.array([s.box for s in segments], float).reshape(-1, 4)
    frame = (0.0, 0.0, crop.shape[1] / scale, crop.shape[0] / scale)
    ruled = ruled_grid(horizontal, vertical, frame, boxes)
    original = in_use("table") == DEEPDOC
    grid = read_components(crop) if original else read_tiled(crop, boxes * scale)
    if ruled is not None and fits(ruled, grid, boxes):
        return _with_headers(ruled, grid)
    if second_opinion and not original and (grid.confidence < SURE or grid.cut):
        other = read_tiled(crop, boxes * scale, "table second opinion")
        if (not other.cut, other.confidence) > (not grid.cut, grid.confidence):
            grid = other
    aligned = aligned_grid(segments)
    if aligned and is_better(aligned, whole_grid(grid)):
        return aligned
    return snapped(grid.moved(1 / scale, 0.0, 0.0), horizontal, vertical, frame)


def _same_size(a: Grid, b: Grid) -> bool:
    return (a.rows, a.cols) == (b.rows, b.cols)


def _with_headers(ruled: Grid, model: Grid) -> Grid:
    """The ruled grid, with the header rows that the model saw."""
    last = max((c.row for c in model.cells if c.header), default=-1) if _same_size(ruled, model) else 0
    cells = tuple(Cell(c.row, c.col, c.rowspan, c.colspan, c.row <= last) for c in ruled.cells)
    return Grid(cells, ruled.boxes, ruled.method, ruled.confidence)


def grid_of_lines(boxes: np.ndarray) -> Grid:
    """A grid from the boxes [N, 4] of the text alone.

    Rows where segments overlap in height, columns where they overlap in width: the last resort for what is called a
    table but has no structure that a model or rulings show.
    """
    if len(boxes) == 0:
        return Grid((), boxes, "lines", 0.0)
    rows, cols = _bands(boxes[:, [1, 3]], 0.5), _bands(boxes[:, [0, 2]], 0.0)
    cells = tuple(Cell(r, c) for r in range(len(rows)) for c in range(len(cols)))
    places = np.array([[cols[c.col][0], rows[c.row][0], cols[c.col][1], rows[c.row][1]] for c in cells], float)
    return Grid(cells, places, "lines", 0.0)


def _bands(extents: np.ndarray, min_overlap: float) -> list[tuple[float, float]]:
    """Groups of intervals [N, 2] that overlap by more than `min_overlap` of the shorter, as their hulls in order."""
    found: list[list[float]] = []
    for low, high in extents[np.argsort(extents[:, 0], kind="stable")]:
        if found:
            shared = min(high, found[-1][1]) - max(low, found[-1][0])
            if shared > min_overlap * min(high - low, found[-1][1] - found[-1][0]):
                found[-1][1] = max(found[-1][1], high)
                continue
        found.append([low, high])
    return [(low, high) for low, high in found]
