"""Running lines by repetition: equal text at one height on several pages, or equal but for the page number.

The same layout with other values is content: the number and the total of each invoice, the batch of each certificate.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kb_pipeline.deepdoc.assembly.drafts import characters
from kb_pipeline.deepdoc.assembly.margins import Edge, running_key
from kb_pipeline.records import PageLayout
from kb_pipeline.text.captions import is_caption

DRIFT = 0.02  # share of the page's height by which a running line may move from page to page
DRIFT_POINTS = 6.0  # the same in points from the page's head or foot
PAGES = 3  # repetition on so many pages proves a running line
SHARE = 0.4  # and on two pages, where these are this share of all
LONGEST = 200  # characters of a running line at most
FORM = 0.5  # share of a page's characters in lines that other pages fill with other values, from which it is a form
FRONT_MATTER = (
    40  # pages at most by which a page number inside a running line differs from the page's place in the file
)
TYPE = 0.1  # share by which the type of two running lines of one kind may differ
_FIGURE = re.compile(r"\d+")
_NUMBER_AT_END = re.compile(r"(?:^|[\s|/·•—–-])(?:\d{1,2}[-–])?(\d+)[\s|·•—–-]*$")
_NUMBER_AT_START = re.compile(r"^[\s|·•—–-]*(\d+)(?:[\s|·•—–]|$)")
_SENTENCE = re.compile(r"(?:\S+\s+){4,}\S+[.!?]$|.{8,}[。！？]$")  # what is said, not what a page is called
# what stands before a figure that counts something else than pages
_COUNTED = re.compile(
    r"(?:[A-Za-z\d][-_/.]|[#№]|\b(?:no|nr|item|step|batch|lot|invoice|order|case|sample|question|figure|table|version)"
    r"\.?|编号|单号|批号|批次|序号|货号|合同|发票|订单|样品|(?-i:[A-Z]{2,}))\s*[:：]?\s*$",
    re.I,
)
_NAMED_NUMBER = re.compile(r"(?:\bpage|\bp\.|\bpg\.?|\bseite|第)\s*(\d+)|(\d+)\s*(?:页|(?:of|/)\s*\d+)", re.I)


@dataclass(frozen=True)
class Repeated:
    """Lines (page, index) at heads and feet. `running`: proven; `varying`: of one layout with other values."""

    running: set[tuple[int, int]]
    varying: set[tuple[int, int]]


def repeated_lines(pages: Sequence[PageLayout], edges: Sequence[Edge], titles: Collection[str]) -> Repeated:
    """What repetition proves of the lines at heads and feet. `titles`: of the document's outline."""
    groups: dict[tuple[str, bool], list[Edge]] = defaultdict(list)
    for edge in edges:
        if len(edge.text) <= LONGEST and not is_caption(edge.text) and edge.key.strip("#-–—·.|/"):
            groups[edge.key, edge.foot].append(edge)
    forms = _forms(pages)
    proven: list[Edge] = []
    varying = set()
    for group in groups.values():
        for edge in group:
            alike = [other for other in group if same_height(edge, other)]
            same = [other for other in alike if _is_same(edge, other, edge.page in forms)]
            seen = len({other.page for other in same})
            exact = seen == 2 and seen >= SHARE * len(pages) and len({other.text for other in same}) == 1
            if seen >= PAGES or (exact and (edge.role in ("header", "footer") or edge.alone)):
                proven.append(edge)
            elif len({other.page for other in alike}) > 1 and len(same) < len(alike):
                varying.add((edge.page, edge.index))
    known = {running_key(title) for title in titles} - {""}
    chapters = [
        edge
        for edge in edges
        if edge.key in known and edge.apart and any(_is_same_kind(edge, other) for other in proven)
    ]
    return Repeated({(edge.page, edge.index) for edge in proven + chapters}, varying)


def same_height(edge: Edge, other: Edge) -> bool:
    """Whether two lines stand at one height: as shares of their pages, or in points where one page is turned."""
    return abs(other.height - edge.height) <= DRIFT or abs(other.depth - edge.depth) <= DRIFT_POINTS


def _is_same_kind(edge: Edge, other: Edge) -> bool:
    """Whether a line stands where a running line of another page does, in its type."""
    return (
        edge.page != other.page
        and edge.foot == other.foot
        and edge.sideways == other.sideways
        and same_height(edge, other)
        and abs(edge.size - other.size) <= TYPE * other.size
    )


def _is_same(edge: Edge, other: Edge, form: bool) -> bool:
    """Whether two texts of one key are equal, or equal but for the page number, which counts with the pages."""
    first, second = (unicodedata.normalize("NFKC", item.text) for item in (edge, other))
    figures, others = list(_FIGURE.finditer(first)), list(_FIGURE.finditer(second))
    if len(figures) != len(others):  # a space within a figure
        return False
    pairs = list(zip(figures, others, strict=True))
    other_figures = [(a, b) for a, b in pairs if int(a.group()) != int(b.group())]
    if not other_figures:
        return True
    if len(other_figures) > 1:
        return False
    a, b = other_figures[0]
    if int(a.group()) - edge.page != int(b.group()) - other.page or _SENTENCE.search(edge.text):
        return False
    named = [match for match in _NAMED_NUMBER.finditer(first) if a.span() in (match.span(1), match.span(2))]
    if named:
        return True
    place = [match for match in (_NUMBER_AT_START.search(first), _NUMBER_AT_END.search(first)) if match]
    at_end = any(match.span(1) == a.span() for match in place) and not _COUNTED.search(first[: a.start()])
    return at_end and not form and abs(int(a.group()) - edge.page) <= FRONT_MATTER


def _forms(pages: Sequence[PageLayout]) -> set[int]:
    """Pages most of whose text has the layout of other pages and other values; the page's own number is no value."""
    keys: dict[tuple[str, int], set[int]] = defaultdict(set)
    lines = []
    for layout in pages:
        for line in layout.lines:
            key = running_key(line.text)
            middle = (line.box[1] + line.box[3]) / 2
            step = round(middle / max(layout.height, 1e-9) / DRIFT)
            lines.append((layout.page, key, step, line.text))
            keys[key, step].add(layout.page)
    shared: Counter[int] = Counter()
    total: Counter[int] = Counter()
    for page, key, step, text in lines:
        total[page] += characters(text)
        counts = str(page) in _FIGURE.findall(unicodedata.normalize("NFKC", text))
        if not counts and any(keys.get((key, near), set()) - {page} for near in (step - 1, step, step + 1)):
            shared[page] += characters(text)
    return {page for page, count in shared.items() if count >= FORM * total[page]}
