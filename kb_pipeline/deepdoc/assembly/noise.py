"""Running headers, running footers, page numbers and lines drawn twice, found by statistics over all pages.

A line is only taken from the head or foot of its page (nothing but other such lines lies beyond it) and only where
there is proof: the same text at the same height on other pages (the page number aside), or the shape of a page number
together with its sequence or place. The layout model's word alone takes nothing away, and no page is emptied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from kb_pipeline.deepdoc.assembly.contents import contents_lines
from kb_pipeline.deepdoc.assembly.drafts import characters
from kb_pipeline.deepdoc.assembly.lone_margins import lone_margins
from kb_pipeline.deepdoc.assembly.margins import Edge, margin_lines
from kb_pipeline.deepdoc.assembly.repeated import DRIFT, repeated_lines, same_height
from kb_pipeline.deepdoc.assembly.watermarks import watermarks
from kb_pipeline.records import Bookmark, Box, PageLayout, PageTables
from kb_pipeline.text.drop_reasons import (
    CONTENTS,
    DUPLICATE,
    PAGE_NUMBER,
    RUNNING_FOOTER,
    RUNNING_HEADER,
    RUNNING_MARGIN,
    WATERMARK,
)
from kb_pipeline.text.page_numbers import is_chapter_page_number, is_spelled_page_number, page_number

DEEPEST = 6  # rows of noise at the head or foot of a page at most
CORNER = 0.4  # share of the page's width by which a number in its corner stands from the middle
FAR = 3.0  # type sizes between a page number and the running line in its row
INSIDE = ("figure", "table", "equation")  # roles of regions in which a lone number is no page number
SAME_PLACE = 0.6  # intersection over union of two boxes from which equal texts are one line drawn twice


def page_noise(
    pages: Sequence[PageLayout], tables: Sequence[PageTables], bookmarks: Sequence[Bookmark], keep: Collection[str]
) -> list[dict[int, str]]:
    """For each page, the indexes of lines that are noise, with the reason. `keep`: reasons that are switched off."""
    held = {tables_of.page: {i for grid in tables_of.tables for i in grid.lines} for tables_of in tables}
    marks = watermarks(pages, held)
    edges = [margin_lines(layout, held.get(layout.page, set()), marks) for layout in pages]
    repeated = repeated_lines(pages, [edge for page in edges for edge in page], [mark.title for mark in bookmarks])
    lone = [
        lone_margins(layout, page, held.get(layout.page, set()), marks)
        for layout, page in zip(pages, edges, strict=True)
    ]
    alone = {(layout.page, index) for layout, found in zip(pages, lone, strict=True) for index in found}
    running = repeated.running | (alone - repeated.varying)
    numbers = _numbers(edges, running)
    found: list[dict[int, str]] = []
    for layout, page in zip(pages, edges, strict=True):
        reasons = _from_outside(page, running, numbers, repeated.varying)
        for index in _duplicates(layout, held.get(layout.page, set())):
            reasons[index] = DUPLICATE
        reasons |= {index: WATERMARK for page, index in marks if page == layout.page}
        found.append(reasons)
    _leave_no_page_empty(pages, found)
    for number, index in contents_lines(pages, found, bookmarks):
        at = next(i for i, layout in enumerate(pages) if layout.page == number)
        if index not in held.get(number, set()):
            found[at][index] = CONTENTS
    return [{i: reason for i, reason in sorted(reasons.items()) if reason not in keep} for reasons in found]


def _leave_no_page_empty(pages: Sequence[PageLayout], found: Sequence[dict[int, str]]) -> None:
    """Take running lines back on pages that would hold nothing else, but for those that run over other pages too."""
    elsewhere: set[str] = set()
    emptied = []
    for layout, reasons in zip(pages, found, strict=True):
        running = [index for index, reason in reasons.items() if reason in (RUNNING_HEADER, RUNNING_FOOTER)]
        left = any(i not in reasons and line.text.strip() for i, line in enumerate(layout.lines))
        if left or any(region.role in INSIDE for region in layout.regions):
            elsewhere |= {layout.lines[index].text for index in running}
        else:
            emptied.append((layout, reasons, running))
    for layout, reasons, running in emptied:
        if any(layout.lines[index].text not in elsewhere for index in running):
            for index in running:
                del reasons[index]


def _numbers(edges: Sequence[Sequence[Edge]], running: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Lines (page, index) that are page numbers: by their sequence over pages, their spelling, or their place."""
    shaped = [(edge, page_number(edge.text)) for page in edges for edge in page]
    found = set()
    for edge, number in shaped:
        if number is None:
            continue
        alike = [
            (other, value)
            for other, value in shaped
            if value is not None and other.page != edge.page and other.foot == edge.foot
            if same_height(edge, other)
        ]
        counted = number > 0 and any(value - other.page == number - edge.page for other, value in alike)
        placed = any(abs(other.across - edge.across) <= DRIFT for other, _ in alike) and edge.apart
        spelled = is_spelled_page_number(edge.text)
        by_place = edge.role in ("header", "footer") or (edge.alone and number > 0 and edge.role not in INSIDE)
        cornered = number > 0 and edge.clear and abs(edge.across - 0.5) >= CORNER and edge.role not in INSIDE
        if counted or placed or spelled or by_place or cornered or (edge.alone and is_chapter_page_number(edge.text)):
            found.add((edge.page, edge.index))
    return found - running


def _from_outside(
    page: Sequence[Edge],
    running: set[tuple[int, int]],
    numbers: set[tuple[int, int]],
    varying: set[tuple[int, int]],
) -> dict[int, str]:
    """Reasons by line index; the first row that holds no noise ends the head, and the foot.

    What the layout model calls header or footer goes too where it stands beyond a proven row, unless it is `varying`:
    other pages have other values there.
    """
    reasons: dict[int, str] = {}
    for foot, sideways in ((False, False), (True, False), (False, True), (True, True)):
        side = [edge for edge in page if edge.foot == foot and edge.sideways == sideways]
        rows: list[list[Edge]] = []
        for edge in side:
            if rows and abs(edge.height - rows[-1][0].height) <= DRIFT / 3:
                rows[-1].append(edge)
            else:
                rows.append([edge])
        beyond: list[Edge] = []  # lines that the layout model calls header or footer, without proof of their own
        for row in rows[:DEEPEST]:
            taken = [edge for edge in row if (edge.page, edge.index) in running | numbers]
            free = [edge for edge in row if edge not in taken and (edge.page, edge.index) not in varying]
            titles = [edge for edge in free if _titles_page(edge, row, numbers)]
            for edge in taken + titles + (beyond if taken else []):
                named = RUNNING_MARGIN if sideways else RUNNING_FOOTER if foot else RUNNING_HEADER
                is_number = (edge.page, edge.index) in numbers or page_number(edge.text) is not None
                reasons[edge.index] = PAGE_NUMBER if is_number else named
            if not taken and not all(edge.role in ("header", "footer") for edge in row):
                break
            beyond = [] if taken else beyond + free
    return reasons


def _titles_page(edge: Edge, row: Sequence[Edge], numbers: set[tuple[int, int]]) -> bool:
    """Whether a line shares a row of its own with a page number far from it: a running line of a single page."""
    return (
        edge.apart
        and any(map(str.isalpha, edge.text))
        and any(
            (other.page, other.index) in numbers
            and max(other.box[0] - edge.box[2], edge.box[0] - other.box[2]) >= FAR * edge.size
            for other in row
        )
    )


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


def _iou(a: Box, b: Box) -> float:
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = width * height
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)
