"""Running headers, running footers, page numbers and lines drawn twice, found by statistics over all pages.

A line is only taken from the head or foot of its page (nothing but other such lines lies beyond it) and only where
there is proof: the same text at the same height on other pages (digits aside), or the shape of a page number together
with its sequence or place. The layout model's word alone takes nothing away.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from kb_pipeline.deepdoc.assembly.captions import is_caption
from kb_pipeline.deepdoc.assembly.drafts import characters, text_size
from kb_pipeline.deepdoc.assembly.frame import page_frame
from kb_pipeline.records import Box, PageLayout, PageTables

RUNNING_HEADER, RUNNING_FOOTER = "running header", "running footer"
PAGE_NUMBER, DUPLICATE = "page number", "duplicate"

MARGIN = 0.12  # share of the page's height at its head and foot where noise is looked for
MODEL_MARGIN = 0.15  # the same for lines in a header or footer region of the layout model
DEEPEST = 4  # rows of noise at the head or foot of a page at most
DRIFT = 0.02  # share of the page's height by which a running line may move from page to page
PAGES = 3  # repetition on so many pages proves a running line
SHARE = 0.4  # and on two pages, where these are this share of all
LONGEST = 120  # characters of a running line at most
APART = 1.0  # type sizes of empty space that part a lone page number from the text
SAME_PLACE = 0.6  # intersection over union of two boxes from which equal texts are one line drawn twice

_NUMBER = re.compile(r"[-–—·•|~\s]*(\d{1,4})[-–—·•|~\s]*")
_ROMAN = re.compile(r"[-–—·\s]*(?=[ivxlc])(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})[-–—·\s]*", re.I)
_SPELLED = re.compile(
    r"(?:第\s*(\d{1,4})\s*页(?:\s*[,，/]?\s*共\s*\d{1,4}\s*页)?|共\s*\d{1,4}\s*页\s*[,，/]?\s*第\s*(\d{1,4})\s*页"
    r"|page\s*(\d{1,4})(?:\s*(?:of|/)\s*\d{1,4})?|p\.?\s*(\d{1,4})|(\d{1,4})\s*(?:of|/)\s*\d{1,4}(?:\s*页)?|[-–—]\s*(\d{1,4})\s*[-–—])",
    re.I,
)


@dataclass(frozen=True)
class Edge:
    """A line at the head or foot of a page: `height` is its middle as a share of the page's height."""

    page: int
    index: int
    text: str
    key: str
    height: float
    foot: bool
    role: str
    alone: bool


def page_noise(pages: Sequence[PageLayout], tables: Sequence[PageTables], keep: Sequence[str]) -> list[dict[int, str]]:
    """For each page, the indexes of lines that are noise, with the reason. `keep`: reasons that are switched off."""
    held = {tables_of.page: {i for grid in tables_of.tables for i in grid.lines} for tables_of in tables}
    edges = [_edges(layout, held.get(layout.page, set())) for layout in pages]
    running = _running([edge for page in edges for edge in page], len(pages))
    numbers = _numbers(edges, running)
    found: list[dict[int, str]] = []
    for layout, page in zip(pages, edges, strict=True):
        reasons = _from_outside(page, running, numbers)
        for index in _duplicates(layout, held.get(layout.page, set())):
            reasons[index] = DUPLICATE
        found.append({index: reason for index, reason in sorted(reasons.items()) if reason not in keep})
    return found


def _edges(layout: PageLayout, held: set[int]) -> list[Edge]:
    """Lines in the margins of a page, at its head from the top, then at its foot from the bottom."""
    frame = page_frame(layout)
    height = frame.upright_size[1]
    lines = [
        (i, line, frame.upright(line.box))
        for i, line in enumerate(layout.lines)
        if i not in held and line.text.strip() and height > 0
    ]
    blocked = [frame.upright(layout.lines[i].box) for i in held if i < len(layout.lines)]
    head_end = min((box[1] for box in blocked), default=height)
    foot_start = max((box[3] for box in blocked), default=0.0)
    found = []
    for i, line, box in lines:
        middle = (box[1] + box[3]) / 2
        role = layout.regions[line.region].role if 0 <= line.region < len(layout.regions) else "text"
        margin = MODEL_MARGIN if role in ("header", "footer") else MARGIN
        foot = middle > height / 2
        if margin < middle / height < 1 - margin or (middle < foot_start if foot else middle > head_end):
            continue
        others = [other for j, _, other in lines if j != i]
        text = " ".join(line.text.split())
        alone = _alone(box, others, text_size(line))
        found.append(Edge(layout.page, i, text, running_key(text), middle / height, foot, role, alone))
    return sorted(found, key=lambda edge: (edge.foot, -edge.height if edge.foot else edge.height, edge.index))


