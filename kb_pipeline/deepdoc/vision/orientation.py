"""Which way up a page or a table stands, and how far its lines lean."""

from __future__ import annotations

import cv2
import numpy as np

from kb_pipeline.deepdoc.vision.crops import imagenet_planes, shrunk
from kb_pipeline.weights.sessions import metadata_lines, outputs, session

SHORT_SIDE = 256  # pixels, to which the picture is scaled
CENTRE = 224  # pixels, the middle that the net sees
MIN_LENGTH = 4.0  # width over height of a line that says something about skew

_TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


def orientation(picture: np.ndarray) -> tuple[int, float]:
    """Degrees clockwise (0, 90, 180, 270) by which the content of a BGR picture stands turned, and the net's score."""
    height, width = picture.shape[:2]
    ratio = SHORT_SIDE / min(height, width)
    rows, columns = max(round(height * ratio), CENTRE), max(round(width * ratio), CENTRE)
    # Averaging first keeps the cost of the fine filter small on large pages.
    if min(height, width) > 4 * SHORT_SIDE:
        picture = shrunk(picture, columns * 2, rows * 2)
    scaled = cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_LANCZOS4)
    top, left = (rows - CENTRE) // 2, (columns - CENTRE) // 2
    middle = scaled[top : top + CENTRE, left : left + CENTRE]
    net = session("orientation")
    scores = outputs(net, imagenet_planes(middle, CENTRE, CENTRE))[0][0]
    labels = metadata_lines(net) or ["0", "90", "180", "270"]
    return int(labels[int(scores.argmax())]), float(scores.max())


def turn_picture(picture: np.ndarray, degrees: int) -> np.ndarray:
    """The picture turned clockwise by 0, 90, 180 or 270 degrees."""
    return picture if degrees % 360 == 0 else cv2.rotate(picture, _TURNS[degrees % 360])


def turn_points(points: np.ndarray, degrees: int, width: float, height: float) -> np.ndarray:
    """Points [..., 2] of a `width` x `height` frame, in the frame turned clockwise by 0, 90, 180 or 270 degrees."""
    x, y = points[..., 0], points[..., 1]
    turned = {0: (x, y), 90: (height - y, x), 180: (width - x, height - y), 270: (y, width - x)}[degrees % 360]
    return np.stack(turned, -1)


def skew(quads: np.ndarray) -> float:
    """Degrees by which long lines lean, clockwise positive; 0 where there is none. `quads`: [N, 4, 2]."""
    if len(quads) == 0:
        return 0.0
    across, down = quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]
    long = np.linalg.norm(across, axis=1) > MIN_LENGTH * np.linalg.norm(down, axis=1)
    return float(np.median(np.degrees(np.arctan2(across[long, 1], across[long, 0])))) if long.any() else 0.0
