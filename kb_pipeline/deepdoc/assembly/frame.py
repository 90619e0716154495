"""The upright frame: page coordinates in which lines run from left to right and follow each other downwards.

Reading order, columns and paragraphs are decided in this frame alone; sections keep boxes of the displayed page.
A page whose content stands turned, a page of vertical Chinese or Japanese, and a page of right-to-left script each
become the plain case by a turn in steps of 90 degrees, or by mirroring x.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from kb_pipeline.records import Box, PageLayout, TextLine

MAJORITY = 0.5  # share of a page's characters that decides its direction


@dataclass(frozen=True)
class Frame:
    """`turn`: clockwise degrees by which the content stands on the page; `mirror`: lines run right to left."""

    turn: int
    mirror: bool
    width: float
    height: float

    @property
    def upright_size(self) -> tuple[float, float]:
        """Width and height of the upright page in points."""
        return (self.height, self.width) if self.turn in (90, 270) else (self.width, self.height)

    def upright(self, box: Box) -> Box:
        """A box of the displayed page, in the upright frame (points)."""
        x0, top, x1, bottom = box
        if self.turn == 90:
            x0, top, x1, bottom = top, self.width - x1, bottom, self.width - x0
        elif self.turn == 180:
            x0, top, x1, bottom = self.width - x1, self.height - bottom, self.width - x0, self.height - top
        elif self.turn == 270:
            x0, top, x1, bottom = self.height - bottom, x0, self.height - top, x1
        if self.mirror:
            x0, x1 = self.upright_size[0] - x1, self.upright_size[0] - x0
        return x0, top, x1, bottom


def page_frame(layout: PageLayout) -> Frame:
    """The frame that most of a page's characters ask for."""
    total = sum(len(line.text) for line in layout.lines)
    vertical = [line for line in layout.lines if line.vertical]
    turn = layout.turned % 360
    if turn == 0 and sum(len(line.text) for line in vertical) > MAJORITY * total:
        upward = sum(len(line.text) * (1 if runs_upward(line) else -1) for line in vertical) > 0
        turn = 270 if upward else 90
    letters = [c for line in layout.lines for c in line.text if c.isalpha()]
    right_to_left = sum(unicodedata.bidirectional(c) in ("R", "AL") for c in letters)
    return Frame(turn, right_to_left > MAJORITY * len(letters), layout.width, layout.height)


def across(line: TextLine, frame: Frame) -> bool:
    """True where a line runs across the page's reading direction (a sideways stamp in a margin)."""
    return line.vertical != (frame.turn in (90, 270)) and len(line.text.strip()) > 1


def runs_upward(line: TextLine) -> bool:
    """Whether a vertical line is read from its lower end."""
    return len(line.edges) > 1 and line.edges[-1] < line.edges[0]
