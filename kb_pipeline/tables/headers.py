"""Which rows of a table name its columns, and which stand above it as its title, by what is in the cells.

A header is told by what it stands above: words over figures, a look of its own, merged cells over several columns. In a
table of words alone the first row is taken for the header where its cells could be names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from kb_pipeline.records import TableCell

MAX_HEADER_ROWS = 5
MAX_TITLE_ROWS = 3
MAX_GAPS = 1  # cells without text in a header row: the corner above the row labels
GAPS = 0.2  # share of such cells in the first row of a table of words
LOOKED_AT = 300  # rows, from the top, by which columns are judged
MOSTLY = 0.6  # share of a column's cells that make it one of figures, or of words
LONGEST_NAME = 60  # characters of a cell that can name a column
_FIGURE = re.compile(r"[^\w]*\d[\d\s.,:%‰/\-–−±+()（）°'′″×~～年月日时分秒]*[A-Za-zμΩ℃%‰元个]{0,3}")
_YEAR = re.compile(r"(?:19|20)\d{2}\s*(?:年度?|[AEae])?|[QqHh][1-4]|\d{1,2}\s*月(?:份)?|第?[一二三四]季度")
_NOTHING = re.compile(r"[-–—/\\*.\s]*|n/?a|nil|none|无|空|未测", re.I)
_SENTENCE = re.compile(r"[。！？?；;]|[.!]\s*$|\S+(?:\s+\S+){11,}")
_NOTE = re.compile(
    r"\s*(?:[(（]?(?:注|备注|说明|附注|数据来源|资料来源|来源|notes?|sources?|remarks?)[)）]?\s*[:：\d.]|[*※＊])", re.I
)


class StyledCell(NamedTuple):
    """A cell; whether its value is a figure (a number, a date), its type bold, its ground coloured."""

    cell: TableCell
    figure: bool
    bold: bool = False
    ground: bool = False


def is_figure(text: str) -> bool:
    """Whether a text is a number, a date, or a number with a unit."""
    return bool(_FIGURE.fullmatch(text.strip()))


def title_rows(looks: Sequence[StyledCell]) -> int:
    """Rows at the top that hold one cell of words each, above rows of more cells: the table's title."""
    rows = _rows(looks)
    count = 0
    while count < min(len(rows) - 1, MAX_TITLE_ROWS):
        filled = _filled(rows[count])
        if len(filled) > 1 or any(look.figure for look in filled):
            break
        count += 1
    body = [_filled(row) for row in rows[count:]]
    if not body or len(body[0]) < 2 or not any(_filled(row) for row in rows[:count]):
        return 0
    labelled = any(len(row) == 1 and not row[0].figure for row in body[1:-1])
    if labelled and not header_rows([look for row in rows[count:] for look in row]):
        count -= 1  # rows of one cell part this table, and the last one above it begins its first part
        while count and not _filled(rows[count - 1]):
            count -= 1
    return count


def note_rows(looks: Sequence[StyledCell], width: int) -> int:
    """Rows at the bottom that are notes on the table: one cell each, across all columns or marked as a note."""
    rows = _rows(looks)
    count = 0
    while count < len(rows) - 2:
        filled = _filled(rows[-1 - count])
        if len(filled) != 1 or width < 2:
            break
        across = filled[0].cell.colspan == width and len(filled[0].cell.text) > LONGEST_NAME / 2
        if not (across or _NOTE.match(filled[0].cell.text)):
            break
        count += 1
    return count


def header_rows(looks: Sequence[StyledCell]) -> int:
    """How many rows at the top name the columns. `looks`: cells in the order of their rows, title rows left out."""
    rows = _rows(looks)[:LOOKED_AT]
    if len(rows) < 2:
        return 0
    emphatic = _emphatic(rows, "bold") or _emphatic(rows, "ground")
    if emphatic:
        return _reached(rows, emphatic)
    first = _vote(rows, 0)
    if first < 0 or (first == 0 and not _could_be_names(rows)):
        return 0
    count = 1
    merged = [look.cell for look in _filled(rows[0]) if look.cell.colspan > 1 or look.cell.rowspan > 1]
    if merged:
        wide = any(cell.colspan > 1 for cell in merged)
        count = max([2 if wide and _words(rows[1]) else 1, *(cell.rowspan for cell in merged)])
    while count < min(len(rows) - 1, MAX_HEADER_ROWS) and _words(rows[count]) and _names_most(rows, count):
        count += 1
    return _reached(rows, count)


def _rows(looks: Sequence[StyledCell]) -> list[list[StyledCell]]:
    found: dict[int, list[StyledCell]] = {}
    for look in looks:
        found.setdefault(look.cell.row, []).append(look)
    return list(found.values())


