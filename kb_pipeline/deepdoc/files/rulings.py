"""Ruling lines: horizontal and vertical segments, from the paths of a PDF page or from the pixels of a picture."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np
import pypdfium2.raw as raw

from kb_pipeline.deepdoc.files import pdfium
from kb_pipeline.deepdoc.files.pdfium import Matrix

# A rectangle or stroke is a line while it is at most so thick, and counts from this length on; points.
MAX_THICKNESS = 2.0
MIN_LENGTH = 8.0
# Line heights from which a vertical stroke is no part of a character.
OUTGROWN = 1.5
# Form XObjects nested deeper than this are not followed, and no page is read beyond so many objects: a file can nest
# without end, and a small one can show a form a million times.
MAX_DEPTH = 8
MAX_OBJECTS = 500_000
# Paths of more segments than this are drawings (maps, curves), not tables; pages of more segments are read no further.
MAX_SEGMENTS_PATH = 2_000
MAX_SEGMENTS_PAGE = 200_000
# A colour whose three channels all reach this is white: it draws nothing on paper.
WHITE = 250
# Dashes and the pieces of a rule that was drawn cell by cell lie at most so far apart; points.
JOIN_GAP = 2.5
JOIN_OFFSET = 0.6


def _no_segments() -> np.ndarray:
    return np.zeros((0, 3))


@dataclass(frozen=True)
class Rulings:
    """Line segments in points of the displayed page.

    `horizontal` [N, 3]: y, x0, x1. `vertical` [M, 3]: x, top, bottom. Both sorted by their columns in that order.
    """

    horizontal: np.ndarray = field(default_factory=_no_segments)
    vertical: np.ndarray = field(default_factory=_no_segments)

    def inside(self, box: tuple[float, float, float, float], margin: float = 2.0) -> Rulings:
        """The parts of the segments that lie in the box, widened by `margin` points."""
        x0, top, x1, bottom = box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin
        return Rulings(_clipped(self.horizontal, top, bottom, x0, x1), _clipped(self.vertical, x0, x1, top, bottom))


def path_rulings(page: int, display: Matrix) -> tuple[Rulings, int]:
    """Rulings of a PDF page, and the number of its visible paths. The caller holds the PDFium lock.

    Stroked straight segments, thin filled rectangles and the edges of stroked rectangles count, also in form XObjects;
    white paths and Bézier curves do not. `page`: address of the page; `display`: user space to displayed points.
    """
    found: list[tuple[float, float, float, float]] = []
    paths, budget = 0, MAX_SEGMENTS_PAGE
    for handle, matrix in walk(page, display):
        if pdfium.object_type(handle) != raw.FPDF_PAGEOBJ_PATH:
            continue
        filled, stroked = _draw_mode(handle)
        if not (filled or stroked):
            continue
        paths += 1
        count = pdfium.path_segment_count(handle)
        budget -= count
        if budget < 0 or count > MAX_SEGMENTS_PATH:
            continue
        for points in _subpaths(handle, count, matrix):
            if stroked:
                found += [(*p, *q) for p, q in itertools.pairwise(points)]
            elif _is_thin(points):
                xs, ys = [p[0] for p in points], [p[1] for p in points]
                found.append((min(xs), min(ys), max(xs), max(ys)))
    return rulings_of(np.array(found, dtype=float).reshape(-1, 4)), paths


def walk(page: int, matrix: Matrix) -> Iterator[tuple[int, Matrix]]:
    """Objects of a page, those of form XObjects included, with the matrix from object space to the display."""
    objects = _walk(lambda i: pdfium.page_object(page, i), pdfium.page_object_count(page), matrix, 0)
    yield from itertools.islice(objects, MAX_OBJECTS)


def _walk(get, count: int, outer: Matrix, depth: int) -> Iterator[tuple[int, Matrix]]:
    buffer = raw.FS_MATRIX()
    where = ctypes.addressof(buffer)
    for index in range(count):
        handle = get(index)
        if not handle:
            continue
        matrix = outer
        if pdfium.object_matrix(handle, where):
            own = (buffer.a, buffer.b, buffer.c, buffer.d, buffer.e, buffer.f)
            matrix = pdfium.multiplied(own, outer)
        if pdfium.object_type(handle) == raw.FPDF_PAGEOBJ_FORM:
            if depth < MAX_DEPTH:
                inner = pdfium.form_object_count(handle)
                yield from _walk(lambda i, form=handle: pdfium.form_object(form, i), inner, matrix, depth + 1)
        else:
            yield handle, matrix


def rulings_of(segments: np.ndarray) -> Rulings:
    """Rulings from segments [N, 4] (x0, y0, x1, y1 in any order): slanted and short ones left out, pieces joined."""
    low = np.minimum(segments[:, :2], segments[:, 2:])
    high = np.maximum(segments[:, :2], segments[:, 2:])
    size, middle = high - low, (low + high) / 2
    flat = (size[:, 1] <= MAX_THICKNESS) & (size[:, 0] > size[:, 1])
    steep = (size[:, 0] <= MAX_THICKNESS) & (size[:, 1] > size[:, 0])
    horizontal = np.column_stack([middle[flat, 1], low[flat, 0], high[flat, 0]])
    vertical = np.column_stack([middle[steep, 0], low[steep, 1], high[steep, 1]])
    return Rulings(_joined(horizontal), _joined(vertical))


def picture_rulings(picture: np.ndarray, scale: float, text_height: float = 0.0) -> Rulings:
    """Rulings of a picture (grey or BGR, uint8), found by morphological opening with long thin kernels.

    `scale`: pixels per point. `text_height`: usual height of the lines of text, in points. The result is in points of
    the picture's own frame.
    """
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) if picture.ndim == 3 else picture
    ink = cv2.adaptiveThreshold(255 - grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 15, -8)
    length = max(3, round(MIN_LENGTH * scale))
    # Long strokes of large type look like short rules: a vertical one must outgrow a line of text.
    across = _strokes(ink, (max(length, grey.shape[1] // 25), 1), scale)
    text = round(OUTGROWN * text_height * scale)
    down = _strokes(ink, (1, max(length, text, round(min(grey.shape[0] / 10, 13 * scale)))), scale)
    horizontal = np.array([(y + h / 2, x, x + w) for x, y, w, h in across], dtype=float).reshape(-1, 3) / scale
    vertical = np.array([(x + w / 2, y, y + h) for x, y, w, h in down], dtype=float).reshape(-1, 3) / scale
    return Rulings(_joined(horizontal), _joined(vertical))


def _strokes(ink: np.ndarray, kernel: tuple[int, int], scale: float) -> list[tuple[int, int, int, int]]:
    width, height = kernel
    lines = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((height, width), np.uint8))
    bridge = max(3, round(JOIN_GAP * scale)) | 1
    lines = cv2.dilate(lines, np.ones((1, bridge) if width > 1 else (bridge, 1), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(lines, connectivity=8)
    thick = max(4.0, 2 * MAX_THICKNESS * scale)
    found = []
    for x, y, w, h in stats[1:count, :4].tolist():
        if width > 1 and h <= thick:
            found.append((x + bridge // 2, y, max(1, w - 2 * (bridge // 2)), h))
        elif height > 1 and w <= thick:
            found.append((x, y + bridge // 2, w, max(1, h - 2 * (bridge // 2))))
    return found


def _draw_mode(handle: int) -> tuple[bool, bool]:
    """Whether the path is filled and stroked with a colour that shows on paper."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.path_draw_mode(handle, ctypes.addressof(fill), ctypes.addressof(stroke))
    return (
        bool(fill.value) and _shows(handle, pdfium.fill_color),
        bool(stroke.value) and _shows(handle, pdfium.stroke_color),
    )


