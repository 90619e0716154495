"""Characters and detected line boxes into lines of text; no character is lost on the way.

Detection says which characters stand together and where there is text without characters; the characters say what is
written and exactly where. Everything is computed in a reading frame in which every line runs to the right: `u` along
the line, `v` across it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.files.geometry import areas, as_quad, box_quad, overlap_matrix, quad_box
from kb_pipeline.deepdoc.page.text_rows import RowFrame, middle
from kb_pipeline.deepdoc.page.verdict import line_is_garbled, suspects
from kb_pipeline.records import Box, Dropped, PageLocator, Quad, TextLine

# A character belongs to a detected line when this share of its box lies in it …
MIN_OVERLAP = 0.4
# … and its height differs from the line's by less than this share of the larger (a drop cap, a stamp over the text).
HEIGHT_MISMATCH = 0.7
# Gaps that part a row into lines: within a detected line, without one, and between table cells. Shares of the size.
DETECTED_GAP = 2.5
FREE_GAP = 1.5
SEGMENT_GAP = 0.7  # 0.6 of the loose box's height: best of 0.6, 0.9 and 1.3 on ICDAR 2013 tables
# A stray character joins the line beside it when no further away than this share of the size.
STRAY_GAP = 0.6
# Text that leans more than this many degrees against its reading direction (watermarks) keeps to itself.
MAX_TILT = 8.0
# A line of characters fills a detected line when it shares so much of the lower one's height.
FILLING = 0.4
# Part of a detected line without characters that is worth reading, in heights of the line.
MIN_EMPTY = 2.5

Reason = Literal["no characters", "partly empty", "garbled"]


@dataclass(frozen=True)
class Unread:
    """A place that needs recognition. `line`: what the character layer says there, where that is garbled."""

    quad: Quad
    reason: Reason
    line: TextLine | None = None


@dataclass(frozen=True)
class PageLines:
    """Lines from top to bottom, then left to right, and the places that hold text which characters do not give."""

    lines: tuple[TextLine, ...]
    unread: tuple[Unread, ...]


def page_lines(characters: Characters, quads: np.ndarray | Sequence[Quad] = ()) -> PageLines:
    """Lines of a page from the characters that a reader sees and the detected quads [M, 4, 2], both in points.

    A line's box has the height of its type (ascent to descent) and covers all of its ink.

    Each character goes to the detected line of largest overlap; those that fit none are clustered among themselves.
    A detected line splits where a wide gap, another row or another direction shows that it glued things together.
    Every seen character is in exactly one of `lines` and the `line` of a garbled `unread`.
    """
    quads = np.asarray(quads, dtype=float).reshape(-1, 4, 2)
    boxes = np.array([quad_box(q) for q in quads], dtype=float).reshape(-1, 4)
    frame = RowFrame.of(characters)
    rows = np.flatnonzero(characters.seen & (np.abs(characters.tilt) <= MAX_TILT))
    home = _homes(characters, frame, rows, boxes)
    groups: list[np.ndarray] = []
    for box in range(len(boxes)):
        groups += frame.split(rows[home == box], DETECTED_GAP)
    groups = _with_strays(frame, groups, frame.split(rows[home < 0], FREE_GAP))
    groups += _tilted(characters)
    suspect = suspects(characters)
    lines, unread = [], _empty_places(frame, quads, boxes, groups)
    for group in groups:
        line = frame.line(group)
        if line_is_garbled(line.text, suspect[group], characters.font[group].tolist()):
            unread.append(Unread(box_quad(line.box), "garbled", line))
        else:
            lines.append(line)
    return PageLines(tuple(sorted(lines, key=_place)), tuple(sorted(unread, key=lambda u: _place_of(quad_box(u.quad)))))


def segments(characters: Characters, box: Box) -> list[TextLine]:
    """Words and phrases inside a box (points), parted at gaps that part table cells; loose boxes decide.

    Characters whose centre lies in the box and that a reader sees; each is in exactly one segment.
    """
    centre = (characters.loose[:, :2] + characters.loose[:, 2:]) / 2
    inside = ((centre >= box[:2]) & (centre <= box[2:])).all(axis=1) & characters.seen
    frame = RowFrame.of(characters)
    return sorted((frame.line(g) for g in frame.split(np.flatnonzero(inside), SEGMENT_GAP)), key=_place)


def dropped_text(characters: Characters, page: int, page_size: tuple[float, float]) -> tuple[Dropped, ...]:
    """The characters that a reader cannot see, joined to lines, with reason and place."""
    frame = RowFrame.of(characters)
    found = []
    for reason in sorted(set(characters.dropped.tolist()) - {""}):
        for group in frame.split(np.flatnonzero(characters.dropped == reason), FREE_GAP):
            line = frame.line(group)
            place = PageLocator(page=page, box=line.box, page_size=page_size, start=0, end=len(line.text))
            found.append(Dropped(text=line.text, reason=reason, locators=(place,)))
    return tuple(found)


# ---------------------------------------------------------------- characters and detected lines


def _homes(characters: Characters, frame: RowFrame, rows: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """For each of the rows, the index of the detected line that it belongs to, -1 for none."""
    if not len(boxes) or not len(rows):
        return np.full(len(rows), -1)
    loose = characters.loose[rows]
    overlap = overlap_matrix(loose, boxes)
    best = overlap.argmax(axis=1)
    share = overlap[np.arange(len(rows)), best] / np.maximum(areas(loose), 1e-9)
    flat = frame.turn[rows] % 180 == 0
    line_height = np.where(flat, boxes[best, 3] - boxes[best, 1], boxes[best, 2] - boxes[best, 0])
    height = frame.v[rows, 1] - frame.v[rows, 0]
    mismatch = np.abs(height - line_height) / np.maximum(np.maximum(height, line_height), 1e-9)
    return np.where((share >= MIN_OVERLAP) & (mismatch < HEIGHT_MISMATCH), best, -1)


def _with_strays(frame: RowFrame, groups: list[np.ndarray], strays: list[np.ndarray]) -> list[np.ndarray]:
    """Strays joined to the line in whose row they stand, beside or inside it; the others become lines."""
    groups = [*groups, *strays]
    extents = np.array([_extent(frame, g) for g in groups]).reshape(-1, 4)  # u0, u1, v0, v1
    height = extents[:, 3] - extents[:, 2]
    turns = np.array([frame.turn[g[0]] for g in groups])
    lines = np.arange(len(groups)) < len(groups) - len(strays)
    for index in range(len(groups) - len(strays), len(groups)):
        u0, u1, v0, v1 = extents[index]
        size = max(middle(frame.characters.size[groups[index]]), 1e-9)
        common = np.minimum(v1, extents[:, 3]) - np.maximum(v0, extents[:, 2])
        gap = np.maximum(extents[:, 0] - u1, u0 - extents[:, 1]) / size
        fits = lines & (turns == turns[index]) & (gap < STRAY_GAP)
        fits &= (common >= 0.5 * np.minimum(v1 - v0, height)) & (v1 - v0 < 1.5 * height)
        if not fits.any():
            lines[index] = True
            continue
        best = int(np.where(fits, gap, np.inf).argmin())
        merged = np.concatenate([groups[best], groups[index]])
        groups[best] = merged[np.lexsort((merged, frame.place[merged]))]
        extents[best] = _extent(frame, groups[best])
        height[best] = extents[best, 3] - extents[best, 2]
    return [group for group, is_line in zip(groups, lines.tolist(), strict=True) if is_line]


def _extent(frame: RowFrame, group: np.ndarray) -> tuple[float, float, float, float]:
    u, v = frame.u[group], frame.v[group]
    return float(u[:, 0].min()), float(u[:, 1].max()), float(v[:, 0].min()), float(v[:, 1].max())


def _tilted(characters: Characters) -> list[np.ndarray]:
    """Leaning text, run by run in the file's order: such runs are lines of their own."""
    rows = np.flatnonzero(characters.seen & (np.abs(characters.tilt) > MAX_TILT))
    if not len(rows):
        return []
    centre = (characters.loose[rows, :2] + characters.loose[rows, 2:]) / 2
    breaks = (np.diff(rows) > 1) | (np.diff(characters.tilt[rows]) != 0) | (np.diff(characters.size[rows]) != 0)
    breaks |= np.diff(characters.angle[rows]) != 0
    breaks |= np.hypot(*np.diff(centre, axis=0).T) > FREE_GAP * characters.size[rows[1:]] + 1
    return np.split(rows, np.flatnonzero(breaks) + 1)


