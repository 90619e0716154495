"""Lines at the head and foot of a page, with what tells running lines and page numbers from text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kb_pipeline.deepdoc.assembly.drafts import text_size
from kb_pipeline.deepdoc.assembly.frame import Frame, across, page_frame, runs_upward
from kb_pipeline.records import Box, PageLayout, TextLine

MARGIN = 0.12  # share of the page's height at its head and foot where noise is looked for
MODEL_MARGIN = 0.15  # the same for lines in a header or footer region of the layout model
APART = 1.0  # type sizes of empty space that part a lone page number from the text


@dataclass(frozen=True)
class Edge:
    """A line at the head or foot of a page. `across` and `height`: its middle as shares of the page's size; `depth`:
    distance of its middle from the head or foot in points.

    `sideways`: runs across the text. `apart`: empty space parts its row from the text further inside. `alone`: and
    nothing else stands in the row. `clear`: nothing stands close above or below it.
    """

    page: int
    index: int
    text: str
    key: str
    box: Box
    size: float
    across: float
    height: float
    depth: float
    foot: bool
    sideways: bool
    role: str
    apart: bool
    alone: bool
    clear: bool


class Nearby:
    """Boxes by height, to ask for those about a box without looking at all of them."""

    def __init__(self, boxes: Sequence[Box]):
        self.boxes = sorted(boxes, key=lambda box: box[1])
        self.tops = [box[1] for box in self.boxes]
        self.tallest = max((box[3] - box[1] for box in boxes), default=0.0)

    def around(self, box: Box, reach: float) -> list[Box]:
        """Boxes that come within `reach` points above or below a box, itself among them."""
        first = bisect_left(self.tops, box[1] - reach - self.tallest)
        return self.boxes[first : bisect_right(self.tops, box[3] + reach)]


def margin_lines(layout: PageLayout, held: set[int], marks: Collection[tuple[int, int]] = ()) -> list[Edge]:
    """Lines in the margins of a page, at its head from the top, then at its foot from the bottom.

    `held`: lines whose text is in tables; `marks`: watermarks (page, index), which are not looked at.
    """
    main = page_frame(layout)
    # on a page that stands turned, the header runs across the text, where it stands on the other pages
    turn = 0 if main.turn else _turn_of([line for line in layout.lines if across(line, main)])
    other = Frame(turn, main.mirror, layout.width, layout.height)
    kept = [
        (i, line)
        for i, line in enumerate(layout.lines)
        if i not in held and (layout.page, i) not in marks and line.text.strip()
    ]
    found = _edges_in(main, layout, [(i, line) for i, line in kept if not across(line, main)], held, False)
    found += _edges_in(other, layout, [(i, line) for i, line in kept if across(line, main)], held, True)
    return sorted(found, key=lambda edge: (edge.foot, -edge.height if edge.foot else edge.height, edge.index))


def _turn_of(lines: Sequence[TextLine]) -> int:
    return 270 if sum(len(line.text) * (1 if runs_upward(line) else -1) for line in lines) > 0 else 90


def _edges_in(
    frame: Frame, layout: PageLayout, kept: Sequence[tuple[int, TextLine]], held: set[int], sideways: bool
) -> list[Edge]:
    """Lines in the head and foot of a page in one frame; they are looked at among lines of their own direction."""
    width, height = frame.upright_size
    if width <= 0 or height <= 0:
        return []
    lines = [(i, line, frame.upright(line.box)) for i, line in kept]
    near = Nearby([box for _, _, box in lines])
    blocked = [frame.upright(layout.lines[i].box) for i in held if i < len(layout.lines)]
    head_end = min((box[1] for box in blocked), default=height)
    foot_start = max((box[3] for box in blocked), default=0.0)
    first, last = min((box[1] for _, _, box in lines), default=0.0), max((box[3] for _, _, box in lines), default=0.0)
    found = []
    for i, line, box in lines:
        middle = (box[1] + box[3]) / 2
        role = layout.regions[line.region].role if 0 <= line.region < len(layout.regions) else "text"
        margin = MODEL_MARGIN if role in ("header", "footer") else MARGIN
        foot = middle > height / 2
        outermost = role in ("header", "footer") and (
            middle >= last - text_size(line) if foot else middle <= first + text_size(line)
        )
        if margin < middle / height < 1 - margin and not outermost:
            continue
        if middle < foot_start if foot else middle > head_end:
            continue
        text = " ".join(line.text.split())
        size = text_size(line)
        others = near.around(box, APART * size)
        others.remove(box)
        mates = [other for other in others if _in_row(box, other)]
        apart = not any(_is_near(box, other, size, foot) for other in others if not _in_row(box, other))
        place = (box, size, (box[0] + box[2]) / 2 / width, middle / height)
        place += (height - middle if foot else middle, foot, sideways)
        clear = not any(min(box[2], other[2]) > max(box[0], other[0]) for other in others)
        edge = Edge(layout.page, i, text, running_key(text), *place, role, apart, apart and not mates, clear)
        found.append(edge)
    return found


def running_key(text: str) -> str:
    """Text by which running lines are recognised: width and case folded, white space dropped, numbers as `#`."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"\d+", "#", re.sub(r"\s+", "", folded))


def _in_row(box: Box, other: Box) -> bool:
    return box[1] < (other[1] + other[3]) / 2 < box[3]


def _is_near(box: Box, other: Box, size: float, foot: bool) -> bool:
    """Whether another line stands close to a line on the side of the page's text."""
    if foot:
        return other[1] < box[1] and other[3] > box[1] - APART * size
    return other[3] > box[3] and other[1] < box[3] + APART * size
