"""The three kinds of detection net that DeepDOC's files have had, told apart by their ONNX signature.

Sizes, thresholds and channel order are those with which InfiniFlow/deepdoc runs them: its YOLO nets see blue first,
its PaddleDetection nets red first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from kb_pipeline.deepdoc.vision.crops import imagenet_planes
from kb_pipeline.errors import ModelMissing
from kb_pipeline.weights.manifest import DEEPDOC, model_for
from kb_pipeline.weights.sessions import outputs, session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

YOLO_V10, YOLO_V8, PADDLE = "YOLOv10", "YOLOv8", "PaddleDetection"

GREY = 114  # level of the bars of a letterbox
V10_SIDE, V8_SIDE = 1024, 640  # pixels, for nets whose input size is left open
V10_SCORE, V10_OVERLAP = 0.08, 0.45  # minimum score; IoU above which the weaker box of a class goes
V8_SCORE, V8_OVERLAP = 0.2, 0.2
PADDLE_SIZE = (608, 800)  # pixels, width and height
PADDLE_SCORE = 0.2

COMPONENTS = ("table", "column", "row", "column header", "projected row header", "spanning cell")
"""What tsr.onnx finds of a table, by class number."""


class Found(NamedTuple):
    """Boxes [N, 4] in pixels of the picture, class numbers [N], scores [N]; by class, then by falling score."""

    boxes: np.ndarray
    classes: np.ndarray
    scores: np.ndarray


def find(role: str, picture: np.ndarray, most_classes: int) -> Found:
    """What the dropped-in net of a role finds on a picture.

    Args:
        role: `layout` or `table`.
        picture: [H, W, 3] uint8, BGR.
        most_classes: how many labels the caller has.

    Raises:
        ModelMissing: the file's signature is none of the three, or it has more classes than labels.
    """
    net = session(role, DEEPDOC)
    look = {YOLO_V10: _yolo_v10, YOLO_V8: _yolo_v8, PADDLE: _paddle}[kind(role, most_classes)]
    found = look(net, picture)
    if len(found.classes) and int(found.classes.max()) >= most_classes:
        raise _unknown(role, f"class {int(found.classes.max())} has no label")
    return found


def kind(role: str, most_classes: int) -> str:
    """Which of the three nets a dropped-in file is.

    Raises:
        ModelMissing: none of them.
    """
    net = session(role, DEEPDOC)
    inputs, outputs = [i.name for i in net.get_inputs()], [o.shape for o in net.get_outputs()]
    if "scale_factor" in inputs:
        return PADDLE
    if len(inputs) == 1 and len(outputs) == 1 and len(outputs[0]) == 3:
        _, rows, columns = outputs[0]
        if columns == 6:
            return YOLO_V10
        if isinstance(rows, int) and 4 < rows <= 4 + most_classes:
            return YOLO_V8
    raise _unknown(role, f"inputs {inputs}, outputs {outputs}")


def _unknown(role: str, what: str) -> ModelMissing:
    name = model_for(role, DEEPDOC).name
    return ModelMissing(
        f"{name} is no net of DeepDOC that is known here: {what}", remedy=f"take {name} out of the models folder"
    )


def _size(net: InferenceSession, otherwise: int) -> tuple[int, int]:
    """Width and height of the net's input."""
    height, width = (side if isinstance(side, int) else otherwise for side in net.get_inputs()[0].shape[2:4])
    return width, height


