"""Tables without rulings, found by the lines of a page: columns of figures or words that stand beside labels.

The layout model often calls them text. Rows that follow each other with the same gaps between their pieces are a table
where a column holds figures, or where three columns of short words are aligned. Running text in columns, contents,
lists and numbered formulas have such rows too, and are told apart by what stands in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import msgspec
import numpy as np

from kb_pipeline.deepdoc.files import geometry
from kb_pipeline.deepdoc.page.region_lines import lines_in, rows_of
from kb_pipeline.deepdoc.page.regions import MIN_SHARE
from kb_pipeline.deepdoc.tables.aligned_grid import is_currency
from kb_pipeline.deepdoc.tables.segments import line_segments
from kb_pipeline.records import Box, Region, TextLine
from kb_pipeline.tables.headers import is_figure
from kb_pipeline.text.markers import has_leader, is_lone_marker

CELL_GAP = 1.0  # line heights of empty space that part two cells of a row…
DETECTED_GAP = 0.4  # …and two lines that were detected apart
PITCH = 2.6  # line heights from row to row of one table at most
MIN_ROWS = 3  # rows of several cells
FIGURES = 0.6  # share of a column's cells that are figures
SHORT = 12.0  # line heights that a cell of words is wide at most, outside of the first column
LONG = 25.0  # line heights from which a piece is a line of running text…
LONG_IN_COLUMNS = 14.0  # …and a line of a column of a page
PROSE_ROWS = 4  # rows of two such lines, side by side, from which a page is set in columns
FILLED = 0.75  # share of a column's width that a line of a paragraph takes up
PROSE_WORDS, PROSE_CHARACTERS = 3, 8  # of such a line, in English and Chinese
WIDE_GAP = 3.0  # line heights between labels and one column of words
WORD_ROWS = 4  # rows of a table of words alone; pieces of a diagram stand in fewer
UNTOUCHED = ("figure", "equation")  # roles of regions in which no table is looked for
TOUCHING = 0.3  # share of an area from which two boxes are about the same thing
COVERING = 0.6  # share of a figure that aligned text takes up, from which it is no figure but that table
INSIDE = 0.6  # share of a model's table that must lie in an aligned one which takes its place


@dataclass
class Run:
    """Rows that follow each other, and the extents [x0, x1] of their columns, from the left."""

    rows: list[list[TextLine]] = field(default_factory=list)
    columns: list[list[float]] = field(default_factory=list)

    @property
    def height(self) -> float:
        return float(np.median([piece.box[3] - piece.box[1] for row in self.rows for piece in row]))

    def cells(self, col: int) -> list[TextLine]:
        """Pieces of a column, from the top."""
        low, high = self.columns[col]
        return [piece for row in self.rows for piece in row if piece.box[0] < high and piece.box[2] > low]

    @property
    def box(self) -> Box:
        return geometry.union(piece.box for row in self.rows for piece in row)


def aligned_tables(lines: Sequence[TextLine]) -> list[Box]:
    """Boxes of the tables that the alignment of a page's upright lines shows, in points, from the top."""
    pieces = [piece for piece in line_segments([li for li in lines if not li.vertical]) if piece.text.strip()]
    found = [run.box for part in _page_columns(pieces) for run in _runs(part) if _is_table(run)]
    return sorted(found, key=lambda box: (box[1], box[0]))


def _page_columns(pieces: Sequence[TextLine]) -> list[list[TextLine]]:
    """The pieces of a page, parted where running text stands in two columns."""
    gutters = []
    for row in rows_of(pieces):
        for left, right in pairwise(row):
            height = min(left.box[3] - left.box[1], right.box[3] - right.box[1])
            if min(left.box[2] - left.box[0], right.box[2] - right.box[0]) >= LONG_IN_COLUMNS * height:
                gutters.append((left.box[2] + right.box[0]) / 2)
    if len(gutters) < PROSE_ROWS:
        return [list(pieces)]
    middle = float(np.median(gutters))
    left = [piece for piece in pieces if piece.box[2] <= middle]
    right = [piece for piece in pieces if piece.box[0] >= middle]
    return [left, right, [piece for piece in pieces if piece.box[0] < middle < piece.box[2]]]


