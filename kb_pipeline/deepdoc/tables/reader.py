"""A table's picture, text segments and rulings in; its grid with the text of every cell out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kb_pipeline.deepdoc.tables.choose import choose_grid, grid_of_lines
from kb_pipeline.deepdoc.tables.fill import assign, cell_text, level_rows, without_empty_rows
from kb_pipeline.deepdoc.tables.grid import Grid, whole_grid
from kb_pipeline.deepdoc.tables.headers import with_headers
from kb_pipeline.deepdoc.tables.ruled import Line
from kb_pipeline.deepdoc.tables.segments import cut_at_rulings
from kb_pipeline.records import Box, TextLine
from kb_pipeline.settings import TableSettings


@dataclass(frozen=True)
class ReadTable:
    """A grid in points of its crop, every place owned by one cell, with the text and the box of every cell."""

    grid: Grid
    texts: tuple[str, ...]
    boxes: tuple[Box, ...]


def read_table(
    crop: np.ndarray,
    scale: float,
    segments: Sequence[TextLine],
    horizontal: Sequence[Line],
    vertical: Sequence[Line],
    settings: TableSettings,
) -> ReadTable:
    """Read one table that stands upright.

    Args:
        crop: [H, W, 3] uint8 BGR, the table with at most about 12 px of margin at 216 dpi.
        scale: pixels per point.
        segments: the table's text, in points from the crop's upper left corner; every one ends in exactly one cell.
        horizontal, vertical: rulings in points, (y, x0, x1) and (x, top, bottom).
        settings: the `tables` group.

    Returns:
        Cells in row order. Without any cell only where there is no text at all.
    """
    segments = cut_at_rulings(segments, vertical)
    boxes = np.array([s.box for s in segments], float).reshape(-1, 4)
    grid = whole_grid(choose_grid(crop, scale, segments, horizontal, vertical, settings.second_opinion))
    if not grid.cells:
        grid = grid_of_lines(boxes)
    if not grid.cells:
        return ReadTable(grid, (), ())
    owners = assign(grid, boxes)
    if grid.method != "rulings":
        owners = level_rows(grid, boxes, owners)
        grid, owners = without_empty_rows(grid, owners)
    held: list[list[TextLine]] = [[] for _ in grid.cells]
    for owner, segment in zip(owners, segments, strict=True):
        held[owner].append(segment)
    texts = tuple(cell_text(own) for own in held)
    grid = with_headers(grid, texts)
    return ReadTable(grid, texts, tuple(_cell_box(grid, i, own) for i, own in enumerate(held)))


def _cell_box(grid: Grid, index: int, held: Sequence[TextLine]) -> Box:
    """A ruled cell's own extent; of a model's cell that of its text, where it has any."""
    if not held or grid.method == "rulings":
        x0, top, x1, bottom = (float(v) for v in grid.boxes[index])
        return x0, top, x1, bottom
    return (
        min(s.box[0] for s in held),
        min(s.box[1] for s in held),
        max(s.box[2] for s in held),
        max(s.box[3] for s in held),
    )
