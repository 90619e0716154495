"""Tables drawn with bars in Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from kb_pipeline.formats.markdown.inline import Inline
from kb_pipeline.formats.markdown.source import Place, Source
from kb_pipeline.records import LineLocator, TableCell

_BAR = re.compile(r"(?<!\\)\|")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")


def read_pipe_table(
    source: Source, rows: Sequence[int], quotes: int, item: int, inline: Callable[[str], Inline]
) -> list[str]:
    """A table of the lines with these numbers, the first one its header; a row of other length keeps all its cells.

    Args:
        quotes: how many quotes it stands in.  item: line of the list item that it begins, 0 for none.

    Returns:
        Labels of the footnotes that it refers to.
    """
    notes: list[str] = []
    spans = {number: _cells(source.lines[number - 1], quotes, number == item) for number in rows}
    width = len(spans[rows[0]]) if rows else 0
    cells = []
    for row, number in enumerate(rows):
        line = source.lines[number - 1]
        texts = []
        for start, end in spans[number]:
            content = line[start:end]
            found = inline(content)
            place = Place(content, number, source.lines, start)
            pieces = [
                piece._replace(text=piece.text.replace("\\|", "|")) for run in found.runs for piece in place.pieces(run)
            ]
            texts.append(" ".join(segment.text for segment in source.take(pieces)))
            notes += found.notes
        texts += [""] * (width - len(texts))
        cells += [
            TableCell(row, col, 1, 1, row == 0, text, (LineLocator(number, number),)) for col, text in enumerate(texts)
        ]
    source.out.append_table(cells)
    return notes


def _cells(line: str, quotes: int, item: bool) -> list[tuple[int, int]]:
    """Ranges of a line's cells, spaces around them left out."""
    at = 0
    for _ in range(quotes):
        mark = line.find(">", at)
        at = mark + 1 if mark >= 0 and not line[at:mark].strip() else at
    match = _ITEM.match(line, at) if item else None
    at = match.end() if match else at
    bars = [match.start() for match in _BAR.finditer(line, at)]
    edges = [at - 1, *bars, len(line)]
    found = []
    for left, right in pairwise(edges):
        text = line[left + 1 : right]
        start = left + 1 + len(text) - len(text.lstrip())
        found.append((start, start + len(text.strip())))
    if bars and found[0][0] == found[0][1] and not line[at : bars[0]].strip():
        found.pop(0)
    if bars and found and not line[bars[-1] + 1 :].strip():
        found.pop()
    return found
