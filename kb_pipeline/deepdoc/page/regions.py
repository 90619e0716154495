"""Regions and lines of a page brought together: which line lies in which region, and tables that are one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from kb_pipeline.deepdoc.files import geometry
from kb_pipeline.records import Box, Region, Role, TextLine

MIN_SHARE = 0.4  # of a line's area that a region must cover to own it
WITHIN_LINE = 0.7  # share of a region's area in a line from which it owns it…
MIN_WITHIN = 0.2  # …where it covers so much of the line (a leaning watermark's box holds whole paragraphs)

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

# Where paragraphs part: distance of two rows in usual distances, indent in line heights, and the share of the width by
# which a paragraph's last line stays short (measured on pages with true paragraphs: F1 .52 to .70 and .37 to .43).
WIDE_PITCH = 1.5
INDENT = 0.8
SHORT_LINE = 0.3

# Bold titles in a region of text: thickness of strokes over that of the rest, and lines at most. Measured on scanned
# journals: bold lines 1.28 to 1.7, others of the same region up to 1.2.
BOLD = 1.22
TITLE_LINES = 2
SENTENCE_ENDS = (".", "。", ",", "，", ";", "；", ":", "：", "、", "-")

ONE_TABLE = 0.3  # share of the smaller table's area that lies in another from which the two are one


def assign_lines(lines: Sequence[TextLine], regions: Sequence[Region]) -> list[int]:
    """For every line the index of its region, -1 for none: the first role of `ORDER` that covers enough of the line.

    A region that lies in a line owns it too: the boxes of single short lines are tight, those of recognised lines wide.
    """
    if not lines or not regions:
        return [-1] * len(lines)
    boxes = np.array([line.box for line in lines], float)
    places = np.array([r.box for r in regions], float)
    common = geometry.overlap_matrix(boxes, places)
    shares = common / np.maximum(geometry.areas(boxes), 1e-9)[:, None]
    of_region = common / np.maximum(geometry.areas(places), 1e-9)[None, :]
    lies_within = (of_region >= WITHIN_LINE) & (shares >= MIN_WITHIN)
    shares = np.where(lies_within, np.maximum(shares, MIN_SHARE), shares)
    ranks = np.array([ORDER.index(r.role) for r in regions])
    owners = []
    for row in shares:
        candidates = np.flatnonzero(row >= MIN_SHARE)
        best = min(candidates, key=lambda k: (ranks[k], -row[k], k), default=-1)
        owners.append(int(best))
    return owners


def paragraphs(
    regions: Sequence[Region],
    lines: Sequence[TextLine],
    owners: Sequence[int],
    weight: Callable[[TextLine], float] = lambda line: 0.0,
) -> tuple[list[Region], list[int]]:
    """Text regions parted into their paragraphs, and the owners among the new regions.

    The layout model likes to take several paragraphs for one region. They part at wide gaps, at indented lines and
    after short lines; a paragraph's box is the hull of its lines. Vertical text stays as it is. A paragraph of a row or
    two whose strokes are thicker than those of the rest is the title of what follows.

    `weight`: thickness of a line's strokes, 0 where unknown (`stroke_weight`).
    """
    parted: list[Region] = []
    result = [-1] * len(lines)
    for index, region in enumerate(regions):
        own = [i for i, owner in enumerate(owners) if owner == index]
        parts = _parts([lines[i] for i in own]) if region.role == "text" else [list(range(len(own)))]
        for number, part in enumerate(parts):
            for k in part:
                result[own[k]] = len(parted)
            box = geometry.union(lines[own[k]].box for k in part) if len(parts) > 1 else region.box
            rest = [lines[own[k]] for other in parts if other is not part for k in other]
            heads = number + 1 < len(parts) and _is_bold_head([lines[own[k]] for k in part], rest, weight)
            parted.append(msgspec.structs.replace(region, box=box, role="title" if heads else region.role))
    return parted, result


def _is_bold_head(part: Sequence[TextLine], rest: Sequence[TextLine], weight: Callable[[TextLine], float]) -> bool:
    """Whether a part of a region, few rows that end no sentence, is set in bolder type than the rest of it."""
    if len(part) > TITLE_LINES or part[-1].text.rstrip().endswith(SENTENCE_ENDS):
        return False
    lightest = min(map(weight, part))
    usual = [w for w in map(weight, rest if lightest else ()) if w]
    return bool(usual) and lightest >= BOLD * float(np.median(usual))


def _parts(lines: Sequence[TextLine]) -> list[list[int]]:
    """Indexes of a region's lines by paragraph."""
    everything = [list(range(len(lines)))]
    if len(lines) < 3 or any(line.vertical for line in lines):
        return everything
    rows: list[list[int]] = []
    boxes: list[Box] = []
    for i in sorted(range(len(lines)), key=lambda i: (lines[i].box[1], lines[i].box[0])):
        box = lines[i].box
        if rows and box[1] + box[3] < 2 * boxes[-1][3]:
            rows[-1].append(i)
            boxes[-1] = geometry.union([boxes[-1], box])
        else:
            rows.append([i])
            boxes.append(box)
    if len(rows) < 2:
        return everything
    extents = np.array(boxes)
    height = float(np.median(extents[:, 3] - extents[:, 1]))
    pitch = float(np.median(np.diff(extents[:, 1])))
    left, right = float(np.percentile(extents[:, 0], 25)), float(np.percentile(extents[:, 2], 75))
    parts = [list(rows[0])]
    for above, below, row in zip(boxes, boxes[1:], rows[1:], strict=False):
        apart = below[1] - above[1] > WIDE_PITCH * pitch
        indented = below[0] - left > INDENT * height and above[0] - left < INDENT * height / 2
        if apart or indented or right - above[2] > SHORT_LINE * (right - left):
            parts.append([])
        parts[-1] += row
    return parts


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
