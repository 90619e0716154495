"""The grid of a table from the components that a dropped-in tsr.onnx finds: rows, columns, header, spanning cells."""

from __future__ import annotations

import numpy as np

from kb_pipeline.deepdoc.tables.grid import Cell, Grid
from kb_pipeline.deepdoc.vision.deepdoc_weights.nets import COMPONENTS, Found, find

COLUMN, ROW, HEADER, PROJECTED, SPANNING = range(1, 6)

MARGIN = 10.0  # points around a table that the net is used to
DOUBLE = 0.6  # share of the shorter from which two rows (columns) are one
COVERED = 0.5  # share of a row's height from which a header box makes it a header row
MANY_ROWS = 4  # rows above which their ends are averaged; a few are stretched to the outermost


def read_components(crop: np.ndarray) -> Grid:
    """The grid of a table's picture, boxes in pixels of the crop; without cells where rows or columns are not seen.

    Rows are stretched to common ends and columns to common tops and bottoms; a cell is where a row and a column
    meet. A spanning cell takes the places whose middles it covers, a projected row header its whole row.

    Args:
        crop: [H, W, 3] uint8 BGR, with `MARGIN` points around the table.

    Raises:
        ModelMissing: tsr.onnx is no net that is known.
    """
    found = find("table", crop, len(COMPONENTS))
    rows, row_scores = _bands(found, ROW, 1)
    cols, col_scores = _bands(found, COLUMN, 0)
    if not len(rows) or not len(cols):
        return Grid((), np.zeros((0, 4)), "tsr", 0.0)
    few = len(rows) <= MANY_ROWS
    rows[:, 0], rows[:, 2] = (rows[:, 0].min(), rows[:, 2].max()) if few else (rows[:, 0].mean(), rows[:, 2].mean())
    cols[:, 1], cols[:, 3] = np.median(cols[:, 1]), np.median(cols[:, 3])
    header = _covered(rows, found.boxes[found.classes == HEADER])
    projected = _covered(rows, found.boxes[found.classes == PROJECTED])
    spans = [(r, 0, 1, len(cols)) for r in np.flatnonzero(projected).tolist()]
    spans += _spans(found, rows, cols)
    cells, boxes, taken = [], [], set()
    for row, col, rowspan, colspan in spans + [(r, c, 1, 1) for r in range(len(rows)) for c in range(len(cols))]:
        places = {(r, c) for r in range(row, row + rowspan) for c in range(col, col + colspan)}
        if places & taken:
            continue
        taken |= places
        cells.append(Cell(row, col, rowspan, colspan, bool(header[row] or projected[row])))
        last_row, last_col = rows[row + rowspan - 1], cols[col + colspan - 1]
        boxes.append([cols[col][0], rows[row][1], last_col[2], last_row[3]])
    order = sorted(range(len(cells)), key=lambda i: (cells[i].row, cells[i].col))
    confidence = float(np.concatenate([row_scores, col_scores]).mean())
    return Grid(tuple(cells[i] for i in order), np.array([boxes[i] for i in order], float), "tsr", confidence)


def _bands(found: Found, component: int, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Boxes and scores of rows (`axis` 1, top to bottom) or columns (0, left to right), doubles taken out."""
    own = np.flatnonzero(found.classes == component)
    kept: list[int] = []
    for i in own[np.argsort(-found.scores[own], kind="stable")]:
        low, high = found.boxes[i, axis], found.boxes[i, axis + 2]
        apart = all(
            min(high, found.boxes[k, axis + 2]) - max(low, found.boxes[k, axis])
            < DOUBLE * min(high - low, found.boxes[k, axis + 2] - found.boxes[k, axis])
            for k in kept
        )
        if apart:
            kept.append(int(i))
    kept.sort(key=lambda i: (found.boxes[i, axis] + found.boxes[i, axis + 2], i))
    return found.boxes[kept].copy(), found.scores[kept]


def _covered(rows: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """[rows] bool: most of the row's height lies in one of the boxes."""
    covered = np.zeros(len(rows), bool)
    for _, top, _, bottom in boxes:
        shared = np.minimum(rows[:, 3], bottom) - np.maximum(rows[:, 1], top)
        covered |= shared >= COVERED * (rows[:, 3] - rows[:, 1])
    return covered


def _spans(found: Found, rows: np.ndarray, cols: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Row, column, row span, column span of every spanning cell of more than one place, surest first."""
    spans = []
    row_middles, col_middles = (rows[:, 1] + rows[:, 3]) / 2, (cols[:, 0] + cols[:, 2]) / 2
    own = np.flatnonzero(found.classes == SPANNING)
    for i in own[np.argsort(-found.scores[own], kind="stable")]:
        x0, top, x1, bottom = found.boxes[i]
        r = np.flatnonzero((row_middles > top) & (row_middles < bottom))
        c = np.flatnonzero((col_middles > x0) & (col_middles < x1))
        if len(r) * len(c) > 1:
            spans.append((int(r[0]), int(c[0]), len(r), len(c)))
    return spans
