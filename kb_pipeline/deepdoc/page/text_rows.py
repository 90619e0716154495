"""Rows of text in the reading frame, in which every line runs to the right whatever way it is turned.

`u` grows along the line, `v` across it towards the next line.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.files.geometry import reading_frame
from kb_pipeline.deepdoc.page.line_text import is_ideographic, logical_order, spaces_between, text_and_edges
from kb_pipeline.deepdoc.page.raised import scripted
from kb_pipeline.records import TextLine

# Two characters stand in one row when their middles are nearer than this share of their height.
ROW_SHARE = 0.45
# Upright characters that follow one another downwards at this distance (shares of the size) are written vertically.
STACK_STEP = (0.6, 1.35)
STACK_SHIFT = 0.3
MIN_STACK = 3


@dataclass(frozen=True)
class RowFrame:
    """Characters with their extents along (`u`) and across (`v`) their reading direction; `turn` says which way.

    `place` [N]: where they stand along the line, by which they are put in order.
    """

    characters: Characters
    turn: np.ndarray
    u: np.ndarray
    v: np.ndarray
    place: np.ndarray

    @staticmethod
    def of(characters: Characters) -> RowFrame:
        turn = characters.angle.astype(int)
        turn[_stacked(characters)] = 90
        u, v = reading_frame(characters.loose, turn)
        return RowFrame(characters, turn, u, v, u.sum(axis=1))

    def split(self, rows: np.ndarray, gap: float) -> list[np.ndarray]:
        """Rows of text, each in reading order, parted where the gap exceeds `gap` type sizes."""
        groups = []
        turns = self.turn[rows]
        for turn in sorted(set(turns.tolist())):
            for row in self._rows(rows[turns == turn]):
                size = middle(self.characters.size[row])
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
        groups = [np.array(members) for _, _, members in found]
        return [group[np.lexsort((group, self.place[group]))] for group in groups]

    def line(self, group: np.ndarray) -> TextLine:
        """The line of characters that stand in this order along their reading direction."""
        characters, turn = self.characters, int(self.turn[group[0]])
        texts = characters.text[group].tolist()
        start, end = self.u[group, 0], self.u[group, 1]
        size = middle(characters.size[group])
        hinted = [self._hinted(int(a), int(b)) for a, b in itertools.pairwise(group)]
        spaces = spaces_between(texts, start, end, size, hinted)
        order, mixed = logical_order(texts)
        if not mixed and order == list(range(len(texts))):
            texts, marks = scripted(texts, characters.size[group], self.v[group], self.u[group])
            spaces = [space or i in marks for i, space in enumerate(spaces, 1)]
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
            angle=middle(characters.tilt[group]),
            light=middle(characters.light[group]),
        )

    def _hinted(self, first: int, second: int) -> bool:
        """Whether the file has a space between two characters that are neighbours in it."""
        return abs(first - second) == 1 and bool(self.characters.space[max(first, second)])


def _stacked(characters: Characters) -> np.ndarray:
    """[N] bool: upright characters of vertically written text, found by how they follow one another."""
    count = len(characters)
    stacked = np.zeros(count, dtype=bool)
    if count < MIN_STACK:
        return stacked
    centre = (characters.loose[:, :2] + characters.loose[:, 2:]) / 2
    size = np.maximum(characters.size[1:], 1e-6)
    shift, step = np.abs(np.diff(centre[:, 0])) / size, np.diff(centre[:, 1]) / size
    script = np.array([is_ideographic(t) for t in characters.text.tolist()])
    upright = (characters.angle == 0) & script
    follows = (shift < STACK_SHIFT) & (step > STACK_STEP[0]) & (step < STACK_STEP[1]) & upright[1:] & upright[:-1]
    start = 0
    while start < count:
        end = start
        while end < count - 1 and follows[end]:
            end += 1
        if end - start + 1 >= MIN_STACK:
            stacked[start : end + 1] = True
        start = end + 1
    return stacked


def middle(values: np.ndarray) -> float:
    """The upper median: as good as numpy's for sizes, at a tenth of its cost for short arrays."""
    return sorted(values.tolist())[len(values) // 2]
