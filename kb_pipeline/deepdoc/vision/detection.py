"""Text line detection: PP-OCR's differentiable binarisation net and its post-processing.

Liao et al., Real-time Scene Text Detection with Differentiable Binarization (2020). Values are RapidOCR's for the
PP-OCRv6 nets, with room for more candidates. Pages too large for one look are read in tiles whose probability maps are
put together before any box is cut, so that no line is split or found twice at a seam.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
import pyclipper

from kb_pipeline.deepdoc.vision.crops import imagenet_planes
from kb_pipeline.weights.manifest import DEEPDOC, in_use
from kb_pipeline.weights.sessions import outputs, session

STRIDE = 32  # the net's inputs are multiples of it, in pixels
BINARISE = 0.3  # probability from which a pixel belongs to text
MIN_SCORE = 0.5  # mean probability inside a box
UNCLIP = 1.6  # boxes grow by area * UNCLIP / perimeter: the net is trained on shrunk lines
MAX_CANDIDATES = 3000  # contours looked at on one page (a dense page has 500 lines)
MIN_CONTOUR = 3  # pixels of the map, shorter side before growing
MIN_BOX = 5  # pixels of the map, shorter side after growing
MIN_SIDE = 3  # pixels of the picture
SAME_ROW = 10  # pixels of the picture: tops that differ by less are read left to right

# When to look again, larger and in tiles: heights are those of grown boxes in the pixels that the net saw.
SMALL_LINE = 13.0  # a grown box of a line of 10 px type is about 13 px high; below it characters get lost
SMALL_LINE_WHOLE = 18.0  # the same for pictures that were seen whole: another look at them costs little
WANTED_LINE = 24.0  # height that the second look aims at
COARSE = 0.3  # share of the picture's resolution below which even a page without lines deserves a second look
LARGEST_SCALE = 3.0  # pictures of low resolution are enlarged up to here
OVERLAP = 64  # pixels of the map that neighbouring tiles share; half of it at each side is thrown away
MIN_CONTRAST = 32  # grey levels between the darkest and the lightest pixel of anything printed
MAX_TILES = 48  # bound on the time of one page

ORIGINAL_SIDE, DEEPDOC_UNCLIP = 960, 1.5  # with which InfiniFlow/deepdoc runs its det.onnx


def detect_lines(
    picture: np.ndarray, side: int = 1280, variant: str = "small", look_again: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Lines of text on a picture.

    Args:
        picture: [H, W, 3] uint8, BGR.
        side: longest side in pixels of what the net sees in one look.
        variant: `small` or `tiny` weights; a dropped-in det.onnx goes before both, with one look of its own size.
        look_again: look larger and in tiles where print is small or nothing was found on a large picture.

    Returns:
        Quads [N, 4, 2] float32 in pixels of the picture (top left, top right, bottom right, bottom left) from top to
        bottom, and scores [N] float32.
    """
    height, width = picture.shape[:2]
    if in_use("detection", variant) == DEEPDOC:
        return _sorted(*_boxes(_deepdoc_probabilities(picture), width, height, DEEPDOC_UNCLIP, dilate=False))
    scale = min(1.0, side / max(height, width))
    quads, scores = _boxes(_probabilities(picture, scale, variant), width, height)
    wanted = _second_scale(picture, quads, scale) if look_again else scale
    if wanted > scale:
        quads, scores = _boxes(_tiled(picture, wanted, side, variant), width, height)
    return _sorted(quads, scores)


def _second_scale(picture: np.ndarray, quads: np.ndarray, scale: float) -> float:
    """The scale of a second look, or the same scale where one look is enough."""
    if len(quads) == 0:
        return 2 * COARSE if scale < COARSE and _holds_print(picture[::7, ::7]) else scale
    across = np.linalg.norm(quads[:, 0] - quads[:, 1], axis=1)
    down = np.linalg.norm(quads[:, 0] - quads[:, 3], axis=1)
    seen = float(np.median(np.minimum(across, down))) * scale
    enough = SMALL_LINE if scale < 1 else SMALL_LINE_WHOLE
    return scale if seen >= enough else min(LARGEST_SCALE, scale * max(WANTED_LINE / max(seen, 1.0), 1.25))


def _holds_print(picture: np.ndarray) -> bool:
    return int(picture.max()) - int(picture.min()) >= MIN_CONTRAST


def _rounded(length: float) -> int:
    return max(round(int(length) / STRIDE) * STRIDE, STRIDE)


def _probabilities(picture: np.ndarray, scale: float, variant: str) -> np.ndarray:
    """[h, w] float32 in 0…1, the picture scaled and rounded to the net's stride."""
    height, width = picture.shape[:2]
    scaled = cv2.resize(picture, (_rounded(width * scale), _rounded(height * scale))).astype(np.float32)
    planes = (scaled * np.float32(1 / 255) - np.float32(0.5)) / np.float32(0.5)
    planes = np.ascontiguousarray(planes.transpose(2, 0, 1)[None])
    return outputs(session("detection", variant), planes)[0][0, 0]


def _deepdoc_probabilities(picture: np.ndarray) -> np.ndarray:
    """[h, w] by a dropped-in det.onnx: one look, red first, ImageNet statistics."""
    height, width = picture.shape[:2]
    scale = min(1.0, ORIGINAL_SIDE / max(height, width))
    planes = imagenet_planes(picture[:, :, ::-1], _rounded(width * scale), _rounded(height * scale))
    return outputs(session("detection", DEEPDOC), planes)[0][0, 0]


