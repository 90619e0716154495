"""Where on a sheet a table is, and where another begins.

Cells that touch belong together, and so do those that merged or framed cells join. Beyond that a gap of one empty row
or column parts two tables only where what follows begins anew: with a header or a title of its own, or over other
columns or rows. Wider gaps always part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from kb_pipeline.formats.spreadsheet.book import Sheet, Shown, Span

MOSTLY = 0.6  # share of the cells of a column that make it one of figures
MAX_SPAN = 100_000  # cells of a merged range; of larger ones the first visible cell counts
MAX_PIECES = 300  # cells that do not touch; a sheet of more is one form, and not that many tables


@dataclass
class View:
    """The visible part of a sheet: rows and columns renumbered without the hidden ones, merged ranges clipped.

    `rows`, `columns`: number on the sheet of each visible row and column. `spans`: merged ranges by their first cell.
    """

    rows: list[int]
    columns: list[int]
    cells: dict[tuple[int, int], Shown]
    spans: dict[tuple[int, int], Span]
    framed: set[tuple[int, int]]
    declared: list[tuple[Span, int]]


@dataclass
class Block:
    """Cells that form one table or text: a range of the view, and its header rows where these are declared, else -1."""

    span: Span
    head: int = -1


def view_of(sheet: Sheet) -> View:
    """A sheet without its hidden rows and columns. A merged cell's text stands in its first visible cell."""
    every = [*sheet.cells, *sheet.framed]
    last_row = max((row for row, _ in every), default=-1)
    last_col = max((col for _, col in every), default=-1)
    for top, left, bottom, right in sheet.merged:
        if (top, left) in sheet.cells:  # the first visible cell of it counts, where it begins in hidden ones
            last_row = max(last_row, _first_not_in(sheet.hidden_rows, top, bottom))
            last_col = max(last_col, _first_not_in(sheet.hidden_columns, left, right))
    rows = [row for row in range(last_row + 1) if row not in sheet.hidden_rows]
    columns = [col for col in range(last_col + 1) if col not in sheet.hidden_columns]
    row_of = {row: i for i, row in enumerate(rows)}
    col_of = {col: i for i, col in enumerate(columns)}
    view = View(rows, columns, {}, {}, set(), [])
    covered: set[tuple[int, int]] = set()
    for top, left, bottom, right in sheet.merged:
        bottom, right = min(bottom, last_row), min(right, last_col)
        if (bottom - top + 1) * (right - left + 1) > MAX_SPAN:
            bottom, right = (
                _first_not_in(sheet.hidden_rows, top, bottom),
                _first_not_in(sheet.hidden_columns, left, right),
            )
        inner = [row_of[row] for row in range(top, bottom + 1) if row in row_of]
        across = [col_of[col] for col in range(left, right + 1) if col in col_of]
        if not inner or not across:
            continue
        first = inner[0], across[0]
        if (top, left) in sheet.cells:
            view.cells[first] = sheet.cells[top, left]
        view.spans[first] = (inner[0], across[0], inner[-1], across[-1])
        covered.update((row, col) for row in range(top, bottom + 1) for col in range(left, right + 1))
    for (row, col), shown in sheet.cells.items():
        if (row, col) not in covered and row in row_of and col in col_of:
            view.cells[row_of[row], col_of[col]] = shown
    view.framed = {(row_of[row], col_of[col]) for row, col in sheet.framed if row in row_of and col in col_of}
    for (top, left, bottom, right), head in sheet.tables:
        inner = [row_of[row] for row in range(top, bottom + 1) if row in row_of]
        across = [col_of[col] for col in range(left, right + 1) if col in col_of]
        if inner and across:
            view.declared.append(((inner[0], across[0], inner[-1], across[-1]), head if top in row_of else 0))
    return view


def _first_not_in(hidden: set[int], first: int, last: int) -> int:
    """The first number of a range that is not hidden; its first one where all are."""
    return next((number for number in range(first, last + 1) if number not in hidden), first)


def blocks(view: View) -> list[Block]:
    """Tables and texts of a sheet from top to bottom, each from left to right."""
    owner: dict[tuple[int, int], int] = {}
    for number, (span, _) in enumerate(view.declared, 1):
        inside = (p for p in (*view.cells, *view.framed) if span[0] <= p[0] <= span[2] and span[1] <= p[1] <= span[3])
        owner.update((place, number) for place in inside if place not in owner)
    filled = set(view.cells)
    for first, span in view.spans.items():
        if first in view.cells:
            filled.update(_places(span))
    held = {owner[place] for place in view.cells if place in owner}
    found = [Block(span, head) for number, (span, head) in enumerate(view.declared, 1) if number in held]
    free = {place for place in filled if not owner.get(place)}
    frames = {place for place in view.framed if not owner.get(place)}
    pieces = [_bounds(part) for part in _touching(free, frames)]
    if len(pieces) > MAX_PIECES:
        found.append(Block(_bounds(free)))
    else:
        found += [Block(span) for span in _bridged(_joined(pieces), view)]
    return sorted(found, key=lambda block: block.span)


