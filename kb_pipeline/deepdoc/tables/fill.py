"""Which text stands in which cell of a grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kb_pipeline.deepdoc.tables.grid import Grid
from kb_pipeline.records import TextLine

LEAST_OVERLAP = 0.15
"""Share of a segment's area that must lie in a cell for an overlap to count; below it the nearest cell is taken."""

ROW_WEIGHT = 2.0
"""A wrong row is worse than a wrong column: vertical distance counts this much more in the search for the nearest."""

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
        if shared.max() > LEAST_OVERLAP * (box[2] - box[0]) * (box[3] - box[1]):
            owners.append(int(shared.argmax()))
            continue
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        across = np.maximum(0, np.maximum(cells[:, 0] - x, x - cells[:, 2]))
        down = np.maximum(0, np.maximum(cells[:, 1] - y, y - cells[:, 3]))
        owners.append(int((across + ROW_WEIGHT * down).argmin()))
    return owners


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
