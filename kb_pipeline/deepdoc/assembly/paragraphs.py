"""Blocks in reading order to paragraphs, headings and objects in reading order.

A paragraph goes on through the rows of its block, and over a column's or page's end where the text plainly does:
nothing ends there, and nothing begins at the next. Floats (tables, figures, captions, notes in smaller type) between
the two halves do not end it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from kb_pipeline.deepdoc.assembly.drafts import Block, Draft, Row, rows_of
from kb_pipeline.records import Role
from kb_pipeline.text.captions import is_caption
from kb_pipeline.text.joining import HYPHENS, spaceless
from kb_pipeline.text.markers import ends_sentence, has_leader, is_bullet, is_clause, is_quantity

INDENT = 0.8  # minimum first-line indent in type sizes
MIN_SHIFT = 0.5  # below this many type sizes, two left edges are the same
GAP = 1.4  # a row starts a paragraph when it stands this many usual pitches below the last
PITCH = 1.75  # usual pitch in type sizes, where a page tells none
WIDEST = 3.0  # greatest pitch of one paragraph's rows in type sizes
SIZE_STEP = 0.16  # relative change of type size that parts paragraphs
SIZE_STEP_OCR = 0.35  # the same for recognised lines, whose box heights vary with their letters
SAME_WIDTH = 0.75  # minimum ratio of the widths of two columns that one paragraph runs through
NARROW = 0.6  # share of the usual row's width that a block has at most, whose rows may be lines of an address
WRAPPED = 3  # line breaks from which it shows whether a right edge explains them
MIN_ROWS = 5  # rows of a page that tell its usual width
SHORT = 0.3  # a row that leaves this share of the column empty ends its paragraph


# what an entry of a bibliography holds: a number in brackets before it, a year, an address, or "et al."
_REFERENCE = re.compile(r"^\s*\[\d+\]|(?<!\d)(?:19|20)\d\d(?!\d)|doi|https?:|\bet al\b|等[.．,，]|\[[JMDCNPS]\]")


@dataclass(frozen=True)
class Measure:
    """Edges and usual distance of a block's rows, in points. `hanging`: rows after the first are indented."""

    left: float
    right: float
    pitch: float
    hanging: bool


@dataclass
class Open:
    """A draft that may still go on, with the measure of its last rows."""

    draft: int
    measure: Measure


def paragraphs(blocks: Iterable[Block]) -> list[Draft]:
    """Drafts of a whole document in reading order; `blocks` are those of all pages, in order."""
    blocks = list(blocks)
    usual, widths = _usual_pitches(blocks), _usual_widths(blocks)
    drafts: list[Draft] = []
    running: Open | None = None
    for block in blocks:
        if block.is_object:
            drafts.append(Draft(block.role, block.page, block=block))
            continue
        rows = rows_of(block.lines)
        measure = _measure(block, rows, usual.get(block.page, PITCH), widths[block.page])
        for position, part in enumerate(_parts(rows, measure)):
            if running and position == 0 and _goes_on(drafts[running.draft], running, part[0], block, measure):
                before = drafts[running.draft]
                drafts[running.draft] = replace(before, rows=(*before.rows, *part))
                running = Open(running.draft, measure)
                continue
            drafts.append(Draft(_role(block, part), block.page, tuple(part)))
            if block.role == "title":
                running = None
            elif not _is_float(drafts, running, block, part):
                running = Open(len(drafts) - 1, measure)
    return drafts


def _role(block: Block, part: Sequence[Row]) -> Role:
    """The block's role; what the layout model calls a reference must look like one."""
    if block.role != "reference" or any(_REFERENCE.search(line.text) for row in part for line in row.lines):
        return block.role
    return "text"


def _parts(rows: Sequence[Row], measure: Measure) -> list[list[Row]]:
    """Rows of one block, parted into paragraphs."""
    parts: list[list[Row]] = []
    for row in rows:
        if parts and not _starts(parts[-1], row, measure):
            parts[-1].append(row)
        else:
            parts.append([row])
    return parts


def _usual_pitches(blocks: Sequence[Block]) -> dict[int, float]:
    """The usual distance of rows on each page, in type sizes."""
    steps: dict[int, list[float]] = {}
    for block in blocks:
        if not block.is_object:
            for a, b in pairwise(rows_of(block.lines)):
                step = (b.box[1] - a.box[1]) / a.size
                if 0.5 < step < WIDEST:
                    steps.setdefault(block.page, []).append(step)
    return {page: median(found) for page, found in steps.items() if len(found) >= 3}


def _usual_widths(blocks: Sequence[Block]) -> dict[int, float]:
    """The usual width of a row on each page in points; that of the document where a page holds few rows."""
    rows: dict[int, list[Row]] = {}
    for block in blocks:
        found = rows.setdefault(block.page, [])
        if not block.is_object and block.role == "text":
            found += rows_of(block.lines)
    usual = _median_width([row for found in rows.values() for row in found])
    return {page: _median_width(found) if len(found) >= MIN_ROWS else usual for page, found in rows.items()}


