"""Headings and their levels, from the layout model's titles, bookmarks, numbering and type size.

Levels come from a stack of the headings above: the same numbering scheme stands beside, deeper numbering below, larger
type above. Schemes rank as Chinese and English documents use them: 第一章, 第一节, 一、, （一）, 1., 1.1, (1).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from kb_pipeline.deepdoc.assembly.drafts import Draft, text_size
from kb_pipeline.records import Bookmark, PageLayout
from kb_pipeline.text.captions import is_caption
from kb_pipeline.text.markers import CHINESE_NUMBER, ends_sentence, has_leader

LONGEST = 120  # characters of a heading at most
LONGEST_ROWS = 3
LARGER = 1.15  # times the body's type size, from which a short paragraph of its own is a heading
SIZE_STEP = 1.08  # ratio of type sizes from which one heading stands above another
COMMON_BOLD = 0.3  # share of the rows of text from which bold type marks no headings
DEEPEST = 9
RUNNING = 60  # characters of a paragraph that make a page more than a cover
COVER = 400  # characters of a cover at most

_N = rf"[{CHINESE_NUMBER}\d]+"
# (family, rank, pattern): within a family, a smaller rank stands above
_SCHEMES = (
    ("cn", 0, re.compile(rf"第\s*{_N}\s*(?:编|篇|部分|卷)(?![^\s:：、]{{12,}})")),
    ("cn", 1, re.compile(rf"第\s*{_N}\s*章")),
    ("cn", 1, re.compile(r"(?:附\s*录|附\s*件)\s*[A-Z\d一二三四五六七八九十]*(?=[\s:：]|$)")),
    ("cn", 2, re.compile(rf"第\s*{_N}\s*节")),
    ("cn", 3, re.compile(rf"[{CHINESE_NUMBER}]{{1,3}}\s*、")),
    ("cn", 4, re.compile(rf"[（(]\s*[{CHINESE_NUMBER}]{{1,3}}\s*[)）]")),
    ("en", 0, re.compile(r"part\s+(?:\d+|[ivx]+)\b", re.I)),
    ("en", 1, re.compile(r"(?:chapter|appendix|annex)\s+(?:\d+|[a-z]|[ivx]+)\b", re.I)),
    ("roman", 1, re.compile(r"[IVX]{1,5}[.．]\s+(?=\S)")),
    ("letter", 1, re.compile(r"[A-H][.．]\s+(?=[A-Z])")),
    ("bracket", 1, re.compile(r"[（(]\s*(?:\d{1,2}|[a-z])\s*[)）]")),
)
_DECIMAL = re.compile(
    r"(?:[A-Z][.．])?(\d{1,2}(?:\s*[.．]\s*\d{1,2}){0,4})\s*(?:[.．、](?!\d)|(?=\s)|(?=[^\d\s.,，%％)）:：/°~～\-–]))"
)


@dataclass(frozen=True)
class Shape:
    """What tells a heading's level: its numbering's family and rank, its type size in points, a bookmark's level."""

    family: str
    rank: int
    size: float
    ocr: bool
    bookmark: int = 0


def numbering(text: str) -> tuple[str, int]:
    """Family and rank of a heading's number, ("", 0) where it has none. `1.2.3` is ("decimal", 3)."""
    folded = unicodedata.normalize("NFKC", text).strip()
    for family, rank, pattern in _SCHEMES:
        if pattern.match(folded):
            return family, rank
    match = _DECIMAL.match(folded)
    if match and len(folded) > match.end():
        return "decimal", len(re.findall(r"\d+", match.group(1)))
    return "", 0


def mark_headings(drafts: Sequence[Draft], bookmarks: Sequence[Bookmark], body: float) -> list[Draft]:
    """Drafts with role `title` and a level where they are headings. `body`: type size of running text in points.

    A heading with a bookmark has its level, and gives it to the others of its numbering. The document's title stands
    beside its chapters, not above them.
    """
    shapes = _shapes(drafts, bookmarks, body)
    titles = _document_title(drafts, shapes)
    known = {(s.family, s.rank): s.bookmark for s in shapes.values() if s.bookmark and s.family}
    stack: list[tuple[Shape, int]] = []
    found: list[Draft] = []
    for i, draft in enumerate(drafts):
        shape = shapes.get(i)
        if shape is None:
            found.append(replace(draft, role="text") if draft.role == "title" else draft)
            continue
        if i in titles:
            found.append(replace(draft, role="title", level=1))
            continue
        level = shape.bookmark or known.get((shape.family, shape.rank), 0)
        if level:
            stack = [entry for entry in stack if entry[1] < level]
        else:
            while stack and not _above(stack[-1][0], shape):
                stack.pop()
            level = stack[-1][1] + 1 if stack else 1
        stack.append((shape, level))
        found.append(replace(draft, role="title", level=min(DEEPEST, level)))
    return found


def _shapes(drafts: Sequence[Draft], bookmarks: Sequence[Bookmark], body: float) -> dict[int, Shape]:
    """The drafts that are headings, by index."""
    targets = _targets(bookmarks)
    plain_bold = _mostly_bold(drafts)
    found: dict[int, Shape] = {}
    for i, draft in enumerate(drafts):
        text = draft_text(draft)
        bookmark = _bookmark(draft, text, targets)
        named = draft.role == "title" or bookmark or _reads_as_heading(draft, text, body, plain_bold)
        if named and _may_be(draft, text):
            row = draft.rows[0]
            found[i] = Shape(*numbering(text), row.size, row.lines[0].ocr, bookmark)
    cover = _cover(drafts)
    largest = max((found[i].size for i in cover if i in found), default=0.0)
    for i in cover & found.keys():
        if not (found[i].bookmark or found[i].family) and largest > SIZE_STEP * found[i].size:
            del found[i]
    return found


