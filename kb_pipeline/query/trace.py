"""A page's picture with the cited places marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np

from kb_pipeline.errors import PageFailed
from kb_pipeline.records import Box

FILL = (60, 220, 255)  # BGR: yellow
OUTLINE = (0, 110, 240)  # BGR: orange
OPACITY = 0.35
MARGIN = 0.15  # of a box's height is added around it, so that the outline does not touch the text
MAX_MARGIN = 3.0  # points
GAP = 12  # pixels between the pages of one picture
GAP_SHADE = 128


def trace_page(picture: bytes, page_size: tuple[float, float], boxes: Iterable[Box]) -> bytes:
    """PNG of a page with boxes marked.

    Args:
        picture: JPEG or PNG of the displayed page.
        page_size: width and height of the displayed page in points.
        boxes: `(x0, top, x1, bottom)` in points of the displayed page, origin top left.

    Raises:
        PageFailed: the picture cannot be read.
    """
    return _png(_marked(picture, page_size, list(boxes)))


def trace_pages(pages: Sequence[tuple[bytes, tuple[float, float], Sequence[Box]]]) -> bytes:
    """PNG of several pages, one below the other; arguments of `trace_page` a page.

    Raises:
        PageFailed: a picture cannot be read.
    """
    images = [_marked(picture, size, boxes) for picture, size, boxes in pages]
    width = max(image.shape[1] for image in images)
    height = sum(image.shape[0] for image in images) + GAP * (len(images) - 1)
    sheet = np.full((height, width, 3), GAP_SHADE, np.uint8)
    top = 0
    for image in images:
        sheet[top : top + image.shape[0], : image.shape[1]] = image
        top += image.shape[0] + GAP
    return _png(sheet)


def _marked(picture: bytes, page_size: tuple[float, float], boxes: Sequence[Box]) -> np.ndarray:
    image = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR) if picture else None
    if image is None:
        raise PageFailed("the kept picture of the page cannot be read", remedy="ingest the document again")
    height, width = image.shape[:2]
    scale = (width / page_size[0], height / page_size[1])
    shapes = [_pixels(box, scale, (width, height)) for box in boxes]
    filled = image.copy()
    for first, last in shapes:
        cv2.rectangle(filled, first, last, FILL, cv2.FILLED)
    # multiplied, not mixed, so that black text stays black under the mark
    marked = cv2.addWeighted(image, 1 - OPACITY, cv2.min(image, filled), OPACITY, 0)
    thickness = max(1, round(min(width, height) / 500))
    for first, last in shapes:
        cv2.rectangle(marked, first, last, OUTLINE, thickness)
    return marked


def _pixels(box: Box, scale: tuple[float, float], size: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    x0, top, x1, bottom = box
    margin = min(MAX_MARGIN, MARGIN * abs(bottom - top))

    def pixel(x: float, y: float) -> tuple[int, int]:
        return (
            min(max(round(x * scale[0]), 0), size[0] - 1),
            min(max(round(y * scale[1]), 0), size[1] - 1),
        )

    return pixel(x0 - margin, top - margin), pixel(x1 + margin, bottom + margin)


def _png(image: np.ndarray) -> bytes:
    done, data = cv2.imencode(".png", image)
    if not done:
        raise PageFailed("the marked page cannot be written as PNG")
    return data.tobytes()
