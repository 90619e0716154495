"""Running lines and page numbers of a single page, where no other page can prove them.

The band at a page's head or foot is what stands there before the first wide space. A line of it is taken where the
layout model is sure that it is a header or footer and its type is small or the space is wide, where it belongs to a
picture (a logo) beside text that has a character layer, or where its row is spread as running lines are: parts at the
left and right edge of the text and in its middle.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from statistics import median

from kb_pipeline.deepdoc.assembly.drafts import Row, page_line, rows_of, union
from kb_pipeline.deepdoc.assembly.frame import across, page_frame
from kb_pipeline.deepdoc.assembly.headings import numbering
from kb_pipeline.deepdoc.assembly.margins import Edge
from kb_pipeline.records import PageLayout
from kb_pipeline.text.markers import ends_sentence

BODY = 5  # rows of text that a page must hold beside its margins
DEEPEST = 0.12  # share of the page's height that a band takes at most
SURE = 0.75  # score of a header or footer region from which the layout model is believed
SMALL = 0.95  # times the text's type size, up to which a line is small
USUAL = 1.05  # times the text's type size, up to which a line may be a running line at all
TAG = 40  # characters of the lines of a band in which small type goes with what is proven
TAG_SIZE = 0.75  # times the text's type size, up to which it does
SPACE = 1.0  # type sizes of space that end a band
WIDE = 2.0  # type sizes of space that part a line of usual size from the text
APART = 3.0  # type sizes between the parts of a spread row
EDGE = 2.5  # type sizes by which the parts of a spread row may miss the text's edges
MIDDLE = 0.06  # share of the text's width by which its middle part may miss the middle
LONGEST = 120  # characters of a line


def lone_margins(
    layout: PageLayout, edges: Sequence[Edge], held: Collection[int], marks: Collection[tuple[int, int]]
) -> set[int]:
    """Indexes of lines at a page's head and foot that the page alone proves to be running lines.

    `edges`: the page's lines in its margins; `held`: lines in tables; `marks`: watermarks (page, index).
    """
    frame = page_frame(layout)
    kept = [
        page_line(layout, i, frame)
        for i, line in enumerate(layout.lines)
        if i not in held and (layout.page, i) not in marks and not across(line, frame) and line.text.strip()
    ]
    tables = [frame.upright(layout.lines[i].box) for i in held if i < len(layout.lines)]
    rows = rows_of(kept)
    running = [line for line in kept if line.role != "figure"]
    if len(rows_of(running)) <= BODY:
        return set()
    text = union(line.box for line in kept)
    size = median(line.size for line in running for _ in range(len(line.text)))
    printed = sum(len(line.text) for line in kept if not line.ocr)
    layered = printed > 0.5 * sum(len(line.text) for line in kept)
    margin = {edge.index for edge in edges if not edge.sideways}
    found: set[int] = set()
    for foot in (False, True):
        limit = max((t[3] for t in tables), default=0.0) if foot else min((t[1] for t in tables), default=float("inf"))
        outward = [
            row for row in (rows[::-1] if foot else rows) if (row.box[3] > limit if foot else row.box[1] < limit)
        ]
        band, space = _band(outward, foot, size, DEEPEST * frame.upright_size[1])
        wide = space >= WIDE * size
        proven: set[int] = set()
        for row in band:
            for line in row.lines:
                if line.index not in margin or len(line.text) > LONGEST:
                    continue
                sure = line.region >= 0 and layout.regions[line.region].score >= SURE
                named = line.role in ("header", "footer") and sure
                limit = USUAL if wide and not numbering(line.text)[0] else SMALL
                plain = named and line.size <= limit * size
                if plain or (wide and layered and line.ocr):
                    proven.add(line.index)
        banded = [line for row in band for line in row.lines if line.index in margin]
        if proven and wide and all(len(line.text) <= TAG for line in banded):
            proven |= {line.index for line in banded if line.size <= TAG_SIZE * size}
        found |= proven
        if len(outward) > 1 and _is_spread(outward[0], outward[1], text):
            found |= {line.index for line in outward[0].lines} & margin
    return found


def _band(rows: Sequence[Row], foot: bool, size: float, deepest: float) -> tuple[list[Row], float]:
    """Rows from the page's edge up to the first wide space, and that space; none where they go too deep."""
    band: list[Row] = list(rows[:1])
    for outer, inner in pairwise(rows):
        space = outer.box[1] - inner.box[3] if foot else inner.box[1] - outer.box[3]
        if space >= SPACE * size:
            depth = abs(band[0].box[3] - band[-1].box[1]) if foot else abs(band[-1].box[3] - band[0].box[1])
            return (band, space) if depth <= deepest else ([], 0.0)
        band.append(inner)
    return [], 0.0


def _is_spread(row: Row, inner: Row, text: tuple[float, float, float, float]) -> bool:
    """Whether a row's parts stand at the edges and in the middle of the text, unlike those of the row further in."""
    parts, slack = row.lines, EDGE * row.size
    if not 2 <= len(parts) <= 3 or len(inner.lines) > 1 or (len(parts) == 2 and ends_sentence(parts[0].text)):
        return False
    if any(b.box[0] - a.box[2] < APART * row.size for a, b in pairwise(parts)):
        return False
    left, right = parts[0].box[0] - text[0] <= slack, text[2] - parts[-1].box[2] <= slack
    inner_part = parts[1].box
    centre = (inner_part[0] + inner_part[2]) / 2
    centred = abs(centre - (text[0] + text[2]) / 2) <= MIDDLE * (text[2] - text[0])
    if len(parts) == 3:
        return left and right and centred
    number = any(p.text.strip("-–—·[]() ").isdigit() for p in parts)
    return number and left and (right or centred)
