"""Pieces of a page's picture: the crop under a quad, upright boxes of quads, model input planes."""

from __future__ import annotations

import math

import cv2
import numpy as np

from kb_pipeline.records import Box

TALL = 1.5
"""Height over width from which a line's crop is taken for a line on its side (PaddleOCR's value)."""

IMAGENET_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
IMAGENET_STD = np.array([0.229, 0.224, 0.225], np.float32)


def crop_quad(picture: np.ndarray, quad: np.ndarray) -> np.ndarray:
    """The picture under a quad, straightened.

    Args:
        picture: [H, W, 3] uint8.
        quad: [4, 2] pixels, top left, top right, bottom right, bottom left.

    Returns:
        [h, w, 3] uint8 with the quad's longer sides as w and h, at least 1 x 1.
    """
    quad = np.asarray(quad, np.float32)
    width = max(int(max(np.linalg.norm(quad[0] - quad[1]), np.linalg.norm(quad[2] - quad[3]))), 1)
    height = max(int(max(np.linalg.norm(quad[0] - quad[3]), np.linalg.norm(quad[1] - quad[2]))), 1)
    (x0, top), (x1, bottom) = quad[0].tolist(), quad[2].tolist()
    upright = quad[1].tolist() == [x1, top] and quad[3].tolist() == [x0, bottom] and x0 < x1 and top < bottom
    if upright and np.array_equal(quad, np.trunc(quad)) and min(x0, top) >= 0:
        part = picture[int(top) : int(bottom), int(x0) : int(x1)]
        if part.shape[:2] == (height, width):  # on whole pixels there is nothing to straighten
            return part
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    # Only the neighbourhood is warped: the offset keeps the arithmetic in small numbers on huge pictures.
    x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int) - 2, 0)
    x1, y1 = np.ceil(quad.max(0)).astype(int) + 3
    part = picture[y0:y1, x0:x1]
    if part.size == 0:
        return np.full((height, width, 3), 255, np.uint8)
    warp = cv2.getPerspectiveTransform(quad - np.array([x0, y0], np.float32), target)
    return cv2.warpPerspective(part, warp, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def shrunk(picture: np.ndarray, width: int, height: int) -> np.ndarray:
    """The picture at a smaller size, each pixel the mean of what it stands for; large ones are halved first.

    Halving is a tenth of the cost of other factors, and means of means are the same to a grey level.
    """
    while picture.shape[1] >= 2 * width and picture.shape[0] >= 2 * height:
        size = (picture.shape[1] // 2, picture.shape[0] // 2)
        picture = cv2.resize(picture[: 2 * size[1], : 2 * size[0]], size, interpolation=cv2.INTER_AREA)
    if picture.shape[:2] == (height, width):
        return picture
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)


def is_tall(crop: np.ndarray) -> bool:
    """True for crops that hold a single narrow character or a line on its side."""
    return crop.shape[0] >= TALL * crop.shape[1]


def crop_box(picture: np.ndarray, box: Box, margin: int = 0) -> tuple[np.ndarray, int, int]:
    """The picture under an upright box widened by `margin`, clipped to the picture, and the crop's left and top.

    All in pixels. The crop is a view; it may be empty where the box lies outside of the picture.
    """
    height, width = picture.shape[:2]
    x0 = min(max(math.floor(box[0]) - margin, 0), width)
    y0 = min(max(math.floor(box[1]) - margin, 0), height)
    x1 = min(max(math.ceil(box[2]) + margin, x0), width)
    y1 = min(max(math.ceil(box[3]) + margin, y0), height)
    return picture[y0:y1, x0:x1], x0, y0


def padded_crop(picture: np.ndarray, box: Box, margin: int) -> tuple[np.ndarray, int, int]:
    """The same with all of its margin: where the picture ends before it, paper is added, of the crop's median colour.

    The crop's left and top are below 0 where paper was added there.
    """
    crop, left, top = crop_box(picture, box, margin)
    x0, y0 = math.floor(box[0]) - margin, math.floor(box[1]) - margin
    x1, y1 = math.ceil(box[2]) + margin, math.ceil(box[3]) + margin
    missing = (max(0, top - y0), max(0, y1 - top - crop.shape[0]), max(0, left - x0), max(0, x1 - left - crop.shape[1]))
    if crop.size == 0 or max(missing) == 0 or max(missing) > margin + 1:
        return crop, left, top
    paper = [float(v) for v in np.atleast_1d(np.median(crop, axis=(0, 1)))]
    return cv2.copyMakeBorder(crop, *missing, cv2.BORDER_CONSTANT, value=paper), left - missing[2], top - missing[0]


def imagenet_planes(picture: np.ndarray, width: int, height: int) -> np.ndarray:
    """[1, 3, height, width] float32: resized to that very size, ImageNet mean and deviation, channels as given."""
    scaled = cv2.resize(picture, (width, height)).astype(np.float32) * np.float32(1 / 255)
    return np.ascontiguousarray(((scaled - IMAGENET_MEAN) / IMAGENET_STD).transpose(2, 0, 1)[None])
