"""Tables, figures and formulas as chunks of their own; a long table is split between rows, under its whole head.

Every part of a split table begins with the caption and all header rows. A row that is too long for one chunk is parted
between its cells. Where the head alone leaves no room for rows, each value stands under its own headers instead, as
`header: value`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kb_pipeline.chunking.counts import Counts
from kb_pipeline.chunking.layout import Placed, Row, TableText, table_text
from kb_pipeline.chunking.spans import Plan, Span
from kb_pipeline.chunking.split import split_long
from kb_pipeline.records import ChunkKind, Section

KINDS: dict[str, ChunkKind] = {"table": "table", "figure": "figure", "equation": "equation"}
WITHOUT_TEXT = {"table": "[table]", "figure": "[figure]", "equation": "[equation]"}
BLANK = "| \n"  # what a table without text consists of
HEAD = 0.6  # share of what a chunk holds that a caption and header rows may take to be repeated
LEVELS, VALUE = " / ", ": "  # between header levels, and between a header and its value


def has_text(section: Section) -> bool:
    """Whether there is more in a section than white space and the bars between cells."""
    return bool(section.text.strip().strip(BLANK) if section.role == "table" else section.text.strip())


def is_seen(section: Section) -> bool:
    """Whether an object is worth a chunk: it has text or a picture, or is a figure."""
    return has_text(section) or bool(section.picture) or section.role == "figure"


def object_plans(
    sections: Sequence[Section],
    index: int,
    lead: list[Span],
    limit: int,
    room: int,
    counts: Counts,
    rows: bool = False,
) -> list[Plan]:
    """Plans of one object.

    Args:
        lead: spans that go with it.
        limit: tokens that a chunk should have at most.
        room: tokens that it can have at most.
        rows: let each row of a table be found by itself.
    """
    section = sections[index]
    kind = KINDS[section.role]
    if not has_text(section):
        return [Plan(kind, [*lead, Span(index, 0, 0)], tail="" if lead else WITHOUT_TEXT[section.role])]
    table = table_text(section)
    if counts.spans(lead) + counts.of(index) <= limit:
        plan = Plan(kind, [*lead, Span(index, 0, len(section.text))])
        if rows and kind == "table":
            plan.children = [_row_plan(index, row, table) for row in table.body]
        return [plan]
    head = [Span(index, *table.caption)] if table.caption else []
    head += [Span(index, row.start, row.end) for row in table.head]
    if counts.spans(head) > HEAD * room and table.head:
        return _pairs_packed(section, index, kind, lead, table, limit, room, counts)
    if counts.spans(head) > HEAD * room:  # a caption as long as a page
        head, table = [], TableText(None, (), (*_caption_rows(section, index, table, limit, counts), *table.body))
    return _packed(section, index, kind, lead, head, table, limit, room, counts, rows)


def _packed(
    section: Section,
    index: int,
    kind: ChunkKind,
    lead: list[Span],
    head: list[Span],
    table: TableText,
    limit: int,
    room: int,
    counts: Counts,
    rows: bool,
) -> list[Plan]:
    """Rows in parts, each under the head."""
    taken, plans = counts.spans(head), []
    if lead and counts.spans(lead) + taken + counts.of(index, table.body[0].start, table.body[0].end) >= room:
        plans, lead = [Plan("text", lead)], []
    plans.append(Plan(kind, [*lead, *head]))
    used, filled = counts.spans(lead) + taken, False
    for row in table.body:
        pieces = _row_pieces(section, index, row, room - taken, counts)
        for piece in pieces:
            tokens = counts.spans([piece])
            if filled and used + tokens > (limit if len(pieces) == 1 else room):
                plans.append(Plan(kind, [span._replace(added="header") for span in head]))
                used = taken
            plans[-1].spans.append(piece)
            used, filled = used + tokens, True
        if rows and kind == "table":
            plans[-1].children.append(_row_plan(index, row, table))
    return plans


def _row_pieces(section: Section, index: int, row: Row, room: int, counts: Counts) -> list[Span]:
    """A row whole; one that does not fit is parted between cells, and within those that do not."""
    if counts.of(index, row.start, row.end) < room:
        return [Span(index, row.start, row.end)]
    starts = [placed.start for placed in row.cells] or [row.start]
    found: list[Span] = []
    for start, end in zip(starts, [*starts[1:], row.end], strict=True):
        parts = [(start, end)]
        if counts.of(index, start, end) >= room:
            parts = split_long(section.text, start, end, max(1, room - 1), partial(counts.many, index))
        for low, high in parts:
            last = found[-1] if found else None
            if last and counts.of(index, last.start, high) < room:
                found[-1] = last._replace(end=high)
            else:
                found.append(Span(index, low, high))
    return found


def _caption_rows(section: Section, index: int, table: TableText, limit: int, counts: Counts) -> list[Row]:
    if table.caption is None:
        return []
    begin, end = table.caption
    return [Row(low, high) for low, high in split_long(section.text, begin, end, limit, partial(counts.many, index))]


# ---------------------------------------------------------------- header: value


def _pairs_packed(
    section: Section,
    index: int,
    kind: ChunkKind,
    lead: list[Span],
    table: TableText,
    limit: int,
    room: int,
    counts: Counts,
) -> list[Plan]:
    """The head in parts of its own, then rows as pairs, as many cells as fit."""
    top = (table.caption[0] if table.caption else table.head[0].start), table.head[-1].end
    parts = split_long(section.text, *top, limit, partial(counts.many, index))
    plans = [Plan(kind, [Span(index, a, b)]) for a, b in parts]
    plans[0].spans[:0] = lead
    used = limit
    for row in table.body:
        for placed in row.cells:
            for pair in _pair_parts(section, index, placed, table, room, counts):
                tokens = counts.spans(pair) + len(pair)
                if used + tokens > limit:
                    plans.append(Plan(kind))
                    used = 0
                plans[-1].spans += pair
                used += tokens
    return plans


def _pair_parts(
    section: Section, index: int, placed: Placed, table: TableText, room: int, counts: Counts
) -> list[list[Span]]:
    """A value under its headers; in several parts where it is too long."""
    if not placed.cell.text.strip():
        return [[Span(index, placed.start, placed.end)]] if placed.end > placed.start else []
    pair = _pair(index, placed, table)
    left = room - counts.spans(pair[:-1]) - len(pair) - 2
    if counts.of(index, placed.start, placed.end) <= left or left < HEAD * room / 2:
        parts = [(placed.start, placed.end)]
    else:
        parts = split_long(section.text, placed.start, placed.end, left, partial(counts.many, index))
    return [[*pair[:-1], pair[-1]._replace(start=a, end=b)] for a, b in parts]


def _pair(index: int, placed: Placed, table: TableText) -> list[Span]:
    headers = table.headers_of(placed.cell)
    spans = [
        Span(index, header.start, header.end, "header", LEVELS if level else None)
        for level, header in enumerate(headers)
    ]
    return [*spans, Span(index, placed.start, placed.end, None, VALUE if headers else None)]


def _row_plan(index: int, row: Row, table: TableText) -> Plan:
    """A row as `header: value` pairs under the caption, cells that began above it included."""
    spans = [Span(index, *table.caption, "header")] if table.caption else []
    if not row.cells:
        return Plan("table", [*spans, Span(index, row.start, row.end)])
    number = row.cells[0].cell.row
    reaching = [
        (placed, "merged") for placed in table.tall if placed.cell.row < number < placed.cell.row + placed.cell.rowspan
    ]
    every = sorted([*reaching, *((placed, None) for placed in row.cells)], key=lambda pair: pair[0].cell.col)
    for placed, added in every:
        if placed.cell.text.strip():
            pair = _pair(index, placed, table)
            spans += [*pair[:-1], pair[-1]._replace(added=added)]
    return Plan("table", spans)
