"""Characters and detected line boxes into lines of text; no character is lost on the way.

Detection says which characters stand together and where there is text without characters; the characters say what is
written and exactly where. Everything is computed in a reading frame in which every line runs to the right: `u` along
the line, `v` across it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kb_pipeline.deepdoc.characters import Characters
from kb_pipeline.deepdoc.geometry import areas, box_quad, overlap_matrix, quad_box, reading_frame
from kb_pipeline.deepdoc.line_text import is_ideographic, logical_order, spaces_between, text_and_edges
from kb_pipeline.deepdoc.verdict import line_is_garbled, suspects
from kb_pipeline.records import Box, Dropped, PageLocator, Quad, TextLine

# A character belongs to a detected line when this share of its box lies in it …
LEAST_OVERLAP = 0.4
# … and its height differs from the line's by less than this share of the larger (a drop cap, a stamp over the text).
HEIGHT_MISMATCH = 0.7
# Two characters stand in one row when their middles are nearer than this share of their height.
ROW_SHARE = 0.45
# Gaps that part a row into lines: within a detected line, without one, and between table cells. Shares of the size.
DETECTED_GAP = 2.5
FREE_GAP = 1.5
SEGMENT_GAP = 0.6
# A stray character joins the line beside it when no further away than this share of the size.
STRAY_GAP = 0.6
# Text that leans more than this many degrees against its reading direction (watermarks) keeps to itself.
MOST_TILT = 8.0
# Upright characters that follow one another downwards at this distance (shares of the size) are written vertically.
STACK_STEP = (0.6, 1.35)
STACK_SHIFT = 0.3
LEAST_STACK = 3
# A detected line whose box others' characters cover by this share is no text of its own.
COVERED = 0.5
# Part of a detected line without characters that is worth reading, in heights of the line.
LEAST_EMPTY = 2.5

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
    frame = _Frame.of(characters)
    rows = np.flatnonzero(characters.seen & (np.abs(characters.tilt) <= MOST_TILT))
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
    frame = _Frame.of(characters)
    return sorted((frame.line(g) for g in frame.split(np.flatnonzero(inside), SEGMENT_GAP)), key=_place)


def dropped_text(characters: Characters, page: int, page_size: tuple[float, float]) -> tuple[Dropped, ...]:
    """The characters that a reader cannot see, joined to lines, with reason and place."""
    frame = _Frame.of(characters)
    found = []
    for reason in sorted(set(characters.dropped.tolist()) - {""}):
        for group in frame.split(np.flatnonzero(characters.dropped == reason), FREE_GAP):
            line = frame.line(group)
            place = PageLocator(page=page, box=line.box, page_size=page_size, start=0, end=len(line.text))
            found.append(Dropped(text=line.text, reason=reason, locators=(place,)))
    return tuple(found)


# ---------------------------------------------------------------- the reading frame


@dataclass(frozen=True)
class _Frame:
    """Characters with their extents along (`u`) and across (`v`) their reading direction; `turn` says which way."""

    characters: Characters
    turn: np.ndarray
    u: np.ndarray
    v: np.ndarray

    @staticmethod
    def of(characters: Characters) -> _Frame:
        turn = characters.angle.astype(int)
        turn[_stacked(characters)] = 90
        u, v = reading_frame(characters.loose, turn)
        return _Frame(characters, turn, u, v)

    def split(self, rows: np.ndarray, gap: float) -> list[np.ndarray]:
        """Rows of text, each in reading order, parted where the gap exceeds `gap` type sizes."""
        groups = []
        for turn in (0, 90, 180, 270):
            for row in self._rows(rows[self.turn[rows] == turn]):
                size = _middle(self.characters.size[row])
                reach = np.maximum.accumulate(self.u[row, 1])
                cuts = np.flatnonzero(self.u[row[1:], 0] - reach[:-1] > gap * size) + 1
                groups += np.split(row, cuts)
        return groups

    def _rows(self, rows: np.ndarray) -> list[np.ndarray]:
        """Characters of one direction clustered across the line, each cluster in order along it."""
        middle, height = self.v[rows].mean(axis=1), self.v[rows, 1] - self.v[rows, 0]
        found: list[tuple[float, float, list[int]]] = []
        for i in np.lexsort((rows, self.u[rows, 0], np.round(middle, 1))).tolist():
            for k in range(len(found) - 1, max(-1, len(found) - 5), -1):
                centre, tall, members = found[k]
                reach = min(max(tall, height[i]), 2 * min(tall, height[i]))  # a drop cap gathers no lines around it
                if abs(centre - middle[i]) < ROW_SHARE * reach:
                    members.append(int(rows[i]))
                    # The largest type sets the row: an index above or below it does not move the row.
                    found[k] = (centre, tall, members) if tall >= height[i] else (middle[i], height[i], members)
                    break
            else:
                found.append((float(middle[i]), float(height[i]), [int(rows[i])]))
        order = self.u.sum(axis=1)
        return [np.array(sorted(m, key=lambda r: (order[r], r))) for _, _, m in found]

    def line(self, group: np.ndarray) -> TextLine:
        """The line of characters that stand in this order along their reading direction."""
        characters, turn = self.characters, int(self.turn[group[0]])
        texts = characters.text[group].tolist()
        start, end = self.u[group, 0], self.u[group, 1]
        size = _middle(characters.size[group])
        hinted = [self._hinted(int(a), int(b)) for a, b in itertools.pairwise(group)]
        spaces = spaces_between(texts, start, end, size, hinted)
        order, mixed = logical_order(texts)
        sign = -1 if turn in (180, 270) else 1
        if order != list(range(len(texts))):
            before = [False, *spaces]
            spaces = [before[max(a, b)] if abs(a - b) == 1 else True for a, b in itertools.pairwise(order)]
            texts = [texts[i] for i in order]
            start, end, sign = -end[order], -start[order], -sign
        text, edges = text_and_edges(texts, start, end, spaces)
        edges = () if mixed else tuple(sign * e for e in edges)
        # The height of the type rather than of this line's ink: what a reader expects to see marked.
        x0, top = np.minimum(characters.loose[group, :2], characters.box[group, :2]).min(axis=0).tolist()
        x1, bottom = np.maximum(characters.loose[group, 2:], characters.box[group, 2:]).max(axis=0).tolist()
        return TextLine(
            text=text,
            box=(x0, top, x1, bottom),
            origin="text layer",
            size=size,
            bold=bool(characters.bold[group].mean() > 0.5),
            vertical=turn % 180 != 0,
            edges=edges,
        )

    def _hinted(self, first: int, second: int) -> bool:
        """Whether the file has a space between two characters that are neighbours in it."""
        return abs(first - second) == 1 and bool(self.characters.space[max(first, second)])


def _stacked(characters: Characters) -> np.ndarray:
    """[N] bool: upright characters of vertically written text, found by how they follow one another."""
    count = len(characters)
    stacked = np.zeros(count, dtype=bool)
    if count < LEAST_STACK:
        return stacked
    centre = (characters.loose[:, :2] + characters.loose[:, 2:]) / 2
    size = characters.size
    shift, step = np.abs(np.diff(centre[:, 0])) / size[1:], np.diff(centre[:, 1]) / size[1:]
    script = np.array([is_ideographic(t) for t in characters.text.tolist()])
    upright = (characters.angle == 0) & script
    follows = (shift < STACK_SHIFT) & (step > STACK_STEP[0]) & (step < STACK_STEP[1]) & upright[1:] & upright[:-1]
    start = 0
    while start < count:
        end = start
        while end < count - 1 and follows[end]:
            end += 1
        if end - start + 1 >= LEAST_STACK:
            stacked[start : end + 1] = True
        start = end + 1
    return stacked


# ---------------------------------------------------------------- characters and detected lines


def _homes(characters: Characters, frame: _Frame, rows: np.ndarray, boxes: np.ndarray) -> np.ndarray:
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
    return np.where((share >= LEAST_OVERLAP) & (mismatch < HEIGHT_MISMATCH), best, -1)


def _with_strays(frame: _Frame, groups: list[np.ndarray], strays: list[np.ndarray]) -> list[np.ndarray]:
    """Strays joined to the line in whose row they stand, beside or inside it; the others become lines."""
    groups = [*groups, *strays]
    extents = np.array([_extent(frame, g) for g in groups]).reshape(-1, 4)  # u0, u1, v0, v1
    height = extents[:, 3] - extents[:, 2]
    turns = np.array([frame.turn[g[0]] for g in groups])
    lines = np.arange(len(groups)) < len(groups) - len(strays)
    for index in range(len(groups) - len(strays), len(groups)):
        u0, u1, v0, v1 = extents[index]
        size = max(_middle(frame.characters.size[groups[index]]), 1e-9)
        common = np.minimum(v1, extents[:, 3]) - np.maximum(v0, extents[:, 2])
        gap = np.maximum(extents[:, 0] - u1, u0 - extents[:, 1]) / size
        fits = lines & (turns == turns[index]) & (gap < STRAY_GAP)
        fits &= (common >= 0.5 * np.minimum(v1 - v0, height)) & (v1 - v0 < 1.5 * height)
        if not fits.any():
            lines[index] = True
            continue
        best = int(np.where(fits, gap, np.inf).argmin())
        merged = np.concatenate([groups[best], groups[index]])
        groups[best] = merged[np.lexsort((merged, frame.u[merged].sum(axis=1)))]
        extents[best] = _extent(frame, groups[best])
        height[best] = extents[best, 3] - extents[best, 2]
    return [group for group, is_line in zip(groups, lines.tolist(), strict=True) if is_line]


def _extent(frame: _Frame, group: np.ndarray) -> tuple[float, float, float, float]:
    u, v = frame.u[group], frame.v[group]
    return float(u[:, 0].min()), float(u[:, 1].max()), float(v[:, 0].min()), float(v[:, 1].max())


def _middle(values: np.ndarray) -> float:
    """The upper median: as good as numpy's for sizes, at a tenth of its cost for short arrays."""
    return sorted(values.tolist())[len(values) // 2]


def _tilted(characters: Characters) -> list[np.ndarray]:
    """Leaning text, run by run in the file's order: such runs are lines of their own."""
    rows = np.flatnonzero(characters.seen & (np.abs(characters.tilt) > MOST_TILT))
    if not len(rows):
        return []
    centre = (characters.loose[rows, :2] + characters.loose[rows, 2:]) / 2
    breaks = (np.diff(rows) > 1) | (np.diff(characters.tilt[rows]) != 0) | (np.diff(characters.size[rows]) != 0)
    breaks |= np.hypot(*np.diff(centre, axis=0).T) > FREE_GAP * characters.size[rows[1:]] + 1
    return np.split(rows, np.flatnonzero(breaks) + 1)


def _empty_places(frame: _Frame, quads: np.ndarray, boxes: np.ndarray, groups: list[np.ndarray]) -> list[Unread]:
    """Detected lines that no character stands in, and the long empty ends and gaps of the others."""
    filled = np.array([_loose_box(frame, g) for g in groups], dtype=float).reshape(-1, 4)
    common = overlap_matrix(boxes, filled)
    places = []
    for i, (quad, box) in enumerate(zip(quads, boxes, strict=True)):
        covered = common[i].sum() / max(float(areas(box)[0]), 1e-9)
        if covered < 0.05:
            places.append(Unread(_as_quad(quad), "no characters"))
            continue
        places += [Unread(box_quad(rest), "partly empty") for rest in _rests(box, filled[common[i] > 0])]
    return places


def _rests(box: np.ndarray, filled: np.ndarray) -> list[Box]:
    """The stretches of a detected line, along its longer side, over which no characters stand."""
    x0, top, x1, bottom = box.tolist()
    axis = 0 if x1 - x0 >= bottom - top else 1
    height = min(x1 - x0, bottom - top)
    position, rests = float(box[axis]), []
    for start, end in [*sorted(filled[:, (axis, axis + 2)].tolist()), [float(box[axis + 2])] * 2]:
        if start - position > LEAST_EMPTY * height:
            rests.append((position, top, start, bottom) if axis == 0 else (x0, position, x1, start))
        position = max(position, end)
    return rests


def _loose_box(frame: _Frame, group: np.ndarray) -> tuple[float, float, float, float]:
    loose = frame.characters.loose[group]
    return (*loose[:, :2].min(axis=0).tolist(), *loose[:, 2:].max(axis=0).tolist())


def _as_quad(quad: np.ndarray) -> Quad:
    return tuple((float(x), float(y)) for x, y in quad.tolist())


def _place(line: TextLine) -> tuple[float, float]:
    return _place_of(line.box)


def _place_of(box: Box) -> tuple[float, float]:
    return (round(box[1], 1), box[0])