def running_key(text: str) -> str:
    """Text by which running lines are recognised: width and case folded, white space dropped, numbers as `#`."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"\d+", "#", re.sub(r"\s+", "", folded))


def _alone(box: Box, others: Sequence[Box], size: float) -> bool:
    """Whether empty space surrounds a line above and below, and nothing stands in its row."""
    return all(other[3] < box[1] - APART * size or other[1] > box[3] + APART * size for other in others)


def _running(edges: Sequence[Edge], pages: int) -> set[tuple[int, int]]:
    """Lines (page, index) whose text stands at the same height on enough pages."""
    groups: dict[tuple[str, bool], list[Edge]] = defaultdict(list)
    for edge in edges:
        if len(edge.text) <= LONGEST and not is_caption(edge.text) and edge.key.strip("#-–—·.|/"):
            groups[edge.key, edge.foot].append(edge)
    found = set()
    for group in groups.values():
        for edge in group:
            alike = [other for other in group if abs(other.height - edge.height) <= DRIFT]
            seen = len({other.page for other in alike})
            exact = seen == 2 and seen >= SHARE * pages and len({other.text for other in alike}) == 1
            if seen >= PAGES or (exact and (edge.role in ("header", "footer") or edge.alone)):
                found.add((edge.page, edge.index))
    return found


def _numbers(edges: Sequence[Sequence[Edge]], running: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Lines (page, index) that are page numbers: by their sequence over pages, their spelling, or their place."""
    shaped = [(edge, page_number(edge.text)) for page in edges for edge in page]
    offsets: dict[tuple[bool, int], list[Edge]] = defaultdict(list)
    for edge, number in shaped:
        if number is not None and number > 0:
            offsets[edge.foot, number - edge.page].append(edge)
    found = set()
    for edge, number in shaped:
        if number is None:
            continue
        sequence = [o for o in offsets.get((edge.foot, number - edge.page), ()) if abs(o.height - edge.height) <= DRIFT]
        counted = number > 0 and len({other.page for other in sequence}) >= 2
        spelled = bool(_SPELLED.fullmatch(edge.text))
        by_place = edge.alone or edge.role in ("header", "footer")
        if counted or spelled or by_place:
            found.add((edge.page, edge.index))
    return found - running


def page_number(text: str) -> int | None:
    """The number of a line shaped like a page number, 0 for Roman numerals, None for everything else."""
    folded = unicodedata.normalize("NFKC", text).strip()
    match = _SPELLED.fullmatch(folded) or _NUMBER.fullmatch(folded)
    if match:
        return int(next(group for group in match.groups() if group))
    return 0 if _ROMAN.fullmatch(folded) else None


def _from_outside(page: Sequence[Edge], running: set[tuple[int, int]], numbers: set[tuple[int, int]]) -> dict[int, str]:
    """Reasons by line index; the first line that is no noise ends the head, and the foot."""
    reasons: dict[int, str] = {}
    for foot in (False, True):
        side = [edge for edge in page if edge.foot == foot]
        rows = 0
        at = None
        for edge in side:
            if at is None or abs(edge.height - at) > DRIFT / 3:
                rows, at = rows + 1, edge.height
            place = (edge.page, edge.index)
            if rows > DEEPEST or (place not in running and place not in numbers):
                if any(abs(edge.height - o.height) <= DRIFT / 3 and (o.page, o.index) in running for o in side):
                    continue  # stands in the row of a running line
                break
            named = RUNNING_FOOTER if foot else RUNNING_HEADER
            reasons[edge.index] = PAGE_NUMBER if place in numbers or page_number(edge.text) is not None else named
    return reasons


def _duplicates(layout: PageLayout, held: set[int]) -> list[int]:
    """Indexes of lines that repeat the text of an earlier line at the same place."""
    first: dict[str, list[Box]] = defaultdict(list)
    found = []
    for index, line in enumerate(layout.lines):
        text = "".join(line.text.split())
        if characters(text) == 0:
            continue
        if any(_iou(box, line.box) >= SAME_PLACE for box in first[text]) and index not in held:
            found.append(index)
        else:
            first[text].append(line.box)
    return found


def body_size(pages: Sequence[PageLayout]) -> float:
    """Type size in points that most of a document's characters have."""
    sizes = [text_size(line) for layout in pages for line in layout.lines for _ in range(len(line.text) // 8 + 1)]
    return median(sizes) if sizes else 10.0


def _iou(a: Box, b: Box) -> float:
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = width * height
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)
