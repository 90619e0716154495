"""Tables that are drawn with lines, found by these lines: a closed grid with text in its cells is a table, whatever the
layout model makes of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kb_pipeline.deepdoc.files import geometry
from kb_pipeline.deepdoc.files.rulings import Rulings
from kb_pipeline.deepdoc.tables.ruled import Line, ruled_grid
from kb_pipeline.records import Box, Region, TextLine

TOUCH = 3.0  # points within which two rulings meet
FILLED = 0.4  # share of the cells that hold text: in charts and drawings, hardly any box does
MAX_RULINGS = 4000  # of a page; drawings have more
MIN_SIDES = 3  # rulings each way, or two and open borders, of the smallest grid
COVERED = 0.7  # share of a drawn grid that a model's table covers, or the other way, when both are one table
WITHIN = 0.6  # share of a region in a drawn grid from which it is a part of that table


def ruled_tables(rulings: Rulings, lines: Sequence[TextLine]) -> list[Box]:
    """Boxes of the drawn grids that hold text, in points, from the top."""
    horizontal, vertical = rulings.horizontal.tolist(), rulings.vertical.tolist()
    if not 0 < len(horizontal) + len(vertical) <= MAX_RULINGS:
        return []
    texts = np.array([line.box for line in lines if line.text.strip()], float).reshape(-1, 4)
    found = []
    for across, down in _connected(horizontal, vertical):
        if min(len(across), len(down)) < MIN_SIDES - 1 or len(across) + len(down) < 2 * MIN_SIDES - 1:
            continue
        box = geometry.union([*((a, y, b, y) for y, a, b in across), *((x, a, x, b) for x, a, b in down)])
        inside = texts[_centres_in(texts, box)]
        grid = ruled_grid(across, down, box, inside)
        if grid and grid.rows > 1 and grid.cols > 1:
            filled = sum(_centres_in(inside, cell).any() for cell in grid.boxes.tolist())
            if filled >= FILLED * len(grid.cells):
                found.append(box)
    return sorted(found, key=lambda box: (box[1], box[0]))


def with_ruled_tables(regions: Sequence[Region], rulings: Rulings, lines: Sequence[TextLine]) -> list[Region]:
    """The regions with the drawn tables in place of whatever the model saw in their grids."""
    regions = list(regions)
    for box in ruled_tables(rulings, lines):
        if any(r.role == "table" and geometry.overlap_share(box, r.box) >= COVERED for r in regions):
            continue
        regions = [r for r in regions if geometry.overlap_share(r.box, box) < WITHIN]
        regions.append(Region("table", box))
    return regions


def _centres_in(texts: np.ndarray, box: Sequence[float]) -> np.ndarray:
    """[N] bool: boxes [N, 4] whose middle lies in a box."""
    x, y = (texts[:, 0] + texts[:, 2]) / 2, (texts[:, 1] + texts[:, 3]) / 2
    return (box[0] < x) & (x < box[2]) & (box[1] < y) & (y < box[3])


def _connected(horizontal: Sequence[Line], vertical: Sequence[Line]) -> list[tuple[list[Line], list[Line]]]:
    """Rulings in groups that hang together where they cross or touch."""
    parent = list(range(len(horizontal) + len(vertical)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    downs = np.array(vertical, float).reshape(-1, 3)
    for i, (y, x0, x1) in enumerate(horizontal):
        meets = (
            (downs[:, 0] >= x0 - TOUCH)
            & (downs[:, 0] <= x1 + TOUCH)
            & (downs[:, 1] <= y + TOUCH)
            & (downs[:, 2] >= y - TOUCH)
        )
        for k in np.flatnonzero(meets).tolist():
            parent[root(len(horizontal) + k)] = root(i)
    groups: dict[int, tuple[list[Line], list[Line]]] = {}
    for i in range(len(parent)):
        across, down = groups.setdefault(root(i), ([], []))
        if i < len(horizontal):
            across.append(horizontal[i])
        else:
            down.append(vertical[i - len(horizontal)])
    return list(groups.values())
