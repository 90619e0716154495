"""Blocks of a page: lines gathered by layout region, tables and figures as objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from statistics import median

from kb_pipeline.deepdoc.assembly.columns import GUTTER, split_columns
from kb_pipeline.deepdoc.assembly.drafts import PAGE_NUMBER, Block, Line, page_line, share_inside, union
from kb_pipeline.deepdoc.assembly.frame import Frame, across, page_frame
from kb_pipeline.deepdoc.assembly.gutters import part_at_gutters
from kb_pipeline.deepdoc.assembly.reading_order import reading_order
from kb_pipeline.records import Box, PageLayout, Role, TableGrid
from kb_pipeline.text.drop_reasons import WATERMARK
from kb_pipeline.text.joining import spaceless
from kb_pipeline.text.markers import is_equation_number, is_lone_marker

OBJECTS = ("figure", "equation")  # roles whose regions become objects with a picture
TEXT_ROLES = ("title", "text", "reference", "figure caption", "table caption")
LONG_ROW = 24  # letters of a row of running text, ideographs twice
PROSE = 0.25  # share of a box that long rows of type cover where it holds running text
MIN_NUMBERS = 3  # page numbers that make a table of contents
HOMELESS = 0.2  # share of them that may stand in no row, or out of line
MARKER_REACH = 3.0  # type sizes between a list marker and its item
ABSORBED = 0.6  # share of a stray line's area inside a block from which the line belongs to the block


def ordered_blocks(
    layout: PageLayout, grids: Sequence[TableGrid], dropped: Mapping[int, str], pictures: Collection[int] = ()
) -> list[Block]:
    """Blocks of a page in reading order.

    `dropped`: reasons of the lines that noise removal took, by index; a figure all of whose text was taken goes too,
    unless a watermark lay over it. `pictures`: indexes of the regions of pictures that are noise. Stray lines of one
    column that follow each other are one block.
    """
    frame = page_frame(layout)
    held = {index for grid in grids for index in grid.lines}
    lines = [page_line(layout, i, frame) for i in range(len(layout.lines)) if i not in held and i not in dropped]
    lines = [line for line in lines if line.text]
    if frame.turn == 0 and not frame.mirror:
        lines = part_at_gutters(lines, layout)
    sideways = {line.index for line in lines if line.role not in OBJECTS and across(layout.lines[line.index], frame)}
    tables = [_object("table", grid.box, layout, frame, region=grid.region, grid=grid) for grid in grids]
    upright = [line for line in lines if line.index not in sideways]
    emptied = {layout.lines[i].region for i, reason in dropped.items() if reason != WATERMARK} | {*pictures}
    blocks = [*tables, *_region_blocks(layout, frame, upright, emptied)]
    blocks += [Block(line.role, line.page, line.box, (line,), aside=True) for line in lines if line.index in sideways]
    return _joined(reading_order(blocks))


def _object(role: Role, shown: Box, layout: PageLayout, frame: Frame, **more) -> Block:
    size = (layout.width, layout.height)
    return Block(role, layout.page, frame.upright(shown), shown=shown, page_size=size, **more)


def _region_blocks(layout: PageLayout, frame: Frame, lines: Sequence[Line], emptied: Collection[int]) -> list[Block]:
    by_region: dict[int, list[Line]] = {}
    for line in lines:
        by_region.setdefault(line.region, []).append(line)
    blocks: list[Block] = []
    strays = list(by_region.get(-1, []))
    for index, region in enumerate(layout.regions):
        members = by_region.get(index, [])
        if not members and index in emptied:
            continue
        if region.role in OBJECTS and not is_prose(members, region.box):
            block = _object(region.role, region.box, layout, frame, region=index)
            blocks.append(replace(block, lines=tuple(members)))
        elif members and region.role in (*TEXT_ROLES, *OBJECTS):
            role = "text" if region.role in OBJECTS else region.role
            blocks += _parted(Block(role, layout.page, union(m.box for m in members), tuple(members), index))
        else:  # header or footer that is no noise; a table region that no grid was read from
            strays += [replace(member, role="text") for member in members]
    blocks = _with_strays(blocks, sorted(strays, key=lambda line: line.index))
    return _with_numbers(_with_equation_numbers(blocks))


def _with_equation_numbers(blocks: Sequence[Block]) -> list[Block]:
    """Displayed formulas with the numbers that stand beside them in the margin."""
    formulas = [i for i, block in enumerate(blocks) if block.role == "equation" and block.is_object]
    numbers: dict[int, list[Line]] = {}
    taken = set()
    for i, block in enumerate(blocks):
        if block.is_object or len(block.lines) != 1 or not is_equation_number(block.lines[0].text):
            continue
        line = block.lines[0]
        middle = (line.box[1] + line.box[3]) / 2
        beside = [k for k in formulas if blocks[k].box[1] <= middle <= blocks[k].box[3]]
        if beside:
            nearest = min(
                beside, key=lambda k: min(abs(blocks[k].box[2] - line.box[0]), abs(line.box[2] - blocks[k].box[0]))
            )
            numbers.setdefault(nearest, []).append(line)
            taken.add(i)
    return [
        replace(block, lines=(*block.lines, *numbers.get(i, ()))) for i, block in enumerate(blocks) if i not in taken
    ]


def is_prose(lines: Sequence[Line], box: Box) -> bool:
    """Whether the lines in a figure's or formula's box are running text after all: long rows that fill it."""
    rows = [line for line in lines if sum(2 if spaceless(c) else c.isalpha() for c in line.text) >= LONG_ROW]
    covered = sum((line.shown[2] - line.shown[0]) * (line.shown[3] - line.shown[1]) for line in rows)
    return len(rows) >= 2 and covered >= PROSE * (box[2] - box[0]) * (box[3] - box[1])


def _with_numbers(blocks: list[Block]) -> list[Block]:
    """Page numbers of a table of contents, which stand in a column of their own, back in the rows they belong to."""
    apart = [block for block in blocks if not block.is_object and all(map(_is_number, block.lines))]
    numbers = [line for block in apart for line in block.lines]
    found = [block for block in blocks if not any(block is other for other in apart)]
    texts = [i for i, block in enumerate(found) if not block.is_object]
    homes = [next((i for i in texts if _has_row(line, found[i])), None) for line in numbers]
    if len(numbers) < MIN_NUMBERS or homes.count(None) > HOMELESS * len(homes) or not _aligned(numbers):
        return blocks
    for line, home in zip(numbers, homes, strict=True):
        if home is None:
            found.append(Block(line.role, line.page, line.box, (line,)))
        else:
            block = found[home]
            moved = replace(line, role=block.role, region=block.region)
            found[home] = replace(block, lines=(*block.lines, moved), box=union((block.box, line.box)))
    return found


def _aligned(lines: Sequence[Line]) -> bool:
    """Whether lines end, or begin, at about the same x."""
    return any(
        sum(abs(line.box[side] - median(other.box[side] for other in lines)) <= line.size for line in lines)
        >= (1 - HOMELESS) * len(lines)
        for side in (0, 2)
    )


def _is_number(line: Line) -> bool:
    return bool(PAGE_NUMBER.fullmatch(line.text))


def _has_row(number: Line, block: Block) -> bool:
    """Whether one of the block's lines stands in the number's row, beside it."""
    middle = (number.box[1] + number.box[3]) / 2
    return any(
        line.box[1] < middle < line.box[3] and (line.box[2] <= number.box[0] or line.box[0] >= number.box[2])
        for line in block.lines
    )


def _parted(block: Block) -> list[Block]:
    """A region that spans several text columns, as one block per column."""
    if len(block.lines) < 4:
        return [block]
    sizes = sorted(line.size for line in block.lines)
    singles = [Block(block.role, block.page, line.box, (line,), block.region) for line in block.lines]
    columns = split_columns(singles, 1.5 * GUTTER * sizes[len(sizes) // 2])
    if len(columns) == 1 or min(len(column) for column in columns) < 2:
        return [block]
    parts = [tuple(line for single in column for line in single.lines) for column in columns]
    return [Block(block.role, block.page, union(m.box for m in part), part, block.region) for part in parts]


def _with_strays(blocks: list[Block], strays: Sequence[Line]) -> list[Block]:
    """Stray lines inside a text block join it; the others stand for themselves."""
    texts = [i for i, block in enumerate(blocks) if not block.is_object]
    for line in strays:
        home = next((i for i in texts if share_inside(line.box, blocks[i].box) >= ABSORBED), None)
        if home is None and is_lone_marker(line.text):
            home = next((i for i in texts if _marks(line, blocks[i])), None)
        if home is None:
            blocks.append(Block(line.role, line.page, line.box, (line,)))
        else:
            block = blocks[home]
            members = (*block.lines, replace(line, role=block.role, region=block.region))
            blocks[home] = replace(block, lines=members, box=union(member.box for member in members))
    return blocks


def _marks(marker: Line, block: Block) -> bool:
    """Whether a lone marker stands just before a line of the block, in its row."""
    return any(
        -0.5 * marker.size <= line.box[0] - marker.box[2] <= MARKER_REACH * marker.size
        and line.box[1] < (marker.box[1] + marker.box[3]) / 2 < line.box[3]
        for line in block.lines
    )


def _joined(blocks: Sequence[Block]) -> list[Block]:
    """Stray lines of one text column that follow each other, as one block."""
    found: list[Block] = []
    for block in blocks:
        before = found[-1] if found else None
        if before and _stray(before) and _stray(block) and before.column == block.column:
            found[-1] = replace(before, box=union((before.box, block.box)), lines=before.lines + block.lines)
        else:
            found.append(block)
    return found


def _stray(block: Block) -> bool:
    return block.region < 0 and not block.is_object and not block.aside