def _planes(picture: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray((picture.astype(np.float32) / 255).transpose(2, 0, 1)[None])


def _yolo_v10(net: InferenceSession, picture: np.ndarray) -> Found:
    """A letterboxed picture in; rows (x0, top, x1, bottom, score, class) out."""
    width, height = _size(net, V10_SIDE)
    boxed, factors, offset = letterbox(picture, width, height)
    rows = outputs(net, _planes(boxed))[0].reshape(-1, 6)
    rows = rows[rows[:, 4] > V10_SCORE]
    boxes = (rows[:, :4].astype(float) - [*offset, *offset]) * [*factors, *factors]
    return _strongest(Found(boxes, rows[:, 5].astype(int), rows[:, 4].astype(float)), V10_OVERLAP)


def letterbox(
    picture: np.ndarray, width: int, height: int
) -> tuple[np.ndarray, tuple[float, float], tuple[float, float]]:
    """The picture [height, width, 3] scaled to fit, in the middle between grey bars.

    Returns:
        Also the pixels of the picture for one of the result, across and down, and the left and upper bar in pixels of
        the result: `(at - bar) * factor` leads back.
    """
    rows, columns = picture.shape[:2]
    ratio = min(height / rows, width / columns)
    inner = (max(round(columns * ratio), 1), max(round(rows * ratio), 1))
    left, top = (width - inner[0]) / 2, (height - inner[1]) / 2
    scaled = cv2.resize(picture, inner, interpolation=cv2.INTER_LINEAR)
    x, y = round(left - 0.1), round(top - 0.1)
    boxed = np.full((height, width, 3), GREY, np.uint8)
    boxed[y : y + inner[1], x : x + inner[0]] = scaled
    return boxed, (columns / inner[0], rows / inner[1]), (left, top)


def _yolo_v8(net: InferenceSession, picture: np.ndarray) -> Found:
    """A resized picture in; columns (centre x, centre y, width, height, score of each class) out."""
    width, height = _size(net, V8_SIDE)
    resized = cv2.resize(picture, (width, height))
    columns = outputs(net, _planes(resized))[0][0].T.astype(float)
    scores = columns[:, 4:].max(1)
    columns, scores = columns[scores > V8_SCORE], scores[scores > V8_SCORE]
    factors = np.array([picture.shape[1] / width, picture.shape[0] / height] * 2)
    middle, half = columns[:, :2], columns[:, 2:4] / 2
    boxes = np.concatenate([middle - half, middle + half], 1) * factors
    return _strongest(Found(boxes, columns[:, 4:].argmax(1), scores), V8_OVERLAP)


def _paddle(net: InferenceSession, picture: np.ndarray) -> Found:
    """A resized picture and its scale in; rows (class, score, x0, top, x1, bottom) in pixels of the picture out."""
    width, height = PADDLE_SIZE
    rows, columns = picture.shape[:2]
    given = {
        "image": imagenet_planes(picture[:, :, ::-1], width, height),
        "scale_factor": np.array([[height / rows, width / columns]], np.float32),
        "im_shape": np.array([[height, width]], np.float32),
    }
    found = outputs(net, {i.name: given[i.name] for i in net.get_inputs()})[0].reshape(-1, 6)
    found = found[found[:, 1] >= PADDLE_SCORE]
    return Found(found[:, 2:6].astype(float), found[:, 0].astype(int), found[:, 1].astype(float))


def _strongest(found: Found, max_overlap: float) -> Found:
    """Non-maximum suppression within each class."""
    kept: list[int] = []
    for number in np.unique(found.classes):
        own = np.flatnonzero(found.classes == number)
        kept += suppressed(found.boxes, own[np.argsort(-found.scores[own], kind="stable")], max_overlap)
    return Found(found.boxes[kept], found.classes[kept], found.scores[kept])


def suppressed(boxes: np.ndarray, order: Sequence[int] | np.ndarray, max_overlap: float) -> list[int]:
    """Indexes of `order` whose box overlaps none before it by more than `max_overlap` (intersection over union)."""
    order = np.asarray(order, int)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept: list[int] = []
    while len(order):
        first, order = int(order[0]), order[1:]
        kept.append(first)
        low, high = np.maximum(boxes[order, :2], boxes[first, :2]), np.minimum(boxes[order, 2:], boxes[first, 2:])
        both = np.clip(high - low, 0, None).prod(1)
        order = order[both <= max_overlap * (areas[order] + areas[first] - both)]
    return kept
