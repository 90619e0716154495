"""The grid of a table without rulings from how its text is aligned: columns by the gaps that run through all rows.

A label that goes on in a second line is one row with it: lines that stand nearer to each other than rows do, that are
indented under the first, or that begin where the one before had no room for their first word.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kb_pipeline.deepdoc.tables.fill import reading_rows
from kb_pipeline.deepdoc.tables.grid import Cell, Grid
from kb_pipeline.records import TextLine
from kb_pipeline.tables.headers import is_figure

MIN_ROWS = 3  # rows of several pieces, from which columns are believed
COLUMN_GAP = 0.35  # line heights of empty space that part two columns
TIGHT = 0.85  # of the usual distance of rows, below which a line goes on in the cell above it
INDENT = 0.3  # line heights by which the rest of a label is indented
FULL = 0.9  # width of an average character in line heights, by which a label misses the next word's room at least

CURRENCIES = ("$", "€", "£", "¥", "￥", "US$", "HK$", "RMB")

Row = list[TextLine]


def aligned_grid(segments: Sequence[TextLine]) -> Grid | None:
    """The grid, boxes in the frame of the segments; None where their alignment shows none.

    Args:
        segments: pieces of text, one cell's or a part of it each, standing upright.
    """
    lines = reading_rows(segments)
    columns = _columns(lines)
    if len(columns) < 2 or sum(len(line) > 1 for line in lines) < MIN_ROWS:
        return None
    placed = [[_span(piece, columns) for piece in line] for line in lines]
    pairs = [
        pair for line, spans in zip(lines, placed, strict=True) for pair in pairwise(zip(line, spans, strict=True))
    ]
    if any(a[1] > b[0] and not is_currency(sign.text) for (sign, a), (_, b) in pairs):
        return None  # two pieces of a row in one column: what looks like columns is none
    rows = _rows(lines, placed)
    edges = _edges(columns)
    cells, boxes = [], []
    for r, row in enumerate(rows):
        pieces = [(piece, span) for k in row for piece, span in zip(lines[k], placed[k], strict=True)]
        top, bottom = min(p.box[1] for p, _ in pieces), max(p.box[3] for p, _ in pieces)
        wide = {span for _, span in pieces if span[1] - span[0] > 1}
        col = 0
        while col < len(columns):
            end = next((b for a, b in sorted(wide) if a == col), col + 1)
            cells.append(Cell(r, col, 1, end - col))
            boxes.append([edges[col], top, edges[end], bottom])
            col = end
    return Grid(tuple(cells), np.array(boxes, float), "alignment")


def is_better(aligned: Grid, model: Grid) -> bool:
    """Whether the aligned grid is to be believed over a model's: it parts more columns without more rows, or the model
    parts labels of several lines into rows, or both see the same plain grid, where the lines know best which cell they
    are in. Of headers over several columns a model knows more."""
    plain = all(cell.rowspan == cell.colspan == 1 for cell in model.cells)
    if aligned.rows > model.rows or aligned.cols < model.cols:
        return not model.cells
    return plain or aligned.cols > model.cols


def is_currency(text: str) -> bool:
    """Whether a text is a sign of a currency alone, which statements set apart from its amounts."""
    return text.strip() in CURRENCIES


def _columns(lines: Sequence[Row]) -> list[tuple[float, float]]:
    """Extents of the columns, from the left: hulls of pieces that overlap, in the rows that hold figures if there are
    such, since headers reach over several columns."""
    body = [line for line in lines if len(line) > 1 and any(is_figure(piece.text) for piece in line[1:])]
    body = body if len(body) >= MIN_ROWS else [line for line in lines if len(line) > 1]
    found: list[list[TextLine]] = []
    for piece in sorted((piece for line in body for piece in line), key=lambda piece: piece.box[0]):
        end = max((before.box[2] for before in found[-1]), default=0.0) if found else 0.0
        signs = found and all(is_currency(before.text) for before in found[-1])
        if found and (signs or piece.box[0] < end + COLUMN_GAP * (piece.box[3] - piece.box[1])):
            found[-1].append(piece)
        else:
            found.append([piece])
    return [(min(p.box[0] for p in column), max(p.box[2] for p in column)) for column in found]


def _span(piece: TextLine, columns: Sequence[tuple[float, float]]) -> tuple[int, int]:
    """Columns that a piece stands in, first and one after the last; the nearest one where it stands in none."""
    over = [k for k, (low, high) in enumerate(columns) if piece.box[0] < high and piece.box[2] > low]
    if over:
        return over[0], over[-1] + 1
    middle = (piece.box[0] + piece.box[2]) / 2
    nearest = min(range(len(columns)), key=lambda k: max(columns[k][0] - middle, middle - columns[k][1]))
    return nearest, nearest + 1


def _edges(columns: Sequence[tuple[float, float]]) -> list[float]:
    middles = [(a[1] + b[0]) / 2 for a, b in pairwise(columns)]
    return [columns[0][0] - 1, *middles, columns[-1][1] + 1]


def _rows(lines: Sequence[Row], placed: Sequence[Sequence[tuple[int, int]]]) -> list[list[int]]:
    """Indexes of lines by row of the table."""
    starts = [line[0].box[1] for line in lines]
    several = [k for k, line in enumerate(lines) if len(line) > 1]
    usual = float(np.median(np.diff([starts[k] for k in several])))
    tops = np.diff(starts)
    between = [d for k, d in enumerate(tops) if len(lines[k]) > 1 and len(lines[k + 1]) > 1]
    usual = min(usual, float(np.median(between or [usual])))
    room = max((line[0].box[2] for line, spans in zip(lines, placed, strict=True) if spans[0] == (0, 1)), default=0.0)
    alone = [k for k in range(1, len(lines)) if len(lines[k]) == 1 and placed[k][0] == (0, 1)]
    two_pitches = any(tops[k - 1] < TIGHT * usual for k in alone)
    rows: list[list[int]] = []
    for k, line in enumerate(lines):
        near = k > 0 and (tops[k - 1] < TIGHT * usual or not two_pitches)
        if near and _goes_on(lines[rows[-1][0] : k], line, placed[k], two_pitches, room):
            rows[-1].append(k)
        else:
            rows.append([k])
    return rows


def _goes_on(above: Sequence[Row], line: Row, spans: Sequence[tuple[int, int]], tight: bool, room: float) -> bool:
    """Whether a line belongs to the row above it: only its label is there, or the label above lacks its values.

    `tight`: it is nearer to it than rows are to each other.
    """
    first, last = above[0][0], above[-1][0]
    height = last.box[3] - last.box[1]
    alone = len(line) == 1 and spans[0] == (0, 1)
    waiting = all(len(row) == 1 for row in above) and len(line) > 1
    if last.box[0] > room or not (alone or waiting) or line[0].box[0] > room:
        return False
    indented = line[0].box[0] > first.box[0] + INDENT * height
    full = last.box[2] + _first_word(line[0]) > room
    if alone:
        return (tight and (full or indented)) or (indented and full) or (full and _is_rest(line[0].text))
    return full and (tight or _is_rest(line[0].text))


def _first_word(piece: TextLine) -> float:
    """Width of the first word of a piece and the space before it, in points; of Chinese, of its first character."""
    text = piece.text.strip()
    word = text.split()[0] if text[:1].isascii() else text[0]
    return (piece.box[2] - piece.box[0]) * (len(word) + text[:1].isascii()) / max(len(text), 1)


def _is_rest(text: str) -> bool:
    """Whether a text looks like the rest of another: it begins with a small letter."""
    return text[:1].islower()