def _empty_places(frame: RowFrame, quads: np.ndarray, boxes: np.ndarray, groups: list[np.ndarray]) -> list[Unread]:
    """Detected lines that no character stands in, and the long empty ends and gaps of the others."""
    filled = np.array([_loose_box(frame, g) for g in groups], dtype=float).reshape(-1, 4)
    low = np.maximum(boxes[:, None, :2], filled[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], filled[None, :, 2:])
    common = np.clip(high - low, 0, None)  # [detected, lines, along x and y]
    places = []
    for i, (quad, box) in enumerate(zip(quads, boxes, strict=True)):
        along = 0 if box[2] - box[0] >= box[3] - box[1] else 1
        across = 1 - along
        lower = np.minimum(box[across + 2] - box[across], filled[:, across + 2] - filled[:, across])
        filling = (common[i, :, across] >= FILLING * lower) & (common[i, :, along] > 0)
        if filling.any():
            rests = _rests(box, filled[filling][:, (along, along + 2)], along)
            places += [Unread(box_quad(rest), "partly empty") for rest in rests]
        else:
            places.append(Unread(as_quad(quad), "no characters"))
    return places


def _rests(box: np.ndarray, filled: np.ndarray, along: int) -> list[Box]:
    """The stretches of a detected line over which no characters stand. `filled` [N, 2]: where they do."""
    x0, top, x1, bottom = box.tolist()
    height = min(x1 - x0, bottom - top)
    position, rests = float(box[along]), []
    for start, end in [*sorted(filled.tolist()), [float(box[along + 2])] * 2]:
        if start - position > MIN_EMPTY * height:
            rests.append((position, top, start, bottom) if along == 0 else (x0, position, x1, start))
        position = max(position, end)
    return rests


def _loose_box(frame: RowFrame, group: np.ndarray) -> tuple[float, float, float, float]:
    loose = frame.characters.loose[group]
    return (*loose[:, :2].min(axis=0).tolist(), *loose[:, 2:].max(axis=0).tolist())


def _place(line: TextLine) -> tuple[float, float]:
    return _place_of(line.box)


def _place_of(box: Box) -> tuple[float, float]:
    return (round(box[1], 1), box[0])