def _median_width(rows: Sequence[Row]) -> float:
    """The median width of rows in points, longer texts counting more."""
    widths = [row.box[2] - row.box[0] for row in rows for _ in range(1 + sum(len(x.text) for x in row.lines) // 8)]
    return median(widths) if widths else 0.0


def _measure(block: Block, rows: Sequence[Row], usual: float, width: float) -> Measure:
    left, right = min(row.box[0] for row in rows), max(row.box[2] for row in rows)
    size = median(row.size for row in rows)
    if block.column[1] - right <= 4 * size:
        right = max(right, block.column[1])
    if left - block.column[0] <= MIN_SHIFT * size:
        left = min(left, block.column[0])
    if block.role == "text" and right - left <= NARROW * width and _is_list(rows, right):
        right = left + width
    steps = [b.box[1] - a.box[1] for a, b in pairwise(rows)]
    near = [step for step in steps if 0.5 * size < step < WIDEST * size]
    pitch = min(median(near), max(2.0, 1.3 * usual) * size) if len(near) >= 2 else usual * size
    shifted = sum(row.box[0] - left > MIN_SHIFT * size for row in rows)
    hanging = len(rows) > 1 and rows[0].box[0] - left <= MIN_SHIFT * size and shifted >= 0.5 * len(rows)
    return Measure(left, right, pitch, hanging)


def _is_list(rows: Sequence[Row], right: float) -> bool:
    """Whether rows far narrower than the text end where they like (an address), not where a narrow column ends."""
    measure = Measure(0.0, right, 0.0, False)
    wrapped = [not _is_short(a, b, right - a.box[2], measure) for a, b in pairwise(rows)]
    if len(wrapped) >= WRAPPED:
        return sum(wrapped) < 0.5 * len(wrapped)
    return len(rows) > 1 and not any(row.first[0].islower() for row in rows[1:])


def _starts(part: Sequence[Row], row: Row, measure: Measure) -> bool:
    """Whether a row starts a paragraph within its block, after the rows of the one before."""
    before = part[-1]
    size = min(before.size, row.size)
    if _size_differs(before, row) or row.box[1] - before.box[1] > GAP * measure.pitch + abs(before.size - row.size):
        return True
    room = measure.right - before.box[2]
    ended = ends_sentence(before.last)
    short = _is_short(before, row, room, measure)
    if row.bold != before.bold and (short or room > size):
        return True
    if any(has_leader(line.text) for line in before.lines) or is_bullet(row.first) or before.is_entry:
        return True
    if (is_clause(row.first) and (ended or short)) or (len(part) == 1 and is_clause(before.first) and short):
        return True
    shift = row.box[0] - measure.left
    if measure.hanging:
        if shift <= MIN_SHIFT * size and (ended or short or is_clause(row.first)):
            return True
    elif INDENT * size <= shift <= 8 * size:
        same = abs(row.box[0] - before.box[0]) <= MIN_SHIFT * size
        if not same or ended or short:
            return True
    return short and (ended or room > SHORT * (measure.right - measure.left))


def _is_short(before: Row, row: Row, room: float, measure: Measure) -> bool:
    """Whether the next row's first word would have fitted into the room that the row before leaves."""
    first = row.lines[0]
    if spaceless(first.text[0]):
        return room > 2.5 * before.size
    word = len(first.text.split(maxsplit=1)[0])
    return room > (first.box[2] - first.box[0]) * (word + 1) / (len(first.text) + 1) + 1.0 * before.size


def _goes_on(draft: Draft, running: Open, row: Row, block: Block, measure: Measure) -> bool:
    """Whether a paragraph of an earlier block goes on with this row."""
    before = draft.rows[-1]
    if block.role != draft.role or block.aside or _size_differs(before, row) or before.bold != row.bold:
        return False
    text, after = before.last, row.first
    clause = is_clause(after)
    if (clause and not is_quantity(after)) or is_bullet(after) or has_leader(text):
        return False
    if is_caption(after) or is_caption(draft.rows[0].first):
        return False
    size = before.size
    if text.endswith(HYPHENS) and after[0].islower():
        return True
    if ends_sentence(text) or row.box[0] - measure.left >= INDENT * size:
        return False
    beside = min(before.box[2], row.box[2]) <= max(before.box[0], row.box[0])
    below = block.page == before.lines[0].page and row.box[1] >= before.box[1] and not beside
    if below and row.box[1] - before.box[1] > GAP * running.measure.pitch:
        return False
    widths = sorted((measure.right - measure.left, running.measure.right - running.measure.left))
    if len(block.lines) > 1 and widths[0] < SAME_WIDTH * widths[1]:
        return False
    full = running.measure.right - before.box[2] <= 2.5 * size
    if clause:
        return full
    return full or (after[0].islower() and len(draft.rows) > 1)


def _is_float(drafts: Sequence[Draft], running: Open | None, block: Block, part: Sequence[Row]) -> bool:
    """Whether a paragraph stands outside the running text, which may go on after it: captions, notes, margins."""
    if block.role in ("figure caption", "table caption") or block.aside or is_caption(part[0].first):
        return True
    if running is None:
        return False
    before = drafts[running.draft].rows[-1]
    if len(drafts[running.draft].rows) == 1 and before.bold:  # a heading, and the text below it
        return False
    return part[0].size < (1 - SIZE_STEP) * before.size and not ends_sentence(before.last)


def _size_differs(before: Row, row: Row) -> bool:
    step = SIZE_STEP_OCR if before.lines[0].ocr or row.lines[0].ocr else SIZE_STEP
    return abs(before.size - row.size) > step * max(before.size, row.size)