def _shows(handle: int, read) -> bool:
    channels = (ctypes.c_uint * 4)()
    base = ctypes.addressof(channels)
    if not read(handle, base, base + 4, base + 8, base + 12):
        return True
    red, green, blue, alpha = channels
    return alpha > 0 and min(red, green, blue) < WHITE


def _subpaths(handle: int, count: int, matrix: Matrix) -> list[list[tuple[float, float]]]:
    """The straight runs of a path in displayed points; a Bézier curve ends a run."""
    x, y = ctypes.c_float(), ctypes.c_float()
    at_x, at_y = ctypes.addressof(x), ctypes.addressof(y)
    runs: list[list[tuple[float, float]]] = []
    run: list[tuple[float, float]] = []
    for index in range(count):
        segment = pdfium.path_segment(handle, index)
        pdfium.segment_point(segment, at_x, at_y)
        point = pdfium.applied(matrix, x.value, y.value)
        kind = pdfium.segment_type(segment)
        if kind == raw.FPDF_SEGMENT_LINETO:
            run.append(point)
        else:
            runs.append(run)
            run = [point]
        if run and kind != raw.FPDF_SEGMENT_BEZIERTO and pdfium.segment_close(segment):
            run.append(run[0])
    runs.append(run)
    return [r for r in runs if len(r) > 1]


def _is_thin(points: list[tuple[float, float]]) -> bool:
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return min(max(xs) - min(xs), max(ys) - min(ys)) <= MAX_THICKNESS


def _joined(lines: np.ndarray) -> np.ndarray:
    """Pieces on one line joined where they touch or nearly do; what stays short is left out."""
    open_runs: list[list[float]] = []
    for position, start, end in lines[np.lexsort((lines[:, 1], np.round(lines[:, 0], 1)))].tolist():
        for run in reversed(open_runs[-4:]):
            if abs(run[0] - position) <= JOIN_OFFSET and start <= run[2] + JOIN_GAP and end >= run[1] - JOIN_GAP:
                run[1], run[2] = min(run[1], start), max(run[2], end)
                break
        else:
            open_runs.append([position, start, end])
    kept = sorted(run for run in open_runs if run[2] - run[1] >= MIN_LENGTH)
    return np.array(kept, dtype=float).reshape(-1, 3)


def _clipped(lines: np.ndarray, low: float, high: float, start: float, end: float) -> np.ndarray:
    chosen = lines[(lines[:, 0] >= low) & (lines[:, 0] <= high) & (lines[:, 2] > start) & (lines[:, 1] < end)].copy()
    chosen[:, 1], chosen[:, 2] = np.maximum(chosen[:, 1], start), np.minimum(chosen[:, 2], end)
    return chosen
