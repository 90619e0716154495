"""Lines of a table cut where a gap parts two cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec
import numpy as np

from kb_pipeline.records import TextLine

GAP = 0.6
"""Width of a space from which it parts two cells, in heights of the line (ICDAR 2013: TEDS .881)."""
CROSSING = 0.7  # share of a segment's height that a ruling must run through to cut it


def line_segments(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines, each cut at its wide spaces; every other character is in exactly one segment.

    Lines without character edges stay whole, and so do those across the table's reading direction.
    """
    return [part for line in lines for part in _parts(line)]


def cut_at_rulings(segments: Sequence[TextLine], vertical: Sequence[tuple[float, float, float]]) -> list[TextLine]:
    """Segments cut where a vertical ruling (x, top, bottom) runs through them: small gaps also part cells there."""
    return [part for segment in segments for part in _cut(segment, vertical)]


def _cut(segment: TextLine, vertical: Sequence[tuple[float, float, float]]) -> list[TextLine]:
    if segment.vertical or len(segment.edges) != len(segment.text) + 1 or segment.edges[0] > segment.edges[-1]:
        return [segment]
    x0, top, x1, bottom = segment.box
    edges = np.array(segment.edges)
    centres = (edges[1:] + edges[:-1]) / 2
    cuts = sorted(
        {
            int(np.searchsorted(centres, x))
            for x, a, b in vertical
            if x0 < x < x1 and min(b, bottom) - max(a, top) >= CROSSING * (bottom - top)
        }
    )
    bounds = [0, *cuts, len(segment.text)]
    pieces = [_piece(segment, a, b) for a, b in pairwise(bounds) if b > a]
    return [piece for piece in pieces if piece is not None]


def _parts(line: TextLine) -> list[TextLine]:
    if line.vertical or len(line.edges) != len(line.text) + 1 or line.edges[0] > line.edges[-1]:
        return [line]
    wide = GAP * (line.box[3] - line.box[1])
    parts, start = [], 0
    for i, character in enumerate(line.text):
        if character.isspace() and line.edges[i + 1] - line.edges[i] > wide:
            parts.append((start, i))
            start = i + 1
    parts.append((start, len(line.text)))
    return [piece for a, b in parts if (piece := _piece(line, a, b)) is not None]


def _piece(line: TextLine, start: int, end: int) -> TextLine | None:
    text = line.text[start:end]
    lead = len(text) - len(text.lstrip())
    text = text.strip()
    if not text:
        return None
    if text == line.text:
        return line
    edges = line.edges[start + lead : start + lead + len(text) + 1]
    box = (edges[0], line.box[1], edges[-1], line.box[3])
    return msgspec.structs.replace(line, text=text, box=box, edges=edges, quad=None)
