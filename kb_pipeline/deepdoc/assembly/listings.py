"""Program listings: paragraphs of code that follow each other in one column, as one paragraph whose rows stay rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from kb_pipeline.deepdoc.assembly.drafts import Draft
from kb_pipeline.text.markers import is_code

MIN_ROWS = 2  # rows of a listing
SHARE = 0.6  # share of its rows that look like code
GAP = 2.5  # type sizes between two of its rows at most
LONGEST = 100  # characters of a row


def join_listings(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with runs of code as one draft each."""
    found: list[Draft] = []
    run: list[Draft] = []
    for draft in drafts:
        if run and not _follows(run[-1], draft):
            found += _listing(run)
            run = []
        if _may_be(draft):
            run.append(draft)
        else:
            found.append(draft)
    return found + _listing(run)


def _may_be(draft: Draft) -> bool:
    if draft.block is not None or draft.role not in ("text", "title"):
        return False
    texts = [" ".join(line.text for line in row.lines) for row in draft.rows]
    return all(len(text) <= LONGEST for text in texts) and sum(map(is_code, texts)) >= SHARE * len(texts)


def _follows(before: Draft, after: Draft) -> bool:
    if not _may_be(after) or before.page != after.page:
        return False
    last, first = before.rows[-1], after.rows[0]
    gap = first.box[1] - last.box[3]
    return -last.size <= gap <= GAP * last.size and first.box[0] < max(row.box[2] for row in before.rows)


def _listing(run: Sequence[Draft]) -> list[Draft]:
    rows = tuple(row for draft in run for row in draft.rows)
    ordered = all(a.box[1] <= b.box[1] for a, b in pairwise(rows))
    if len(rows) < MIN_ROWS or not ordered:
        return list(run)
    return [replace(run[0], role="text", rows=rows, verbatim=True)]
