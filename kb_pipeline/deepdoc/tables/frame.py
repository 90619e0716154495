"""The drawn frame around a table: boxes of regions and of text stop short of it."""

from __future__ import annotations

from collections.abc import Sequence

from kb_pipeline.deepdoc.tables.ruled import Line
from kb_pipeline.records import Box

REACH = 14.0  # points beyond the box in which the frame's lines are looked for
MIN_SIDE = 0.6  # share of the box's side that an outer line must run along


def with_frame(box: Box, horizontal: Sequence[Line], vertical: Sequence[Line]) -> Box:
    """The box grown to the nearest lines outside of it; all in points.

    Args:
        horizontal: (y, x0, x1).
        vertical: (x, top, bottom).
    """
    x0, top, x1, bottom = box
    ys = [y for y, a, b in horizontal if min(b, x1) - max(a, x0) >= MIN_SIDE * (x1 - x0)]
    xs = [x for x, a, b in vertical if min(b, bottom) - max(a, top) >= MIN_SIDE * (bottom - top)]
    return (
        float(max((x for x in xs if x0 - REACH <= x < x0), default=x0)),
        float(max((y for y in ys if top - REACH <= y < top), default=top)),
        float(min((x for x in xs if x1 < x <= x1 + REACH), default=x1)),
        float(min((y for y in ys if bottom < y <= bottom + REACH), default=bottom)),
    )