def _cover(drafts: Sequence[Draft]) -> set[int]:
    """Drafts of a cover: a first page without running text, in a document of more pages."""
    pages = {draft.page for draft in drafts}
    first = [i for i, draft in enumerate(drafts) if draft.page == min(pages)]
    texts = [draft_text(drafts[i]) for i in first]
    plain = all(len(text) < RUNNING for text in texts) and sum(map(len, texts)) < COVER
    return set(first) if len(pages) > 1 and plain else set()


def _document_title(drafts: Sequence[Draft], shapes: Mapping[int, Shape]) -> set[int]:
    """The first headings of the first page, where all that follow are smaller."""
    order = sorted(shapes)
    title: set[int] = set()
    for i in order:
        shape, first = shapes[i], shapes[order[0]]
        alike = max(shape.size, first.size) <= SIZE_STEP * min(shape.size, first.size)
        if drafts[i].page != drafts[order[0]].page or shape.family or shape.bookmark or not alike:
            break
        title.add(i)
    rest = [shapes[i] for i in order if i not in title]
    step = SIZE_STEP * SIZE_STEP if any(shape.ocr for shape in rest) else SIZE_STEP
    if not title or not rest or drafts[order[0]].page != min(draft.page for draft in drafts):
        return set()
    smaller = all(shapes[order[0]].size > step * shape.size for shape in rest)
    return title if smaller else set()


def body_size(pages: Sequence[PageLayout]) -> float:
    """Type size in points that most of a document's characters have."""
    sizes = [text_size(line) for layout in pages for line in layout.lines for _ in range(len(line.text) // 8 + 1)]
    return median(sizes) if sizes else 10.0


def draft_text(draft: Draft) -> str:
    """A draft's rows joined plainly, to look at."""
    return " ".join(line.text for row in draft.rows for line in row.lines)


def _may_be(draft: Draft, text: str) -> bool:
    """A heading holds letters, is short, and is no caption."""
    return (
        draft.block is None
        and len(text) <= LONGEST
        and len(draft.rows) <= LONGEST_ROWS
        and sum(c.isalpha() for c in text) >= 2
        and not is_caption(text)
        and not has_leader(text)
        and not any(row.is_entry for row in draft.rows)
    )


def _reads_as_heading(draft: Draft, text: str, body: float, plain_bold: bool) -> bool:
    """A paragraph that the layout model did not call a title, and that numbering or type says is one."""
    if draft.role != "text" or draft.block is not None or not 1 <= len(draft.rows) <= 2 or len(text) > 60:
        return False
    if ends_sentence(text) or any(row.lines[0].page != draft.page for row in draft.rows):
        return False
    row = draft.rows[0]
    family, rank = numbering(text)
    larger = row.size >= LARGER * body and not row.lines[0].ocr
    if family == "cn" and rank <= 2:
        return True
    if row.bold and len(draft.rows) == 1 and row.first[0].isalnum() and not plain_bold:
        return True
    numbered = family in ("decimal", "en", "cn", "roman")
    return (numbered and (row.bold or row.size >= 1.05 * body)) or (larger and (row.bold or row.size >= 1.3 * body))


def _mostly_bold(drafts: Sequence[Draft]) -> bool:
    """Whether bold type is too usual in a document to mark headings."""
    rows = [row for draft in drafts if draft.role == "text" for row in draft.rows]
    return sum(row.bold for row in rows) > COMMON_BOLD * len(rows)


def _above(top: Shape, shape: Shape) -> bool:
    """Whether the heading on the stack stands above the new one."""
    if top.family and top.family == shape.family:
        return top.rank < shape.rank
    step = SIZE_STEP if not (top.ocr or shape.ocr) else SIZE_STEP * SIZE_STEP
    if top.size > step * shape.size:
        return True
    if shape.size > step * top.size:
        return False
    if bool(top.family) != bool(shape.family):
        return False
    return bool(top.family)  # another scheme of the same size: it begins below


def _targets(bookmarks: Sequence[Bookmark]) -> dict[int, list[tuple[str, int]]]:
    targets: dict[int, list[tuple[str, int]]] = {}
    for bookmark in bookmarks:
        title = _plain(bookmark.title)
        if title:
            targets.setdefault(bookmark.page, []).append((title, bookmark.level))
    return targets


def _bookmark(draft: Draft, text: str, targets: dict[int, list[tuple[str, int]]]) -> int:
    """Level of the bookmark that points at this paragraph, 0 for none: same page, same text, its number aside."""
    plain = _plain(text)
    bare = _plain(without_number(text))
    for title, level in targets.get(draft.page, ()):
        if plain == title or (len(bare) >= 3 and bare == _plain(without_number(title))):
            return level
        if len(title) >= 6 and (plain.endswith(title) or (plain.startswith(title) and len(plain) <= len(title) + 4)):
            return level
    return 0


def without_number(text: str) -> str:
    """A heading without the number in front of it."""
    return re.sub(rf"^\s*(?:第\s*{_N}\s*[编篇章节]|[\d.．]+|[{CHINESE_NUMBER}]+、)\s*", "", text)


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).casefold()