def _runs(pieces: Sequence[TextLine]) -> list[Run]:
    """Rows in runs: a run ends at a wide gap, and at a row whose pieces reach over the gaps between the columns."""
    runs: list[Run] = []
    open_run = Run()
    for row in rows_of(pieces):
        row = _joined(row)
        if open_run.rows and not _fits(open_run, row):
            runs.append(open_run)
            open_run = Run()
        if open_run.rows or len(row) > 1:
            _add(open_run, row)
    return [trimmed for run in [*runs, open_run] if (trimmed := _trimmed(run)).rows]


def _joined(row: list[TextLine]) -> list[TextLine]:
    """A row without the pieces that stand too near the one before to be cells of their own."""
    cells: list[TextLine] = []
    for piece in row:
        gap = DETECTED_GAP if piece.origin == "ocr" else CELL_GAP
        signed = cells and is_currency(cells[-1].text)
        near = cells and piece.box[0] - cells[-1].box[2] < gap * min(_height(cells[-1]), _height(piece))
        if near or signed:
            box = geometry.union([cells[-1].box, piece.box])
            cells[-1] = TextLine(f"{cells[-1].text} {piece.text}", box, cells[-1].origin, size=piece.size)
        else:
            cells.append(piece)
    return cells


def _height(piece: TextLine) -> float:
    return piece.box[3] - piece.box[1]


def _fits(run: Run, row: Sequence[TextLine]) -> bool:
    last, height = run.rows[-1], run.height
    if min(p.box[1] for p in row) - min(p.box[1] for p in last) > PITCH * height:
        return False
    columns = run.columns
    for piece in row:
        over = [k for k, (low, high) in enumerate(columns) if piece.box[0] < high and piece.box[2] > low]
        if len(over) > 1:
            return False
    return len(row) > 1 or row[0].box[0] < columns[0][1] or row[0].box[2] - row[0].box[0] <= SHORT * height


def _add(run: Run, row: list[TextLine]) -> None:
    run.rows.append(row)
    for piece in row:
        low, high = piece.box[0], piece.box[2]
        over = [column for column in run.columns if low < column[1] and high > column[0]]
        for column in over:
            run.columns.remove(column)
            low, high = min(low, column[0]), max(high, column[1])
        run.columns.append([low, high])
    run.columns.sort()


def _trimmed(run: Run) -> Run:
    """The run up to its last row of several cells, and the lines below it that go on in its first cell."""
    several = [k for k, row in enumerate(run.rows) if len(row) > 1]
    if not several:
        return Run()
    end = several[-1] + 1
    pitches = [b[0].box[1] - a[0].box[1] for a, b in pairwise(run.rows[: several[-1] + 1])]
    while end < len(run.rows) and _continues(run.rows[end - 1][0], run.rows[end][0], pitches):
        end += 1
    kept = Run()
    for row in run.rows[:end]:
        _add(kept, row)
    return kept


def _continues(above: TextLine, below: TextLine, pitches: Sequence[float]) -> bool:
    """Whether a line below the last row is the rest of its label: nearer than the rows are, or indented."""
    pitch = below.box[1] - above.box[1]
    usual = float(np.median(pitches)) if pitches else 0.0
    return pitch <= 1.5 * _height(above) and (pitch < 0.9 * usual or below.box[0] > above.box[0] + 0.3 * _height(above))


# ---------------------------------------------------------------- what is a table


def _is_table(run: Run) -> bool:
    height = run.height
    several = [row for row in run.rows if len(row) > 1]
    if len(run.columns) < 2 or len(several) < MIN_ROWS or _is_prose(run, height) or _is_list(run):
        return False
    if any(_holds_figures(run.cells(col)) for col in range(1, len(run.columns))):
        return True
    return _are_words(run, several, height)


def _holds_figures(cells: Sequence[TextLine]) -> bool:
    values = [piece.text.strip() for piece in cells]
    figures = sum(is_figure(value) for value in values)
    return figures >= 2 and figures >= FIGURES * (len(values) - 1)


def _are_words(run: Run, several: Sequence[Sequence[TextLine]], height: float) -> bool:
    """Whether columns of short words stand apart from the labels and from each other, and are no paragraphs."""
    if sum(_is_filled(run.cells(col), run.columns[col]) for col in range(len(run.columns))) > 1:
        return False
    short = all(
        np.percentile([piece.box[2] - piece.box[0] for piece in run.cells(col)], 75) <= SHORT * height
        for col in range(1, len(run.columns))
    )
    apart = min(b[0] - a[1] for a, b in pairwise(run.columns)) >= CELL_GAP * height
    if not short or not apart:
        return False
    if len(run.columns) > 2:
        return sum(len(row) > 2 for row in several) >= WORD_ROWS
    return len(several) >= WORD_ROWS and run.columns[1][0] - run.columns[0][1] >= WIDE_GAP * height


