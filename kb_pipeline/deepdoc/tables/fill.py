"""Which text stands in which cell of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kb_pipeline.deepdoc.tables.grid import Grid
from kb_pipeline.records import TextLine

MIN_OVERLAP = 0.15
"""Share of a segment's area that must lie in a cell for an overlap to count; below it the nearest cell is taken."""

ROW_WEIGHT = 2.0
"""A wrong row is worse than a wrong column: vertical distance counts this much more in the search for the nearest."""

LEVEL = 0.6  # of the lower segment's height: segments that share it stand on one level of the page
SAME_ROW = 0.5  # of the lower segment's height: segments that share it stand on one row of a cell's text


def assign(grid: Grid, boxes: np.ndarray) -> list[int]:
    """For every box [N, 4] the index of the one cell that holds it; both in the same frame.

    Raises:
        ValueError: the grid has no cell.
    """
    if not grid.cells:
        raise ValueError("a grid without cells holds no text")
    cells = grid.boxes
    owners = []
    for box in boxes:
        wide = np.clip(np.minimum(cells[:, 2], box[2]) - np.maximum(cells[:, 0], box[0]), 0, None)
        high = np.clip(np.minimum(cells[:, 3], box[3]) - np.maximum(cells[:, 1], box[1]), 0, None)
        shared = wide * high
        if shared.max() > MIN_OVERLAP * (box[2] - box[0]) * (box[3] - box[1]):
            owners.append(int(shared.argmax()))
            continue
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        across = np.maximum(0, np.maximum(cells[:, 0] - x, x - cells[:, 2]))
        down = np.maximum(0, np.maximum(cells[:, 1] - y, y - cells[:, 3]))
        owners.append(int((across + ROW_WEIGHT * down).argmin()))
    return owners


def level_rows(grid: Grid, boxes: np.ndarray, owners: Sequence[int]) -> list[int]:
    """Owners such that text on one level of the page stands in one row of the grid.

    A model's boxes drift: half of a row then falls into the next. The row that holds the most of a level's width wins;
    cells that span rows keep what they have.
    """
    owners = list(owners)
    place = grid.owners()
    for level in _levels(boxes):
        single = [i for i in level if grid.cells[owners[i]].rowspan == 1]
        weight: dict[int, float] = {}
        for i in single:
            row = grid.cells[owners[i]].row
            weight[row] = weight.get(row, 0.0) + float(boxes[i, 2] - boxes[i, 0])
        if len(weight) < 2:
            continue
        row = max(weight, key=lambda r: (weight[r], -r))
        for i in single:
            cell = grid.cells[owners[i]]
            other = int(place[row, cell.col])
            if grid.cells[other].rowspan == 1:
                owners[i] = other
    return owners


def _levels(boxes: np.ndarray) -> list[list[int]]:
    """Indexes of boxes that stand on one level: each overlaps the level's first by most of the lower's height."""
    levels: list[list[int]] = []
    for i in np.argsort(boxes[:, 1] + boxes[:, 3], kind="stable").tolist():
        if levels:
            first = boxes[levels[-1][0]]
            shared = min(first[3], boxes[i, 3]) - max(first[1], boxes[i, 1])
            if shared > LEVEL * min(first[3] - first[1], boxes[i, 3] - boxes[i, 1]):
                levels[-1].append(i)
                continue
        levels.append([i])
    return levels


def without_empty_rows(grid: Grid, owners: Sequence[int]) -> tuple[Grid, list[int]]:
    """The grid without rows that hold no text and cross no span, and the owners in it."""
    filled = {grid.cells[o].row for o in owners}
    spanned = {r for c in grid.cells if c.rowspan > 1 for r in range(c.row, c.row + c.rowspan)}
    gone = [r for r in range(grid.rows) if r not in filled and r not in spanned]
    if not gone:
        return grid, list(owners)
    kept = [i for i, c in enumerate(grid.cells) if c.row not in gone]
    cells = tuple(replace(c, row=c.row - sum(r < c.row for r in gone)) for c in (grid.cells[i] for i in kept))
    place = {i: k for k, i in enumerate(kept)}
    return replace(grid, cells=cells, boxes=grid.boxes[kept]), [place[o] for o in owners]


def reading_rows(segments: Sequence[TextLine]) -> list[list[TextLine]]:
    """Segments of one cell as rows from top to bottom, each from left to right."""
    rows: list[list[TextLine]] = []
    for segment in sorted(segments, key=lambda s: (s.box[1] + s.box[3], s.box[0])):
        if rows and _on_row(rows[-1][0], segment):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [sorted(row, key=lambda s: s.box[0]) for row in rows]


def _on_row(first: TextLine, other: TextLine) -> bool:
    shared = min(first.box[3], other.box[3]) - max(first.box[1], other.box[1])
    return shared > SAME_ROW * min(first.box[3] - first.box[1], other.box[3] - other.box[1])


def cell_text(segments: Sequence[TextLine]) -> str:
    """The text of a cell: a space between segments and rows, none where a row breaks between Chinese characters."""
    text = ""
    for row in reading_rows(segments):
        for k, segment in enumerate(row):
            joint = "" if k == 0 and text and _is_wide(text[-1]) and _is_wide(segment.text[:1]) else " "
            text = f"{text}{joint}{segment.text}" if text else segment.text
    return text


def _is_wide(character: str) -> bool:
    """Chinese and Japanese characters and full-width punctuation, which need no space at a line break."""
    return bool(character) and ("\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\uffef")