def _tiled(picture: np.ndarray, scale: float, side: int, variant: str) -> np.ndarray:
    """The probability map of the whole picture at `scale`, looked at in overlapping tiles of `side` pixels."""
    height, width = picture.shape[:2]
    tile = max(side // STRIDE * STRIDE, 4 * STRIDE)
    step = tile - OVERLAP
    count = math.ceil(width * scale / step) * math.ceil(height * scale / step)
    if count > MAX_TILES:
        scale *= math.sqrt(MAX_TILES / count)
    size = (_rounded(width * scale), _rounded(height * scale))
    scaled = cv2.resize(picture, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    rows, columns = scaled.shape[:2]
    whole = np.zeros((rows, columns), np.float32)
    trim = OVERLAP // 2
    for top in _starts(rows, tile, step):
        for left in _starts(columns, tile, step):
            part = scaled[top : top + tile, left : left + tile]
            if not _holds_print(part):
                continue
            seen = _probabilities(part, 1.0, variant)
            a, b = (0 if top == 0 else trim), (0 if left == 0 else trim)
            whole[top + a : top + seen.shape[0], left + b : left + seen.shape[1]] = seen[a:, b:]
    return whole


def _starts(length: int, tile: int, step: int) -> list[int]:
    """Starts of tiles that cover `length`; the last one ends with it. All multiples of the stride."""
    if length <= tile:
        return [0]
    return [*range(0, length - tile, step), length - tile]


def _boxes(
    probabilities: np.ndarray, width: int, height: int, unclip: float = UNCLIP, dilate: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Quads in pixels of the `width` x `height` picture, and their mean probabilities."""
    rows, columns = probabilities.shape
    mask = (probabilities > BINARISE).astype(np.uint8)
    mask = cv2.dilate(mask, np.ones((2, 2), np.uint8)) if dilate else mask
    contours, _ = cv2.findContours(mask * 255, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    factors = np.array([width / columns, height / rows], np.float32)
    largest = np.array([width, height], np.float32)
    found, scores = [], []
    for contour in contours[:MAX_CANDIDATES]:
        core, shorter = _least_rectangle(contour)
        if shorter < MIN_CONTOUR:
            continue
        score = _mean_inside(probabilities, core)
        if score < MIN_SCORE:
            continue
        grown = _grown(core, unclip)
        if grown is None:
            continue
        quad, shorter = _least_rectangle(grown)
        if shorter < MIN_BOX:
            continue
        quad = np.trunc(np.clip(np.round(quad * factors), 0, largest))
        quad = np.minimum(_clockwise(quad), largest - 1)
        across, down = np.linalg.norm(quad[0] - quad[1]), np.linalg.norm(quad[0] - quad[3])
        if int(across) <= MIN_SIDE or int(down) <= MIN_SIDE:
            continue
        found.append(quad)
        scores.append(score)
    return np.array(found, np.float32).reshape(-1, 4, 2), np.array(scores, np.float32)


def _least_rectangle(contour: np.ndarray) -> tuple[np.ndarray, float]:
    """Corners [4, 2] clockwise from the upper left, and shorter side, of the rectangle of minimum area."""
    rectangle = cv2.minAreaRect(contour)
    return _clockwise(cv2.boxPoints(rectangle)), min(rectangle[1])


def _clockwise(corners: np.ndarray) -> np.ndarray:
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    top_left, bottom_left = by_x[:2][np.argsort(by_x[:2, 1], kind="stable")]
    top_right, bottom_right = by_x[2:][np.argsort(by_x[2:, 1], kind="stable")]
    return np.array([top_left, top_right, bottom_right, bottom_left], np.float32)


def _mean_inside(probabilities: np.ndarray, quad: np.ndarray) -> float:
    rows, columns = probabilities.shape
    x0, x1 = np.clip([np.floor(quad[:, 0].min()), np.ceil(quad[:, 0].max())], 0, columns - 1).astype(int)
    y0, y1 = np.clip([np.floor(quad[:, 1].min()), np.ceil(quad[:, 1].max())], 0, rows - 1).astype(int)
    mask = np.zeros((y1 - y0 + 1, x1 - x0 + 1), np.uint8)
    cv2.fillPoly(mask, [(quad - [x0, y0]).astype(np.int32)], (1,))
    return cv2.mean(probabilities[y0 : y1 + 1, x0 : x1 + 1], mask)[0]


def _grown(quad: np.ndarray, unclip: float) -> np.ndarray | None:
    """The quad's outline moved outwards by area * unclip / perimeter, [M, 1, 2]; None for a quad without extent."""
    perimeter = cv2.arcLength(quad, True)
    if perimeter == 0:
        return None
    # pyclipper's names come out of a compiled module without stubs
    offset = pyclipper.PyclipperOffset()  # pyright: ignore[reportAttributeAccessIssue]
    joints, ends = pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON  # pyright: ignore[reportAttributeAccessIssue]
    offset.AddPath(quad.tolist(), joints, ends)
    outlines = offset.Execute(abs(cv2.contourArea(quad)) * unclip / perimeter)
    return np.array(outlines[0]).reshape(-1, 1, 2) if outlines else None


def _sorted(quads: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Top to bottom, and left to right among quads whose tops are close."""
    if len(quads) == 0:
        return quads, scores
    by_top = np.argsort(quads[:, 0, 1], kind="stable")
    tops = quads[by_top, 0, 1]
    row = np.concatenate([[0], np.cumsum(np.diff(tops) >= SAME_ROW)])
    order = by_top[np.lexsort((quads[by_top, 0, 0], row))]
    return quads[order], scores[order]
