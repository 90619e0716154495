"""Tables of contents, found by the shape of their entries together with what proves them.

An entry is a title with letters, dots or space after it, and a page number at the end of its row. A list of such rows
alone may be a price list: a heading above it, titles that come back in the document or its bookmarks, or numbered
titles with leaders prove a table of contents, and its page numbers never fall.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb_pipeline.deepdoc.assembly.drafts import Row, characters, page_line, rows_of
from kb_pipeline.deepdoc.assembly.frame import page_frame
from kb_pipeline.deepdoc.assembly.headings import numbering, without_number
from kb_pipeline.records import Bookmark, PageLayout

MIN_ENTRIES = 3  # entries of a table of contents
MIN_BARE = 5  # entries where neither a heading nor the document proves it
BETWEEN = 2  # rows without a page number between two entries: titles of two lines
ABOVE = 2  # rows between the heading and the first entry
GAP = 2.0  # type sizes of space before a page number that no dots lead to
RISING = 0.9  # share of neighbouring page numbers that must not fall
MATCHED = 0.5  # share of titles that come back in the document
LEADERS = 0.8  # share of entries with dots, where only their numbering proves them
NUMBERED = 0.5  # share of titles with a chapter's number there
LONGEST = 120  # characters of a title
MAX_SHARE = 0.8  # share of a document's characters above which they are the document itself

_HEADING = re.compile(
    r"目[录次]|(?:图|表|图形|插图|附图|附表|图表|表格)(?:目录|清单|列表)|(?:tableof)?contents|listof(?:figures|tables|illustrations|plates)"
)
_ENTRY = re.compile(
    r"(?P<title>.*?\S)\s*(?P<leader>(?:[.．·•…‥⋯⋅∙․_]\s?){3,})?\s*[(（]?(?P<page>\d{1,4}|[ivxlc]{1,6}|[A-Z]?\d{1,2}-\d{1,3})[)）]?",
    re.I,
)


@dataclass(frozen=True)
class Entry:
    """A row of a table of contents; `page` 0 where its number is none that counts."""

    title: str
    page: int
    leader: bool


def contents_lines(
    pages: Sequence[PageLayout], noise: Sequence[Mapping[int, str]], bookmarks: Sequence[Bookmark]
) -> set[tuple[int, int]]:
    """Lines (page, index) of tables of contents, their headings among them. `noise`: by page, lines already taken.

    Nothing is found where the document is hardly anything else.
    """
    titles = {_plain(bookmark.title) for bookmark in bookmarks}
    found: set[tuple[int, int]] = set()
    texts: dict[str, set[int]] | None = None
    goes_on = False
    for layout, taken in zip(pages, noise, strict=True):
        frame = page_frame(layout)
        lines = [page_line(layout, i, frame) for i in range(len(layout.lines)) if i not in taken]
        rows = rows_of([line for line in lines if line.text])
        entries = [_entry(row) for row in rows]
        if not any(entries):
            goes_on = False
            continue
        if texts is None:
            texts = _texts(pages)
        reached = False
        for first, last in _runs(entries):
            run = [entry for entry in entries[first : last + 1] if entry is not None]
            above = _heading_above(rows, first)
            known = [_comes_back(entry.title, layout.page, texts, titles) for entry in run]
            if _is_contents(run, above is not None or (goes_on and first <= ABOVE), known):
                start = first if above is None else above
                found |= {(layout.page, line.index) for row in rows[start : last + 1] for line in row.lines}
                reached = last >= len(rows) - 1 - ABOVE
        goes_on = reached
    sizes = {layout.page: [characters(line.text) for line in layout.lines] for layout in pages}
    whole = sum(sum(counts) for counts in sizes.values())
    return found if sum(sizes[page][index] for page, index in found) < MAX_SHARE * whole else set()


def _entry(row: Row) -> Entry | None:
    text = unicodedata.normalize("NFKC", " ".join(line.text for line in row.lines)).strip()
    match = _ENTRY.fullmatch(text)
    if match is None or sum(c.isalpha() for c in match["title"]) < 2 or len(match["title"]) > LONGEST:
        return None
    gaps = [b.box[0] - a.box[2] for a, b in pairwise(row.lines)]
    apart = bool(gaps) and gaps[-1] >= GAP * row.size and row.last.strip("()（）").isalnum()
    if match["leader"] is None and not apart:
        return None
    page = match["page"]
    return Entry(match["title"], int(page) if page.isdigit() else 0, match["leader"] is not None)


def _runs(entries: Sequence[Entry | None]) -> list[tuple[int, int]]:
    """First and last row of each run of entries."""
    runs: list[tuple[int, int]] = []
    for i, entry in enumerate(entries):
        if entry is None:
            continue
        if runs and i - runs[-1][1] <= BETWEEN + 1:
            runs[-1] = (runs[-1][0], i)
        else:
            runs.append((i, i))
    return runs


def _heading_above(rows: Sequence[Row], first: int) -> int | None:
    """Index of the row that calls the run a table of contents."""
    for i in range(first - 1, max(-1, first - 2 - ABOVE), -1):
        if _HEADING.fullmatch(_plain("".join(line.text for line in rows[i].lines))):
            return i
    return None


def _is_contents(run: Sequence[Entry], headed: bool, known: Sequence[bool]) -> bool:
    counted = [entry.page for entry in run if entry.page]
    rising = [a <= b for a, b in pairwise(counted)]
    leaders = sum(entry.leader for entry in run)
    required = 1 if headed and leaders == len(run) else MIN_ENTRIES
    if len(run) < required or sum(rising) < RISING * len(rising):
        return False
    if headed or sum(known) >= MATCHED * len(run):
        return True
    numbered = sum(bool(numbering(entry.title)[0]) for entry in run)
    return len(run) >= MIN_BARE and leaders >= LEADERS * len(run) and numbered >= NUMBERED * len(run)


def _texts(pages: Sequence[PageLayout]) -> dict[str, set[int]]:
    """Pages by the plain text of their lines, numbers of chapters left out."""
    found: dict[str, set[int]] = {}
    for layout in pages:
        for line in layout.lines:
            if len(line.text) <= LONGEST:
                found.setdefault(_plain(without_number(line.text)), set()).add(layout.page)
    return found


def _comes_back(title: str, page: int, texts: Mapping[str, set[int]], bookmarks: set[str]) -> bool:
    """Whether a title stands on another page, or in the outline."""
    plain = _plain(without_number(title))
    return _plain(title) in bookmarks or plain in bookmarks or any(other > page for other in texts.get(plain, ()))


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).casefold()