def _is_prose(run: Run, height: float) -> bool:
    """Whether most rows hold several lines of running text, or such lines are all that stands at the left."""
    first = run.columns[0]
    if first[1] - first[0] >= LONG * height and _is_filled(run.cells(0), first):
        return True
    long = [sum(piece.box[2] - piece.box[0] >= LONG * height for piece in row) > 1 for row in run.rows]
    return 2 * sum(long) > len(long)


def _is_filled(cells: Sequence[TextLine], column: Sequence[float]) -> bool:
    """Whether the cells of a column look like lines of a paragraph: as wide as it is, and of several words."""
    width = column[1] - column[0]
    full = sum(
        piece.box[2] - piece.box[0] >= FILLED * width
        and (len(piece.text.split()) >= PROSE_WORDS or sum(ord(c) > 0x2E80 for c in piece.text) >= PROSE_CHARACTERS)
        for piece in cells
    )
    return full >= FIGURES * len(cells)


def _is_list(run: Run) -> bool:
    """Whether the run is a list or contents: lone markers before the text, or numbers that count behind it."""
    first = run.cells(0)
    if len(run.columns) == 2 and 2 * sum(is_lone_marker(piece.text) for piece in first) > len(first):
        return True
    if 2 * sum(has_leader(piece.text) for row in run.rows for piece in row) > len(run.rows):
        return True
    if len(run.columns) != 2:
        return False
    numbers = [piece.text.strip().strip("()（）") for piece in run.cells(1)]
    values = [int(number) for number in numbers if number.isdigit()]
    counted = len(values) >= len(numbers) - 1 and all(a <= b for a, b in pairwise(values))
    return counted and len(values) >= MIN_ROWS


# ---------------------------------------------------------------- into the regions of the page


def with_aligned_tables(regions: Sequence[Region], lines: Sequence[TextLine]) -> list[Region]:
    """The regions with the tables that the lines show: in place of text that the model saw there, and around a table
    of which it saw a part. Nothing is looked for in figures."""
    regions = list(regions)
    for box in aligned_tables(lines):
        drawn = [r for r in regions if r.role in UNTOUCHED and geometry.overlap_share(box, r.box) > TOUCHING]
        if any(geometry.overlap_share(r.box, box) < COVERING for r in drawn):
            continue
        regions = [r for r in regions if r not in drawn]
        tables = [r for r in regions if r.role == "table" and geometry.overlap_of_smaller(r.box, box) > TOUCHING]
        if len(tables) > 1 or any(geometry.overlap_share(r.box, box) < INSIDE for r in tables):
            continue
        if any(_reaches_into_text(box, r.box, lines, LONG_IN_COLUMNS) for r in tables):
            continue
        seen = [r.box for r in tables if not _reaches_into_text(r.box, box, lines, LONG)]
        table = Region("table", geometry.union([box, *seen]), max((r.score for r in tables), default=1.0))
        regions = [kept for r in regions if r not in tables and (kept := _beside(r, table.box, lines))]
        regions.append(table)
    return regions


def _reaches_into_text(larger: Box, table: Box, lines: Sequence[TextLine], long: float) -> bool:
    """Whether a box holds lines of running text, `long` line heights wide, besides those of a table in it."""
    outside = [line for line in lines_in(larger, lines) if geometry.overlap_share(line.box, table) < MIN_SHARE]
    return any(line.box[2] - line.box[0] >= long * _height(line) for line in outside)


def _beside(region: Region, table: Box, lines: Sequence[TextLine]) -> Region | None:
    """What is left of a region beside a table: itself, the hull of its lines outside of the table, or nothing."""
    if not geometry.overlap_area(region.box, table):
        return region
    own = lines_in(region.box, lines)
    left = [line for line in own if geometry.overlap_share(line.box, table) < MIN_SHARE]
    if len(left) == len(own) and own:
        return region
    return msgspec.structs.replace(region, box=geometry.union(line.box for line in left)) if left else None
