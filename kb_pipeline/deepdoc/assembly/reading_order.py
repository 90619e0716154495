"""Column-aware reading order: a recursive XY-cut whose horizontal cuts keep columns together.

A page is cut into rows wherever nothing crosses a horizontal line. Consecutive rows that share a gutter form one zone,
so that columns of a zone are read one after the other, while titles, tables and figures over several columns end it.
Where no cut exists, the widest block parts what stands above it from what stands below.
After the XY-cut of Nagy and Seth (1984). Pure geometry in the upright frame; the same blocks give the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from kb_pipeline.deepdoc.assembly.columns import (
    GUTTER,
    SHARED_GUTTER,
    Interval,
    occupied,
    shared_columns,
    split_columns,
)
from kb_pipeline.deepdoc.assembly.drafts import Block, share_inside

SLACK = 0.1  # type sizes by which a line's box may reach into the next row, from either side
OBJECT_SLACK = 0.5  # the same for tables and figures, whose boxes are the layout model's
EMPTY = 4.0  # type sizes of space over the whole width from which columns below go on with nothing above
INSIDE = 0.5  # share of a block within an object from which the object is put just before it


@dataclass
class Zone:
    """Consecutive rows that share the gutters between `taken` x intervals."""

    rows: list[list[Block]]
    taken: list[Interval]


def reading_order(blocks: Sequence[Block]) -> list[Block]:
    """Blocks of one page in reading order, each with the x range of its text column; those standing aside last."""
    main = [block for block in blocks if not block.aside]
    holders, rest = _apart(main)
    size = median(line.size for block in main for line in block.lines) if any(b.lines for b in main) else 10.0
    ordered: list[Block] = []
    if rest:
        _order(rest, size, ordered)
    for holder in holders:
        at = next((i for i, block in enumerate(ordered) if _inside(block, holder)), len(ordered))
        ordered.insert(at, holder.in_column((holder.box[0], holder.box[2])))
    aside = sorted((block for block in blocks if block.aside), key=_place)
    return ordered + [block.in_column((block.box[0], block.box[2])) for block in aside]


def _order(blocks: Sequence[Block], size: float, out: list[Block]) -> None:
    rows = _rows(blocks, size)
    if len(rows) > 1:
        for zone in _zones(rows, size):
            members = [block for row in zone.rows for block in row]
            columns = split_columns(members, SHARED_GUTTER * size) if len(zone.taken) > 1 else [members]
            if len(columns) > 1:
                for column in columns:
                    _order(column, size, out)
            elif len(zone.rows) == len(rows) or all(len(row) == 1 for row in zone.rows):
                _by_rows(zone.rows, size, out)
            else:
                _order(members, size, out)
        return
    columns = split_columns(blocks, GUTTER * size)
    if len(columns) > 1:
        for column in columns:
            _order(column, size, out)
    elif len(blocks) > 1 and not _one_row(blocks):
        _around_widest(blocks, size, out)
    else:
        _leaf(blocks, _extent(blocks), out)


def _by_rows(rows: Sequence[Sequence[Block]], size: float, out: list[Block]) -> None:
    """Rows of one column, top to bottom."""
    column = _extent([block for row in rows for block in row])
    for row in rows:
        if len(row) == 1 or _one_row(row):
            _leaf(row, column, out)
        else:
            _order(row, size, out)


def _leaf(blocks: Sequence[Block], column: Interval, out: list[Block]) -> None:
    out.extend(block.in_column(column) for block in sorted(blocks, key=lambda block: (block.box[0], _place(block))))


def _around_widest(blocks: Sequence[Block], size: float, out: list[Block]) -> None:
    """No cut exists: the widest block is read between those whose middle lies above its own and the others."""
    widest = max(blocks, key=lambda block: (block.box[2] - block.box[0], -block.box[1], -block.box[0]))
    middle = widest.box[1] + widest.box[3]
    rest = [block for block in blocks if block is not widest]
    above = [block for block in rest if block.box[1] + block.box[3] < middle]
    below = [block for block in rest if block.box[1] + block.box[3] >= middle]
    for group in (above, [widest], below):
        if group:
            _order(group, size, out)


def _rows(blocks: Sequence[Block], size: float) -> list[list[Block]]:
    """Blocks parted wherever nothing crosses a horizontal line, small overlaps forgiven."""
    rows: list[list[Block]] = []
    reach = float("-inf")
    for block in sorted(blocks, key=_place):
        shrink = (OBJECT_SLACK if block.is_object else SLACK) * size
        if rows and block.box[1] + shrink < reach:
            rows[-1].append(block)
        else:
            rows.append([block])
        reach = max(reach, block.box[3] - shrink)
    return rows


def _zones(rows: Sequence[Sequence[Block]], size: float) -> list[Zone]:
    """Consecutive rows united while a gutter survives, or while there is none; empty space parts them too."""
    gutter = GUTTER * size
    zones: list[Zone] = []
    bottom = float("inf")
    for row in rows:
        taken = occupied(row, gutter)
        space = min(block.box[1] for block in row) - bottom
        bottom = max(block.box[3] for block in row)
        if zones and space < EMPTY * size:
            both = shared_columns(zones[-1].taken, taken, size)
            if len(both) > 1 or len(zones[-1].taken) == len(taken) == 1:
                zones[-1] = Zone([*zones[-1].rows, list(row)], both)
                continue
        if zones and len(taken) > 1 and space < EMPTY * size:
            zones.append(_with_leading_rows(zones, list(row), taken, size))
        else:
            zones.append(Zone([list(row)], taken))
    return [zone for zone in zones if zone.rows]


def _with_leading_rows(zones: list[Zone], row: list[Block], taken: list[Interval], size: float) -> Zone:
    """A zone of columns that begins with `row`, and takes back one-sided rows that the zone before it ends with."""
    before = zones[-1]
    started = [row]
    while len(before.taken) == 1 and before.rows:
        both = shared_columns(taken, occupied(before.rows[-1], GUTTER * size), size)
        if len(both) < 2:
            break
        started.insert(0, before.rows.pop())
        taken = both
    return Zone(started, taken)


def _apart(blocks: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """Objects that other blocks lie inside of (a picture behind text), and all other blocks."""
    holders = [
        block
        for block in blocks
        if block.is_object and any(other is not block and _inside(other, block) for other in blocks)
    ]
    return holders, [block for block in blocks if not any(block is holder for holder in holders)]


def _inside(block: Block, holder: Block) -> bool:
    return share_inside(block.box, holder.box) > INSIDE


def _one_row(blocks: Sequence[Block]) -> bool:
    """Single lines whose middles lie in each other's height: one row of print."""
    lines = [block.lines[0] for block in blocks if len(block.lines) == 1 and not block.is_object]
    if len(lines) != len(blocks):
        return False
    top, bottom = max(line.box[1] for line in lines), min(line.box[3] for line in lines)
    return all(top - 0.01 <= (line.box[1] + line.box[3]) / 2 <= bottom + 0.01 for line in lines)


def _extent(blocks: Sequence[Block]) -> Interval:
    """x range of the text of these blocks, or of all of them where none holds text."""
    held = [block for block in blocks if not block.is_object] or blocks
    return min(block.box[0] for block in held), max(block.box[2] for block in held)


def _place(block: Block) -> tuple[float, float, float, float, int]:
    return block.box[1], block.box[0], block.box[3], block.box[2], block.lines[0].index if block.lines else -1
