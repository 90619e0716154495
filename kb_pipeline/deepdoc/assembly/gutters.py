"""Lines that were detected over two text columns, parted at the gutter.

A detected line box may reach over the gutter of two columns whose lines stand level. Such a line shows a wide space
where several lines above or below it end, and others begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kb_pipeline.deepdoc.assembly.drafts import Line, share_inside
from kb_pipeline.records import PageLayout

SPACE = 1.2  # minimum width of the space over a gutter, in type sizes
LEVEL = 0.5  # type sizes by which edges of lines of one column may differ
WITNESSES = 2  # lines that must end before the space, and as many that must begin after it
HELD = 0.4  # share of a part's area in a region from which it belongs to the region


def part_at_gutters(lines: Sequence[Line], layout: PageLayout) -> list[Line]:
    """Lines of a page, those over a gutter as one line per column; only for pages in the displayed page's frame."""
    found: list[Line] = []
    for line in lines:
        found += _parts(line, lines, layout)
    return found


def _parts(line: Line, lines: Sequence[Line], layout: PageLayout) -> list[Line]:
    edges = layout.lines[line.index].edges
    source = layout.lines[line.index].text
    offset = len(source) - len(source.lstrip())
    if len(edges) != len(source) + 1:
        return [line]
    for i, character in enumerate(line.text):
        left, right = edges[offset + i], edges[offset + i + 1]
        if character.isspace() and right - left >= SPACE * line.size and _is_gutter(left, right, line, lines):
            head = _cut(line, line.text[:i].rstrip(), line.box[0], left, layout)
            tail = replace(line, text=line.text[i + 1 :].lstrip())
            start = len(line.text) - len(tail.text)
            tail = _cut(tail, tail.text, edges[offset + start], line.box[2], layout)
            return [head, tail]
    return [line]


def _is_gutter(left: float, right: float, line: Line, lines: Sequence[Line]) -> bool:
    reach = LEVEL * line.size
    ends = sum(other is not line and abs(other.box[2] - left) <= reach for other in lines)
    begins = sum(other is not line and abs(other.box[0] - right) <= reach for other in lines)
    return ends >= WITNESSES and begins >= WITNESSES


def _cut(line: Line, text: str, x0: float, x1: float, layout: PageLayout) -> Line:
    """A part of a line between two x, in the region that holds it."""
    box = (x0, line.box[1], x1, line.box[3])
    shares = [(share_inside(box, region.box), -i) for i, region in enumerate(layout.regions)]
    best, at = max(shares, default=(0.0, 0))
    region = -at if best >= HELD else -1
    role = layout.regions[region].role if region >= 0 else "text"
    return replace(line, text=text, box=box, shown=box, region=region, role=role)
