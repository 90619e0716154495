"""Pictures and pages for the vision tests, drawn by OpenCV and reportlab."""

from __future__ import annotations

import io
from collections.abc import Sequence

import cv2
import numpy as np
from reportlab.pdfgen.canvas import Canvas

PAGE = (420.0, 300.0)  # points
SCALE = 3.0


def blank(width: int, height: int) -> np.ndarray:
    return np.full((height, width, 3), 255, np.uint8)


def write(picture: np.ndarray, text: str, x: int, baseline: int, height: int = 30) -> None:
    """Latin text with capitals of `height` pixels."""
    size = cv2.getFontScaleFromHeight(cv2.FONT_HERSHEY_DUPLEX, height, 1)
    cv2.putText(picture, text, (x, baseline), cv2.FONT_HERSHEY_DUPLEX, size, (0, 0, 0), 2, cv2.LINE_AA)


def page_pdf(lines: Sequence[tuple[str, float, float]], size: float = 12, page: tuple[float, float] = PAGE) -> bytes:
    """A PDF with text at (x, top), points from the upper left."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=page, invariant=1)
    canvas.setFont("Helvetica", size)
    for text, x, top in lines:
        canvas.drawString(x, page[1] - top - size, text)
    canvas.save()
    return buffer.getvalue()


def table_pdf(
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    left: float = 40,
    top: float = 50,
    height: float = 22,
    ruled: bool = True,
    page: tuple[float, float] = PAGE,
    size: float = 11,
) -> bytes:
    """A PDF with one table, ruled or not; every row `height` points high."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=page, invariant=1)
    canvas.setFont("Helvetica", size)
    for r, row in enumerate(rows):
        x = left
        for width, text in zip(widths, row, strict=True):
            if text:
                canvas.drawString(x + 5, page[1] - top - (r + 1) * height + (height - size) / 2 + 1, text)
            x += width
    if ruled:
        right, bottom = left + sum(widths), top + len(rows) * height
        for r in range(len(rows) + 1):
            canvas.line(left, page[1] - top - r * height, right, page[1] - top - r * height)
        x = left
        for width in [*widths, 0]:
            canvas.line(x, page[1] - top, x, page[1] - bottom)
            x += width
    canvas.save()
    return buffer.getvalue()


def scanned(picture: np.ndarray, page: tuple[float, float], rotate: int = 0) -> bytes:
    """A PDF whose only content is that picture over the whole page."""
    from reportlab.lib.utils import ImageReader

    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=page, invariant=1)
    data = cv2.imencode(".png", picture)[1].tobytes()
    canvas.drawImage(ImageReader(io.BytesIO(data)), 0, 0, *page)
    if rotate:
        canvas.setPageRotation(rotate)
    canvas.save()
    return buffer.getvalue()
