"""Boxes of glyphs from PDFium, in the displayed frame and mended where fonts say nonsense about themselves."""

from __future__ import annotations

import ctypes
import unicodedata

import numpy as np

from kb_pipeline.deepdoc.files import pdfium
from kb_pipeline.deepdoc.files.geometry import page_frame, reading_frame

# Heights that a loose box may have, in type sizes, and what replaces those that have another: above, below baseline.
LOOSE_HEIGHT = (0.5, 1.5)
ASCENT = 0.88
DESCENT = 0.22
# The ink of a glyph higher than this (type sizes) is a broken outline; less than this in points is no outline.
MAX_INK = 3.0
MIN_EXTENT = 0.02
# Neighbours whose boxes overlap by this share of the size have wrong widths; the ink with this margin replaces them.
WRONG_OVERLAP = 0.2
INK_MARGIN = 0.05
MIN_ADVANCE = 0.44  # a "1" has the width of the other digits
LAM = "\u0644"


def glyph_boxes(text_page: int, rows: list[int], count: int, display: pdfium.Matrix) -> tuple[np.ndarray, np.ndarray]:
    """Loose and tight boxes [count, 4] in displayed points; zeros for what is no glyph."""
    loose, tight = np.zeros((count, 4), dtype=np.float32), np.zeros((count, 4))
    page, one_loose, one_tight = ctypes.c_void_p(text_page), (ctypes.c_float * 4)(), (ctypes.c_double * 4)()
    at_loose = ctypes.c_void_p(ctypes.addressof(one_loose))
    at = [ctypes.c_void_p(ctypes.addressof(one_tight) + 8 * k) for k in range(4)]
    read_loose, read_tight = pdfium.each_loose_box, pdfium.each_tight_box
    # left, top, right, bottom, and left, right, bottom, top; a failed call gives 0 and no box
    boxes = [bytes(one_loose) if read_loose(page, i, at_loose) else bytes(16) for i in rows]
    loose[rows] = np.frombuffer(b"".join(boxes), np.float32).reshape(-1, 4)
    boxes = [bytes(one_tight) if read_tight(page, i, *at) else bytes(32) for i in rows]
    tight[rows] = np.frombuffer(b"".join(boxes)).reshape(-1, 4)
    return (
        _displayed(loose[:, 0], loose[:, 1], loose[:, 2], loose[:, 3], display),
        _displayed(tight[:, 0], tight[:, 3], tight[:, 1], tight[:, 2], display),
    )


def _displayed(x0: np.ndarray, y0: np.ndarray, x1: np.ndarray, y1: np.ndarray, matrix: pdfium.Matrix) -> np.ndarray:
    a, b, c, d, e, f = matrix
    x0, y0, x1, y1 = (v.astype(float) for v in (x0, y0, x1, y1))
    across = np.stack([a * x0 + c * y0 + e, a * x1 + c * y1 + e])
    down = np.stack([b * x0 + d * y0 + f, b * x1 + d * y1 + f])
    return np.column_stack([across.min(axis=0), down.min(axis=0), across.max(axis=0), down.max(axis=0)])


def mended_boxes(
    text_page: int,
    rows: np.ndarray,
    loose: np.ndarray,
    tight: np.ndarray,
    size: np.ndarray,
    angle: np.ndarray,
    font: np.ndarray,
    display: pdfium.Matrix,
) -> tuple[np.ndarray, np.ndarray]:
    """Boxes without the nonsense of broken fonts: absurd heights, wrong advance widths, glyphs without an outline."""
    tight = tight.copy()
    inked = ((tight[:, 2:] - tight[:, :2]) >= MIN_EXTENT).all(axis=1)
    u, v = reading_frame(loose, angle)
    height = v[:, 1] - v[:, 0]
    for k in np.flatnonzero((height > LOOSE_HEIGHT[1] * size) | (height < LOOSE_HEIGHT[0] * size)).tolist():
        base = _baseline(text_page, int(rows[k]), int(angle[k]), display)
        v[k] = base - ASCENT * size[k], base + DESCENT * size[k]
    tight_u, tight_v = reading_frame(tight, angle)
    inked &= (tight_v[:, 1] - tight_v[:, 0]) <= MAX_INK * size
    wrong = _wrong_widths(u, v, size, angle, font) & inked
    middle = tight_u.mean(axis=1)
    half = np.maximum((tight_u[:, 1] - tight_u[:, 0]) / 2 + INK_MARGIN * size, MIN_ADVANCE / 2 * size)
    u[wrong] = np.column_stack([middle - half, middle + half])[wrong]
    loose = page_frame(u, v, angle)
    tight[~inked] = loose[~inked]
    return loose, tight


def _baseline(text_page: int, index: int, angle: int, display: pdfium.Matrix) -> float:
    """Position of a character's baseline across its reading direction."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.char_origin(text_page, index, ctypes.addressof(x), ctypes.addressof(y))
    across, down = pdfium.applied(display, x.value, y.value)
    return {0: down, 90: -across, 180: -down, 270: across}[angle]


def _wrong_widths(u: np.ndarray, v: np.ndarray, size: np.ndarray, angle: np.ndarray, font: np.ndarray) -> np.ndarray:
    """[N] bool: characters of fonts whose advance widths contradict where the next characters stand.

    Some writers leave out the widths (every glyph one em wide) and pull the letters together by character spacing.
    """
    wrong = np.zeros(len(u), dtype=bool)
    if len(u) < 2:
        return wrong
    step = (u[1:].mean(axis=1) - u[:-1].mean(axis=1)) / np.maximum(size[:-1], 1e-6)
    beside = (np.abs(v[1:].mean(axis=1) - v[:-1].mean(axis=1)) < 0.3 * size[:-1]) & (step > 0) & (step < 2)
    beside &= (angle[1:] == angle[:-1]) & (font[1:] == font[:-1])
    overlaps = beside & (u[:-1, 1] - u[1:, 0] > WRONG_OVERLAP * size[:-1])
    _, code = np.unique(font.astype(str), return_inverse=True)
    pairs = np.bincount(code[:-1], weights=beside)
    return (np.bincount(code[:-1], weights=overlaps, minlength=len(pairs)) > 0.5 * np.maximum(pairs, 1))[
        np.minimum(code, len(pairs) - 1)
    ]


def share_boxes(texts: np.ndarray, loose: np.ndarray, tight: np.ndarray, angle: np.ndarray, owner: np.ndarray) -> None:
    """The pieces of a ligature come with the box of the whole: each gets its share, in reading order."""
    same = (loose[1:] == loose[:-1]).all(axis=1) & (tight[1:] == tight[:-1]).all(axis=1) & (owner[1:] == owner[:-1])
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    for start, end in edges.reshape(-1, 2).tolist():
        pieces = end - start + 1
        # Right-to-left pieces come in reverse, except those of PDFium's own table: lam before alef.
        mirrored = texts[start][0] == LAM and unicodedata.bidirectional(texts[start + 1][0]) == "AL"
        backwards = (angle[start] in (180, 270)) != mirrored
        axis = 0 if angle[start] % 180 == 0 else 1
        for boxes in (loose, tight):
            low, high = float(boxes[start, axis]), float(boxes[start, axis + 2])
            steps = np.linspace(low, high, pieces + 1)
            for k in range(pieces):
                place = pieces - 1 - k if backwards else k
                boxes[start + k, axis], boxes[start + k, axis + 2] = steps[place], steps[place + 1]