def _places(span: Span) -> Iterable[tuple[int, int]]:
    top, left, bottom, right = span
    return ((row, col) for row in range(top, bottom + 1) for col in range(left, right + 1))


def _touching(filled: set[tuple[int, int]], frames: set[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Filled cells that touch, corners included, or are joined by framed ones."""
    found, seen = [], set()
    for start in sorted(filled):
        if start in seen:
            continue
        seen.add(start)
        part, waiting = [], deque([start])
        while waiting:
            row, col = waiting.popleft()
            if (row, col) in filled:
                part.append((row, col))
            for place in ((row + i, col + j) for i in (-1, 0, 1) for j in (-1, 0, 1)):
                if place not in seen and (place in filled or place in frames):
                    seen.add(place)
                    waiting.append(place)
        found.append(part)
    return found


def _bounds(places: Iterable[tuple[int, int]]) -> Span:
    rows, columns = zip(*places, strict=True)
    return min(rows), min(columns), max(rows), max(columns)


def _union(a: Span, b: Span) -> Span:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _joined(spans: list[Span]) -> list[Span]:
    """Ranges that overlap made one, until none does."""
    spans = sorted(spans)
    at = 0
    while at < len(spans):
        a = spans[at]
        other = next(
            (
                i
                for i, b in enumerate(spans)
                if i != at and a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]
            ),
            None,
        )
        if other is None:
            at += 1
        else:
            spans[at] = _union(a, spans.pop(other))
            spans.sort()
            at = 0
    return spans


def _bridged(spans: list[Span], view: View) -> list[Span]:
    """Ranges on both sides of a single empty row or column made one, where the second goes on with the first."""
    changed = True
    while changed:
        changed = False
        spans = sorted(spans)
        for a in spans:
            other = next(
                (b for b in spans if b != a and (_goes_on_below(a, b, view) or _goes_on_beside(a, b, view))), None
            )
            if other:
                union = _union(a, other)
                kept = [span for span in spans if span not in (a, other)]
                if len(_joined([union, *kept])) < len(kept) + 1:
                    continue  # something else stands between
                spans, changed = [*kept, union], True
                break
    return spans


def _goes_on_below(a: Span, b: Span, view: View) -> bool:
    """Whether `b`, one empty row below `a`, holds further rows of its table."""
    if b[0] - a[2] != 2 or a[1] == a[3] or a[0] == a[2] or b[1] < a[1] or b[3] > a[3]:
        return False
    first = {col: view.cells[b[0], col] for col in range(b[1], b[3] + 1) if (b[0], col) in view.cells}
    if len(first) < 2 or (b[1], b[3]) != (a[1], a[3]):
        return False
    figures = {col: _figures(view, col, a[0] + 1, a[2]) for col in first}
    if any(shown.figure != figures[col] for col, shown in first.items() if figures[col] is not None):
        return False
    top = [view.cells[a[0], col].text for col in range(a[1], a[3] + 1) if (a[0], col) in view.cells]
    fresh = [shown.text for shown in first.values()] == top
    marked = all(shown.bold or shown.ground for shown in first.values()) and not any(s.figure for s in first.values())
    return not fresh and not marked


def _goes_on_beside(a: Span, b: Span, view: View) -> bool:
    """Whether `b`, one empty column right of `a`, holds further columns of its table: as many rows, and either of
    them is one column, or `b` begins with figures, as no table of its own does."""
    if b[1] - a[3] != 2 or a[0] == a[2] or (a[0], a[2]) != (b[0], b[2]):
        return False
    return a[1] == a[3] or b[1] == b[3] or bool(_figures(view, b[1], b[0] + 1, b[2]))


def _figures(view: View, col: int, first: int, last: int) -> bool | None:
    """Whether a column holds mostly figures in some rows; None where it holds nothing."""
    shown = [view.cells[row, col].figure for row in range(first, last + 1) if (row, col) in view.cells]
    return sum(shown) >= MOSTLY * len(shown) if shown else None
