"""Grids of word processor tables: cells with spans, columns that no cell ends at taken out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from kb_pipeline.formats.docx.names import W, is_on, value
from kb_pipeline.formats.ooxml import integer

WRAPPERS = frozenset(
    W + name for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag", "del", "moveFrom")
)
PLAIN = ("", "auto", "FFFFFF", "ffffff")  # grounds that do not stand out
MAX_COLUMNS = 1000


@dataclass
class GridCell:
    """A cell: its place and spans, the elements it consists of, whether it stands out."""

    row: int
    col: int
    rowspan: int = 1
    colspan: int = 1
    element: etree._Element | None = None
    covered: list[etree._Element] = field(default_factory=list)
    ground: bool = False


@dataclass
class Grid:
    """Rows of cells; `head` rows at the top are marked as repeated on every page; `deleted` rows were struck out."""

    rows: list[list[GridCell]]
    head: int
    deleted: list[etree._Element]


def read_grid(table: etree._Element, keep_deleted: bool) -> Grid:
    """The grid of a `w:tbl`. Text that a vertically merged cell covers is in the cell's `covered`."""
    rows: list[list[GridCell]] = []
    deleted: list[etree._Element] = []
    above: dict[int, GridCell] = {}  # the cell that a merge goes on with, by column
    head, counting = 0, True
    for element in _within(table, f"{W}tr"):
        properties = element.find(f"{W}trPr")
        if properties is not None and properties.find(f"{W}del") is not None and not keep_deleted:
            deleted.append(element)
            continue
        row, at = [], len(rows)
        skipped = integer(value(properties.find(f"{W}gridBefore"))) if properties is not None else 0
        col = min(max(0, skipped), MAX_COLUMNS)  # the cells before it are filled in at the end
        now: dict[int, GridCell] = {}
        for cell in _within(element, f"{W}tc"):
            own = cell.find(f"{W}tcPr")
            span = min(MAX_COLUMNS, max(1, integer(value(own.find(f"{W}gridSpan")), 1))) if own is not None else 1
            merge = own.find(f"{W}vMerge") if own is not None else None
            begun = above.get(col)
            if merge is not None and value(merge, default="continue") == "continue" and begun and begun.colspan == span:
                begun.rowspan = at - begun.row + 1
                begun.covered.append(cell)
                now[col] = begun
            else:
                shade = own.find(f"{W}shd") if own is not None else None
                found = GridCell(at, col, 1, span, cell, ground=value(shade, "fill") not in PLAIN)
                row.append(found)
                if merge is not None:
                    now[col] = found
            col += span
        above = now
        marked = properties is not None and is_on(properties.find(f"{W}tblHeader"))
        counting = counting and marked
        head += counting
        rows.append(row)
    return Grid(_compressed(rows), head, deleted)


def _within(element: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Rows of a table, or cells of a row, content controls and tracked insertions opened."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in WRAPPERS:
            yield from _within(child, tag)


def _compressed(rows: list[list[GridCell]]) -> list[list[GridCell]]:
    """Rows with the columns that some cell begins or ends at, filled up to the same width."""
    edges = sorted({0, *(edge for row in rows for cell in row for edge in (cell.col, cell.col + cell.colspan))})
    place = {edge: i for i, edge in enumerate(edges)}
    width = max(0, len(edges) - 1)
    taken: set[tuple[int, int]] = set()
    for row in rows:
        for cell in row:
            end = place[cell.col + cell.colspan]
            cell.col = place[cell.col]
            cell.colspan = end - cell.col
            taken.update((cell.row + i, cell.col + j) for i in range(cell.rowspan) for j in range(cell.colspan))
    for at, row in enumerate(rows):
        row += [GridCell(at, col) for col in range(width) if (at, col) not in taken]
        row.sort(key=lambda cell: cell.col)
    return rows
