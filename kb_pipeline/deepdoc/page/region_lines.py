"""Lines and the boxes they stand in: which lines lie in a box, in which rows, and whether the rows have columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from kb_pipeline.deepdoc.files import geometry
from kb_pipeline.deepdoc.page.regions import MIN_SHARE, MIN_WITHIN, WITHIN_LINE
from kb_pipeline.records import Box, TextLine

CELL_GAP = 1.0  # line heights between two lines of a row that stand in different columns


def lines_in(box: Box, lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines of which a box covers enough, and those that are all there is in it."""
    return [line for line in lines if geometry.overlap_share(line.box, box) >= MIN_SHARE or fills(line.box, box)]


def fills(line: Box, box: Box) -> bool:
    """Whether a line is all there is in a box: recognised lines reach beyond the tight boxes of single lines."""
    return geometry.overlap_share(box, line) >= WITHIN_LINE and geometry.overlap_share(line, box) >= MIN_WITHIN


def runs_through(line: Box, box: Box) -> bool:
    """Whether a line runs through most of a box of its height."""
    return in_row(line, box) and min(line[2], box[2]) - max(line[0], box[0]) > MIN_SHARE * (box[2] - box[0])


def in_row(a: Box, b: Box) -> bool:
    """Whether two boxes of about the same height stand beside each other."""
    common = min(a[3], b[3]) - max(a[1], b[1])
    return common >= 0.5 * min(a[3] - a[1], b[3] - b[1]) and common >= 0.3 * max(a[3] - a[1], b[3] - b[1])


def rows_of(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Lines by row from the top, each row from the left."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda li: (li.box[1] + li.box[3], li.box[0])):
        if rows and in_row(rows[-1][-1].box, line.box):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda li: li.box[0]) for row in rows]


def usual_height(lines: Sequence[TextLine]) -> float:
    """Median height of the upright lines, in points; 0 where there are none."""
    return median([line.box[3] - line.box[1] for line in lines if not line.vertical] or [0.0])


def tabular_share(box: Box, lines: Sequence[TextLine]) -> float:
    """Share of the rows in a box whose lines stand in several columns."""
    rows = rows_of(lines_in(box, lines))
    parted = sum(any(b.box[0] - a.box[2] > CELL_GAP * (b.box[3] - b.box[1]) for a, b in pairwise(row)) for row in rows)
    return parted / len(rows) if len(rows) > 1 else 0.0
