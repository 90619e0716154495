"""Tables longer than a structure model's output: read in parts that are put on top of each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kb_pipeline.deepdoc.tables.grid import Grid
from kb_pipeline.deepdoc.tables.model import read_structure

DEEPEST = 4  # halvings: 16 parts
MIDDLE = (0.3, 0.7)  # share of the height in which a cut is looked for
CORE = 0.22  # share of a line's height at its top and bottom that a cut may touch: boxes are loose


def read_tiled(crop: np.ndarray, lines: np.ndarray, role: str = "table", depth: int = 0) -> Grid:
    """The grid of a table's picture, however long.

    Where the model's output is cut, the picture is cut at the text-free row nearest to its middle and both parts are
    read on their own.

    Args:
        crop: [H, W, 3] uint8 BGR.
        lines: [N, 4] boxes of the text in pixels of the crop.
        role: the model to ask.
    """
    grid = read_structure(crop, role)
    if not grid.cut or depth == DEEPEST:
        return grid
    at = _free_row(crop.shape[0], lines)
    if at is None:
        return grid
    middles = (lines[:, 1] + lines[:, 3]) / 2
    upper = read_tiled(crop[:at], lines[middles <= at], role, depth + 1)
    lower = read_tiled(crop[at:], lines[middles > at] - np.array([0, at, 0, at]), role, depth + 1)
    if not upper.cells or not lower.cells:
        return grid
    below = tuple(replace(cell, row=cell.row + upper.rows, header=False) for cell in lower.cells)
    return Grid(
        upper.cells + below,
        np.concatenate([upper.boxes, lower.boxes + np.array([0, at, 0, at])]),
        grid.method,
        (upper.confidence + lower.confidence) / 2,
        upper.cut or lower.cut,
    )


def _free_row(height: int, lines: np.ndarray) -> int | None:
    free = np.ones(height, bool)
    for top, bottom in lines[:, [1, 3]]:
        inset = CORE * (bottom - top)
        free[max(0, int(top + inset)) : int(bottom - inset) + 1] = False
    first = int(height * MIDDLE[0])
    rows = np.flatnonzero(free[first : int(height * MIDDLE[1])]) + first
    return int(rows[np.argmin(np.abs(rows - height / 2))]) if len(rows) else None
