"""Text columns of a zone of a page: gutters that nothing crosses, and whether they part columns or cells of rows.

A gutter between two running texts parts columns, which are read one after the other. A gutter between labels and
values, markers and items, or titles and page numbers parts cells, which are read row by row. All boxes are in the
upright frame, in points.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from kb_pipeline.deepdoc.assembly.drafts import Block, Line

Interval = tuple[float, float]

GUTTER = 0.4  # minimum width of a gutter within one row, in median type sizes of the page
SHARED_GUTTER = 0.15  # minimum width of what the gutters of several rows have in common, in the same unit
SURVIVING = 0.1  # share of the narrowest gutter of its rows that a shared gutter keeps
BRIDGED = 0.5  # the same where a title over several columns bridges another gutter
ALIGNED = 0.8  # share of the shorter side's lines with a partner in the same row, from which sides look like cells
MANY = 6  # lines of the shorter side from which lines that are not aligned prove columns
PARAGRAPH = 3  # lines of one region on either side that prove columns
FILLED = 0.6  # median share of a side's width that lines of running text fill at least
NARROW = 5.0  # a side narrower than this many type sizes holds labels, not running text
BESIDE = 0.3  # share of the shorter side's height over which two sides must stand beside each other


def occupied(blocks: Sequence[Block], gutter: float) -> list[Interval]:
    """x intervals covered by blocks; intervals nearer to each other than `gutter` are one."""
    return merge([(block.box[0], block.box[2]) for block in blocks], gutter)


def merge(intervals: Sequence[Interval], gutter: float) -> list[Interval]:
    """Intervals sorted, those nearer to each other than `gutter` united."""
    found: list[Interval] = []
    for x0, x1 in sorted(intervals):
        if found and x0 - found[-1][1] < gutter:
            found[-1] = (found[-1][0], max(found[-1][1], x1))
        else:
            found.append((x0, x1))
    return found


def shared_columns(above: Sequence[Interval], row: Sequence[Interval], size: float) -> list[Interval]:
    """x intervals of a zone and its next row together, where a gutter of theirs survives; else one interval.

    A sliver of a wide gutter is no gutter: a centred title leaves one beside a short line below it. Where one bridges a
    gutter of the other, half of another gutter must be left.
    """
    both = merge([*above, *row], SHARED_GUTTER * size)
    bridged = _bridges(above, row, GUTTER * size) or _bridges(row, above, GUTTER * size)
    share = BRIDGED if bridged else SURVIVING
    for (_, left), (right, _) in pairwise(both):
        widths = [b[0] - a[1] for taken in (above, row) for a, b in pairwise(taken) if a[1] <= left and b[0] >= right]
        if not widths or right - left >= share * min(widths):
            return both
    return [(both[0][0], both[-1][1])]


def _bridges(row: Sequence[Interval], other: Sequence[Interval], gutter: float) -> bool:
    """Whether a row without gutters covers one of another row that is wider than `gutter`."""
    return len(row) == 1 and any(
        row[0][0] < left and right < row[0][1] and right - left >= gutter for (_, left), (right, _) in pairwise(other)
    )


def split_columns(blocks: Sequence[Block], gutter: float) -> list[list[Block]]:
    """Blocks parted into text columns from left to right; one list where there is no gutter between columns."""
    columns: list[list[Block]] = []
    for x0, x1 in occupied(blocks, gutter):
        members = [block for block in blocks if x0 <= (block.box[0] + block.box[2]) / 2 <= x1]
        if columns and not _are_columns(columns[-1], members):
            columns[-1] = columns[-1] + members
        else:
            columns.append(members)
    return columns


def _are_columns(left: Sequence[Block], right: Sequence[Block]) -> bool:
    """Whether two sides of a gutter are columns of running text or objects (rather than cells of rows)."""
    beside = min(_bottom(left), _bottom(right)) - max(_top(left), _top(right))
    if beside <= BESIDE * min(_bottom(left) - _top(left), _bottom(right) - _top(right)):
        return False
    if any(block.is_object for block in (*left, *right)):
        return True
    sides = [[line for block in side for line in block.lines] for side in (left, right)]
    short, tall = sorted(sides, key=len)
    if len(tall) < 2:
        return False
    if len(short) == 1:
        return len(tall) >= 3 and _runs_on(tall)
    if len(short) >= MANY and _aligned(short, tall) < ALIGNED:
        return True
    if any(_width(side) < NARROW * median(line.size for line in side) for side in sides):
        return False
    if all(max(len(block.lines) for block in side) >= PARAGRAPH for side in (left, right)):
        return True
    return all(_runs_on(side) for side in sides)


def _aligned(short: Sequence[Line], tall: Sequence[Line]) -> float:
    """Share of the shorter side's lines that have a partner in the same row."""
    middles = sorted((line.box[1] + line.box[3]) / 2 for line in tall)
    hits = 0
    for line in short:
        middle, reach = (line.box[1] + line.box[3]) / 2, 0.35 * (line.box[3] - line.box[1])
        at = bisect_left(middles, middle - reach)
        hits += at < len(middles) and middles[at] <= middle + reach
    return hits / len(short)


def _runs_on(lines: Sequence[Line]) -> bool:
    """Whether lines fill the width of their side as running text does."""
    width = _width(lines)
    size = median(line.size for line in lines)
    return width >= NARROW * size and median(line.box[2] - line.box[0] for line in lines) >= FILLED * width


def _width(lines: Sequence[Line]) -> float:
    return max(line.box[2] for line in lines) - min(line.box[0] for line in lines)


def _top(blocks: Sequence[Block]) -> float:
    return min(block.box[1] for block in blocks)


def _bottom(blocks: Sequence[Block]) -> float:
    return max(block.box[3] for block in blocks)
