"""Lines of a page from its picture: recognised text brought to the displayed page."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kb_pipeline.deepdoc.files import geometry
from kb_pipeline.deepdoc.vision.orientation import turn_points
from kb_pipeline.deepdoc.vision.recognition import Recognition, recognise_lines
from kb_pipeline.records import Box, TextLine

TYPE_HEIGHT = 0.8
"""Type size over the height of a detected quad, whose outline is grown beyond the ink (measured on text layers)."""
INK_SHARE = 5
"""Percentile of grey levels that stands for the ink of a line."""


@dataclass(frozen=True)
class Upright:
    """A page's picture turned so that its content stands upright, and the way back.

    Attributes:
        picture: [H, W, 3] uint8 BGR, upright.
        turned: degrees clockwise by which the content stands on the displayed page.
        scale: pixels per point.
    """

    picture: np.ndarray
    turned: int
    scale: float

    def to_page(self, points: np.ndarray) -> np.ndarray:
        """Pixels [..., 2] of the upright picture as points of the displayed page."""
        height, width = self.picture.shape[:2]
        return turn_points(np.asarray(points, float), self.turned, width, height) / self.scale

    def to_picture(self, points: np.ndarray) -> np.ndarray:
        """Points [..., 2] of the displayed page as pixels of the upright picture."""
        height, width = self.picture.shape[:2]
        size = geometry.turned_size(width, height, self.turned)
        return turn_points(np.asarray(points, float) * self.scale, 360 - self.turned, *size)


def read_quads(upright: Upright, quads: np.ndarray, models: str) -> list[TextLine]:
    """Recognise the lines under quads [N, 4, 2] in pixels of the upright picture; lines without text are left out.

    Boxes, quads and character edges are in points of the displayed page.
    """
    found = recognise_lines(upright.picture, quads, models)
    lines = [_line(upright, quad, recognition) for quad, recognition in zip(quads, found, strict=True)]
    return [line for line in lines if line is not None]


def _line(upright: Upright, quad: np.ndarray, found: Recognition) -> TextLine | None:
    text = found.text.rstrip()
    lead = len(text) - len(text.lstrip())
    text = text[lead:]
    if not text:
        return None
    edges = np.array(found.edges[lead : lead + len(text) + 1])
    corners = np.asarray(quad, float)
    start, end = (corners[[0, 3]].mean(0), corners[[1, 2]].mean(0))
    thickness = float(np.linalg.norm(corners[0] - corners[3]))
    if found.turned:
        start, end = corners[[0, 1]].mean(0), corners[[3, 2]].mean(0)
        thickness = float(np.linalg.norm(corners[0] - corners[1]))
        if found.turned == 270:
            start, end = end, start
    start, end = upright.to_page(np.stack([start, end]))
    vertical = bool(abs(end[1] - start[1]) > abs(end[0] - start[0]))
    degrees = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
    axis = 1 if vertical else 0
    places = start[axis] + edges * (end[axis] - start[axis])
    on_page = upright.to_page(corners)
    return TextLine(
        text=text,
        box=rounded_box(geometry.quad_box(on_page)),
        origin="ocr",
        confidence=round(found.score, 4),
        size=round(thickness * TYPE_HEIGHT / upright.scale, 2),
        vertical=vertical,
        quad=geometry.as_quad(np.array([_rounded(corner) for corner in on_page])),
        edges=_rounded(places),
        angle=round(degrees - 90 * round(degrees / 90), 2),
        light=_lightness(upright.picture, corners),
    )


def _lightness(picture: np.ndarray, corners: np.ndarray) -> float:
    """How light the darkest ink under a line is, 0 black … 1 white."""
    (x0, top), (x1, bottom) = np.clip(corners.min(0), 0, None).astype(int), corners.max(0).astype(int) + 1
    patch = picture[top:bottom, x0:x1].reshape(-1, 3)
    if not len(patch):
        return 0.0
    # percentiles of sums of whole numbers are counted, which is much cheaper than sorting means
    counts = np.bincount(patch[:, 0].astype(np.uint16) + patch[:, 1] + patch[:, 2])
    below, share = divmod(INK_SHARE / 100 * (len(patch) - 1), 1)
    low, high = np.searchsorted(np.cumsum(counts), [below, below + (share > 0)], side="right").tolist()
    return round((low + (high - low) * share) / 3 / 255, 2)


def rounded_box(box: Box) -> Box:
    """To hundredths of a point: the same bytes whatever the last bits of the arithmetic."""
    return geometry.as_box(_rounded(box))


def _rounded(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(float(v), 2) for v in values)
