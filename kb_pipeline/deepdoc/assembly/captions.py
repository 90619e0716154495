"""The table or figure that each caption belongs to: the nearest fitting object of its page within a bounded distance.

A caption without an object stays text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kb_pipeline.deepdoc.assembly.drafts import Block, Draft, union
from kb_pipeline.records import Box
from kb_pipeline.text.captions import caption_kind

REACH = 4.0  # greatest distance between a caption and its object, in type sizes of the caption
LONGEST = 6  # rows of a caption at most
WRONG_SIDE = 1.0  # type sizes added where a table's caption stands below or a figure's above


def attach_captions(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with captions moved into the objects they belong to; the other captions become text.

    Pairs are made nearest first, one caption an object, and a multi-row caption goes as a whole.
    """
    pairs = []
    for c, caption in enumerate(drafts):
        kind = _kind(caption)
        if not kind:
            continue
        for o, owner in enumerate(drafts):
            if owner.block is None or owner.page != caption.page:
                continue
            distance = _distance(caption, owner.block, kind)
            if distance is not None:
                pairs.append((distance, c, o))
    owner_of: dict[int, int] = {}
    for _, c, o in sorted(pairs):
        if c not in owner_of and o not in owner_of.values():
            owner_of[c] = o
    caption_of = {o: c for c, o in owner_of.items()}
    found = []
    for i, draft in enumerate(drafts):
        if i in caption_of:
            found.append(replace(draft, caption=drafts[caption_of[i]].rows))
        elif i not in owner_of:
            found.append(replace(draft, role="text") if draft.role in ("table caption", "figure caption") else draft)
    return found


def _kind(draft: Draft) -> str:
    if draft.block is not None or len(draft.rows) > LONGEST or any(r.lines[0].page != draft.page for r in draft.rows):
        return ""
    by_text = caption_kind(draft.rows[0].first)
    by_role = {"table caption": "table", "figure caption": "figure"}.get(draft.role, "")
    return by_text or by_role


def _distance(caption: Draft, owner: Block, kind: str) -> float | None:
    """Distance in points, the wrong side charged; None where the two do not fit."""
    fits = owner.role == "table" if kind == "table" else owner.role == "figure"
    if not fits:
        return None
    box, size = union(row.box for row in caption.rows), caption.rows[0].size
    if not _beside(box, owner.box):
        return None
    below = box[1] + box[3] > owner.box[1] + owner.box[3]
    gap = max(0.0, box[1] - owner.box[3] if below else owner.box[1] - box[3])
    if gap > REACH * size:
        return None
    return gap + (WRONG_SIDE * size if below == (kind == "table") else 0.0)


def _beside(caption: Box, owner: Box) -> bool:
    overlap = min(caption[2], owner[2]) - max(caption[0], owner[0])
    return overlap >= 0.3 * min(caption[2] - caption[0], owner[2] - owner[0])
