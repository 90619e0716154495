"""Tiny ONNX files with the inputs and outputs of DeepDOC's own, whose answers are known.

What they answer depends on the pixels they are given, so that a wrong size, padding or channel order shows:
`detection` calls places without red text; `recognition` writes one dictionary entry where red is missing and another
where blue is; the layout and table nets take each box's score from one pixel of their input.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RED_MEAN, RED_STD = 0.485, 0.229  # ImageNet


class Probe(NamedTuple):
    """A box in pixels of the net's input, its class, and the input's pixel (channel, x, y) that is its score."""

    box: tuple[float, float, float, float]
    number: int
    channel: int
    x: int
    y: int


def detection(path: Path) -> None:
    """`x [N, 3, H, W]` to probabilities `[N, 1, H, W]`: near 1 where the first channel is dark."""
    weight = np.zeros((1, 3, 1, 1), np.float32)
    weight[0, 0] = -20 * RED_STD
    bias = np.array([20 * (0.5 - RED_MEAN)], np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "weight", "bias"], ["dark"]),
        helper.make_node("Sigmoid", ["dark"], ["probabilities"]),
    ]
    _save(path, nodes, {"x": ["N", 3, "H", "W"]}, {"probabilities": ["N", 1, "H", "W"]}, weight=weight, bias=bias)


def recognition(path: Path, classes: int, without_red: int, without_blue: int) -> None:
    """`x [N, 3, 48, W]` to `[N, W / 8, classes]`: one class where the first channel is dark, one where the last is.

    It looks at the middle rows alone, since detected boxes are grown beyond the ink.
    """
    weight = np.zeros((classes, 3, 48, 8), np.float32)
    weight[without_red, 0, 20:28] = weight[without_blue, 2, 20:28] = -1 / (8 * 8)
    bias = np.full(classes, -1.0, np.float32)
    bias[0], bias[without_red], bias[without_blue] = 0.2, 0.0, 0.0
    nodes = [
        helper.make_node("Conv", ["x", "weight", "bias"], ["seen"], strides=[48, 8]),
        helper.make_node("Squeeze", ["seen", "axis"], ["steps"]),
        helper.make_node("Transpose", ["steps"], ["raw"], perm=[0, 2, 1]),
        helper.make_node("Clip", ["raw", "zero", "one"], ["scores"]),
    ]
    _save(
        path, nodes, {"x": ["N", 3, 48, "W"]}, {"scores": ["N", "T", classes]}, weight=weight, bias=bias,
        axis=np.array([2], np.int64), zero=np.float32(0), one=np.float32(1),
    )  # fmt: skip


def yolo_v10(path: Path, side: tuple[int, int], probes: Sequence[Probe]) -> None:
    """`images [1, 3, H, W]` to rows (x0, top, x1, bottom, score, class) `[1, N, 6]`; `side` is width and height."""
    boxes = np.array([[p.box for p in probes]], np.float32)
    numbers = np.array([[[p.number] for p in probes]], np.float32)
    nodes = [*_scores([1, -1, 1]), helper.make_node("Concat", ["boxes", "scores", "numbers"], ["rows"], axis=2)]
    _save(
        path, nodes, {"images": [1, 3, side[1], side[0]]}, {"rows": [1, len(probes), 6]},
        boxes=boxes, numbers=numbers, **_pixels(probes, [1, -1, 1]),
    )  # fmt: skip


def yolo_v8(path: Path, side: tuple[int, int], classes: int, probes: Sequence[Probe]) -> None:
    """`images [1, 3, H, W]` to columns (centre x, centre y, width, height, scores) `[1, 4 + classes, N]`."""
    corners = np.array([p.box for p in probes], np.float32)
    centred = np.concatenate([(corners[:, :2] + corners[:, 2:]) / 2, corners[:, 2:] - corners[:, :2]], 1).T[None]
    one_hot = np.zeros((1, classes, len(probes)), np.float32)
    one_hot[0, [p.number for p in probes], np.arange(len(probes))] = 1
    nodes = [
        *_scores([1, 1, -1]),
        helper.make_node("Mul", ["one_hot", "scores"], ["by_class"]),
        helper.make_node("Concat", ["centred", "by_class"], ["columns"], axis=1),
    ]
    _save(
        path, nodes, {"images": [1, 3, side[1], side[0]]}, {"columns": [1, 4 + classes, len(probes)]},
        centred=centred.astype(np.float32), one_hot=one_hot, **_pixels(probes, [1, 1, -1]),
    )  # fmt: skip


def paddle(path: Path, probes: Sequence[Probe]) -> None:
    """`image`, `scale_factor`, `im_shape` to rows (class, score, x0, top, x1, bottom) in pixels of the picture."""
    boxes = np.array([p.box for p in probes], np.float32)
    numbers = np.array([[p.number] for p in probes], np.float32)
    nodes = [
        *_scores([-1, 1], "image"),
        helper.make_node("Gather", ["scale_factor", "swap"], ["factors"], axis=1),
        helper.make_node("Div", ["boxes", "factors"], ["places"]),
        helper.make_node("Concat", ["numbers", "scores", "places"], ["rows"], axis=1),
    ]
    inputs = {"im_shape": [1, 2], "image": [1, 3, 800, 608], "scale_factor": [1, 2]}
    _save(
        path, nodes, inputs, {"rows": [len(probes), 6]}, boxes=boxes, numbers=numbers,
        swap=np.array([1, 0, 1, 0], np.int64), **_pixels(probes, [-1, 1]),
    )  # fmt: skip


def _scores(shape: Sequence[int], image: str = "images") -> list[onnx.NodeProto]:
    return [
        helper.make_node("GatherND", [image, "pixels"], ["picked"]),
        helper.make_node("Reshape", ["picked", "shape"], ["scores"]),
    ]


def _pixels(probes: Sequence[Probe], shape: Sequence[int]) -> dict[str, np.ndarray]:
    pixels = np.array([[0, p.channel, p.y, p.x] for p in probes], np.int64)
    return {"pixels": pixels, "shape": np.array(shape, np.int64)}


def _save(path: Path, nodes: list, inputs: dict, outputs: dict, **constants: np.ndarray) -> None:
    graph = helper.make_graph(
        nodes,
        "stand-in",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
