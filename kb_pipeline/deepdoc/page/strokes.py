"""How thick the strokes of a line are: what tells bold type where no font is known."""

from __future__ import annotations

import cv2
import numpy as np

from kb_pipeline.records import TextLine

MIN_CONTRAST = 40  # grey levels between ink and ground below which nothing can be measured
INK, GROUND = 2, 95  # percentiles of grey levels that stand for ink and ground, dark type on light paper


def stroke_weight(picture: np.ndarray, line: TextLine, scale: float) -> float:
    """Mean thickness of a line's strokes over its height; 0 where it is not known.

    Twice the inked area over the length of its outline, measured on the grey levels, so that strokes of a pixel or two
    still differ. Only recognised horizontal lines are measured, dark on light.

    Args:
        picture: [H, W, 3] uint8 BGR, upright.
        scale: its pixels per point.
    """
    if line.origin != "ocr" or line.vertical:
        return 0.0
    x0, top, x1, bottom = (max(0, int(v * scale)) for v in line.box)
    patch = picture[top : bottom + 1, x0 : x1 + 1]
    if patch.shape[0] < 2 or patch.shape[1] < 2:
        return 0.0
    grey = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY).astype(np.float32)
    ink, ground = np.percentile(grey, (INK, GROUND))
    if ground - ink < MIN_CONTRAST:
        return 0.0
    inked = np.clip((ground - grey) / (ground - ink), 0, 1)
    outline = np.abs(np.diff(inked, axis=0)).sum() + np.abs(np.diff(inked, axis=1)).sum()
    return float(2 * inked.sum() / max(outline, 1e-6) / patch.shape[0])