def _filled(row: Sequence[StyledCell]) -> list[StyledCell]:
    return [look for look in row if look.cell.text.strip()]


def _columns_of(look: StyledCell) -> range:
    return range(look.cell.col, look.cell.col + look.cell.colspan)


def _words(row: Sequence[StyledCell]) -> bool:
    filled = _filled(row)
    return bool(filled) and not any(_is_figure(look) for look in filled)


def _is_figure(look: StyledCell) -> bool:
    return look.figure and not _YEAR.fullmatch(look.cell.text.strip())


def _emphatic(rows: Sequence[Sequence[StyledCell]], look: str) -> int:
    """Leading rows whose cells all have that look, above some that have not; none where they name one column alone."""
    count = 0
    while count < min(len(rows) - 1, MAX_HEADER_ROWS):
        filled = _filled(rows[count])
        if not filled or not all(getattr(one, look) for one in filled) or _gaps(rows[count]) > MAX_GAPS:
            break
        count += 1
    plain = any(not getattr(one, look) for row in rows[count:] for one in _filled(row))
    named = max((len(_filled(row)) for row in rows[:count]), default=0)
    return count if plain and named > 1 and _across(rows, count) else 0


def _gaps(row: Sequence[StyledCell]) -> int:
    """Cells of a row without text."""
    return len(row) - len(_filled(row))


def _across(rows: Sequence[Sequence[StyledCell]], count: int) -> bool:
    """Whether the first rows stand above most columns."""
    width = max(look.cell.col + look.cell.colspan for row in rows for look in row)
    named = {col for row in rows[:count] for look in _filled(row) for col in _columns_of(look)}
    return len(named) > width / 2


def _reached(rows: Sequence[Sequence[StyledCell]], count: int) -> int:
    """The rows that merged cells of the header reach into; they are no header where that would be all of them."""
    first = rows[0][0].cell.row
    reach = max(cell.row + cell.rowspan for row in rows[:count] for cell, *_ in row) - first
    reach = max(count, min(reach, MAX_HEADER_ROWS))
    return reach if reach < len(rows) else min(count, len(rows) - 1)


def _vote(rows: Sequence[Sequence[StyledCell]], at: int) -> int:
    """Columns whose cell in a row differs in kind from what stands below: words above figures, years above figures, or
    figures above words; less those that have a figure among figures."""
    figures, words = _columns(rows[at + 1 :])
    score = 0
    for look in _filled(rows[at]):
        col = look.cell.col
        below = figures[col] + words[col]
        if not below or look.cell.colspan > 1:
            continue
        if figures[col] >= MOSTLY * below:
            score += -1 if _is_figure(look) else 1
        elif words[col] >= MOSTLY * below and _is_figure(look):
            score += 1
    return score


def _columns(rows: Sequence[Sequence[StyledCell]]) -> tuple[Counter[int], Counter[int]]:
    """Figures and words by column; what stands for nothing counts as neither."""
    figures: Counter[int] = Counter()
    words: Counter[int] = Counter()
    for row in rows:
        for look in row:
            text = look.cell.text.strip()
            if text and not _NOTHING.fullmatch(text):
                (figures if look.figure else words)[look.cell.col] += 1
    return figures, words


def _names_most(rows: Sequence[Sequence[StyledCell]], at: int) -> bool:
    """Whether a row after the first is a header too: its words stand above most columns of figures."""
    figures, words = _columns(rows[at + 1 :])
    columns = {col for col, count in figures.items() if count >= MOSTLY * (count + words[col])}
    named = {
        look.cell.col
        for look in _filled(rows[at])
        if not look.figure and not _NOTHING.fullmatch(look.cell.text.strip())
    }
    return bool(columns) and len(columns & named) > len(columns) / 2


def _could_be_names(rows: Sequence[Sequence[StyledCell]]) -> bool:
    """Whether the cells of the first row are several, different and short, no sentences, and most columns have one."""
    texts = [look.cell.text.strip() for look in _filled(rows[0])]
    below = {col for row in rows[1:] for look in _filled(row) for col in _columns_of(look)}
    gaps = sum(not look.cell.text.strip() and not below.isdisjoint(_columns_of(look)) for look in rows[0])
    return (
        len(texts) > 1
        and gaps <= max(MAX_GAPS, GAPS * len(rows[0]))
        and 2 * len(set(texts)) >= len(texts) + (len(texts) < 4)
        and not any(len(text) > LONGEST_NAME or _SENTENCE.search(text) for text in texts)
    )
