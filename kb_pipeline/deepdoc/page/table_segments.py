"""Lines of a table in pieces that hold one cell's text each, where the character layer knows the gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.page.lines import segments
from kb_pipeline.deepdoc.tables.segments import line_segments
from kb_pipeline.records import TextLine

EVERYWHERE = (-1e9, -1e9, 1e9, 1e9)
NEAR = 0.01  # points: boxes of lines are unions of their characters' boxes, up to rounding


def table_segments(lines: Sequence[TextLine], characters: Characters) -> list[TextLine]:
    """The lines of a table, cut at gaps that part cells, in points of the displayed page.

    Lines of the character layer are built anew from their characters, whose loose boxes tell gaps best; recognised
    ones are cut at their wide spaces. The text of the lines is kept to the character.
    """
    layer = [line for line in lines if line.origin == "text layer"]
    recognised = [line for line in lines if line.origin != "text layer"]
    built = segments(characters.take(_inside(characters, layer)), EVERYWHERE) if layer else []
    if _letters(built) != _letters(layer):  # revealed hidden text, or another line's characters in these boxes
        built = line_segments(layer)
    return built + line_segments(recognised)


def _inside(characters: Characters, lines: Sequence[TextLine]) -> np.ndarray:
    """[N] bool: characters whose box lies in the box of one of the lines."""
    inside = np.zeros(len(characters), bool)
    for x0, top, x1, bottom in (line.box for line in lines):
        low = characters.box[:, :2] >= (x0 - NEAR, top - NEAR)
        inside |= (low & (characters.box[:, 2:] <= (x1 + NEAR, bottom + NEAR))).all(axis=1)
    return inside


def _letters(lines: Sequence[TextLine]) -> Counter[str]:
    return Counter(c for line in lines for c in line.text if not c.isspace())
