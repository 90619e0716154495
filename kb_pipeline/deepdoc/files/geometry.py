"""Boxes `(x0, top, x1, bottom)`, origin top left, and what vision code asks about them.

The scalar functions work on tuples, those named `…_matrix` on arrays of shape [N, 4]. The unit is the caller's.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kb_pipeline.records import Box, Quad


def area(box: Box) -> float:
    """Width times height; 0 for an inverted box."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def overlap_area(a: Box, b: Box) -> float:
    """Area that both boxes cover."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def overlap_share(a: Box, b: Box) -> float:
    """Share of `a` that lies inside `b`, 0…1; 0 where `a` has no area."""
    own = area(a)
    return overlap_area(a, b) / own if own > 0 else 0.0


def overlap_of_smaller(a: Box, b: Box) -> float:
    """Share of the smaller box that both cover, 0…1."""
    smaller = min(area(a), area(b))
    return overlap_area(a, b) / smaller if smaller > 0 else 0.0


def iou(a: Box, b: Box) -> float:
    """Intersection over union, 0…1."""
    common = overlap_area(a, b)
    whole = area(a) + area(b) - common
    return common / whole if whole > 0 else 0.0


def union(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them; ValueError for none."""
    rows = list(boxes)
    if not rows:
        raise ValueError("the union of no boxes")
    return (min(b[0] for b in rows), min(b[1] for b in rows), max(b[2] for b in rows), max(b[3] for b in rows))


def clip(box: Box, width: float, height: float) -> Box:
    """The part of the box on a page of that size; a box beside the page shrinks to its border."""
    x0, x1 = (min(max(v, 0.0), width) for v in (box[0], box[2]))
    top, bottom = (min(max(v, 0.0), height) for v in (box[1], box[3]))
    return (x0, top, x1, bottom)


def turned_size(width: float, height: float, degrees: int) -> tuple[float, float]:
    """Size of a page after turning it by a multiple of 90 degrees."""
    return (height, width) if degrees % 180 else (width, height)


def as_box(values: Iterable[float]) -> Box:
    """Four numbers of any kind as a box of plain floats; ValueError for fewer or more."""
    x0, top, x1, bottom = map(float, values)
    return (x0, top, x1, bottom)


def as_quad(corners: np.ndarray) -> Quad:
    """An array [4, 2] as a quad of plain floats; ValueError for another shape."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners.tolist()
    return ((float(ax), float(ay)), (float(bx), float(by)), (float(cx), float(cy)), (float(dx), float(dy)))


def quad_box(quad: Quad | np.ndarray) -> Box:
    """The upright box around a quad [4, 2]."""
    points = np.asarray(quad, dtype=float).reshape(4, 2)
    (x0, top), (x1, bottom) = points.min(axis=0), points.max(axis=0)
    return (float(x0), float(top), float(x1), float(bottom))


def box_quad(box: Box) -> Quad:
    """The box as a quad: top left, top right, bottom right, bottom left."""
    x0, top, x1, bottom = box
    return ((x0, top), (x1, top), (x1, bottom), (x0, bottom))


def reading_frame(boxes: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Extents [N, 2] along and across the reading direction of boxes [N, 4].

    `turn` [N]: clockwise turn of the text, 0, 90, 180 or 270. In this frame every line runs towards larger `u`, and the
    next line lies at larger `v`. `page_frame` is the way back.
    """
    x, y = boxes[:, (0, 2)], boxes[:, (1, 3)]
    back_x, back_y = -x[:, ::-1], -y[:, ::-1]
    pick = np.asarray(turn)[:, None]
    u = np.select([pick == 0, pick == 90, pick == 180], [x, y, back_x], back_y)
    v = np.select([pick == 0, pick == 90, pick == 180], [y, back_x, back_y], x)
    return u, v


def page_frame(u: np.ndarray, v: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Boxes [N, 4] of extents along and across the reading direction: the inverse of `reading_frame`."""
    back_u, back_v = -u[:, ::-1], -v[:, ::-1]
    pick = np.asarray(turn)[:, None]
    x = np.select([pick == 0, pick == 90, pick == 180], [u, back_v, back_u], v)
    y = np.select([pick == 0, pick == 90, pick == 180], [v, u, back_v], back_u)
    return np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], axis=1)


def overlap_matrix(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Common areas of boxes `a` [N, 4] and `b` [M, 4], as [N, M]."""
    a, b = np.asarray(a, dtype=float).reshape(-1, 4), np.asarray(b, dtype=float).reshape(-1, 4)
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    return np.prod(np.clip(high - low, 0, None), axis=2)


def areas(boxes: np.ndarray) -> np.ndarray:
    """Areas of boxes [N, 4], as [N]."""
    boxes = np.asarray(boxes, dtype=float).reshape(-1, 4)
    return np.prod(np.clip(boxes[:, 2:] - boxes[:, :2], 0, None), axis=1)


def coverage(boxes: Iterable[Box], width: float, height: float, cells: int = 128) -> float:
    """Share of a page that the boxes cover together, 0…1, counted on a raster of `cells` x `cells` cell centres."""
    if width <= 0 or height <= 0:
        return 0.0
    raster = np.zeros((cells, cells), dtype=bool)
    for box in boxes:
        x0, top, x1, bottom = clip(box, width, height)
        columns = slice(_first_centre(x0 / width, cells), _first_centre(x1 / width, cells))
        rows = slice(_first_centre(top / height, cells), _first_centre(bottom / height, cells))
        raster[rows, columns] = True
    return float(raster.mean())


def _first_centre(share: float, cells: int) -> int:
    """Index of the first cell whose centre lies at or beyond `share` of the side."""
    return int(np.ceil(share * cells - 0.5))
