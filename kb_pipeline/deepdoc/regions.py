"""Regions and lines of a page brought together: which line lies in which region, and tables that are one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kb_pipeline.deepdoc import geometry
from kb_pipeline.records import Region, Role, TextLine

LEAST_SHARE = 0.4  # of a line's area that a region must cover to own it

ORDER: tuple[Role, ...] = (
    "footer",
    "header",
    "reference",
    "figure caption",
    "table caption",
    "title",
    "table",
    "text",
    "figure",
    "equation",
)
"""Roles in the order in which they claim a line: small special regions before those that surround them."""

ONE_TABLE = 0.3  # share of the smaller table's area that lies in another from which the two are one


def assign_lines(lines: Sequence[TextLine], regions: Sequence[Region]) -> list[int]:
    """For every line the index of its region, -1 for none: the first role of `ORDER` that covers enough of the line."""
    if not lines or not regions:
        return [-1] * len(lines)
    boxes = np.array([line.box for line in lines], float)
    shares = geometry.overlap_matrix(boxes, np.array([r.box for r in regions], float))
    shares = shares / np.maximum(geometry.areas(boxes), 1e-9)[:, None]
    ranks = np.array([ORDER.index(r.role) for r in regions])
    owners = []
    for row in shares:
        candidates = np.flatnonzero(row >= LEAST_SHARE)
        best = min(candidates, key=lambda k: (ranks[k], -row[k], k), default=-1)
        owners.append(int(best))
    return owners


def merged_tables(regions: Sequence[Region]) -> list[Region]:
    """The regions from top to bottom, overlapping tables made one, so that no line is in two tables."""
    tables = [r for r in regions if r.role == "table"]
    merged: list[Region] = []
    while tables:
        table = tables.pop(0)
        for k, other in enumerate(tables):
            smaller = min((table.box, other.box), key=geometry.area)
            if geometry.overlap_area(table.box, other.box) > ONE_TABLE * geometry.area(smaller):
                del tables[k]
                tables.insert(0, Region("table", geometry.union([table.box, other.box]), max(table.score, other.score)))
                break
        else:
            merged.append(table)
    rest = [r for r in regions if r.role != "table"]
    return sorted(rest + merged, key=lambda r: (r.box[1], r.box[0], r.role, r.box))
