"""Layout regions: PicoDet trained on CDLA (Chinese papers; good on English ones), and which boxes to believe."""

from __future__ import annotations

import msgspec
import numpy as np

from kb_pipeline.deepdoc.files import geometry
from kb_pipeline.deepdoc.vision.crops import imagenet_planes
from kb_pipeline.records import Region, Role
from kb_pipeline.weights.sessions import metadata_lines, outputs, session

WIDTH, HEIGHT = 608, 800  # pixels, the net's fixed input
STRIDES = (8, 16, 32, 64)  # pixels of the input between the anchor points of each level
BINS = 8  # steps of the distribution over the distance from a point to a side, in strides
SAME_CLASS = 0.5  # intersection over union from which two boxes of one role are one
ACROSS_CLASSES = 0.6  # intersection over the smaller area from which the weaker box of another role goes
MAX_BOXES = 200

MIN_ROLE_SCORES = {"reference": 0.8, "header": 0.5, "footer": 0.5}
"""Scores that a role needs beyond the general threshold: wrong ones would take running text away."""


def detect_regions(picture: np.ndarray, threshold: float = 0.4, raw: bool = False) -> list[Region]:
    """The model's boxes in pixels of the picture, by role; one place may have boxes of several roles.

    Args:
        picture: [H, W, 3] uint8, BGR.
        threshold: minimum score; some roles need more (`MIN_ROLE_SCORES`).
        raw: without what some roles need more (for benchmarks).
    """
    net = session("layout")
    roles = msgspec.convert([label.replace("_", " ") for label in metadata_lines(net) or []], list[Role])
    boxes, scores = _candidates(outputs(net, imagenet_planes(picture, WIDTH, HEIGHT)), threshold)
    factors = np.array([picture.shape[1] / WIDTH, picture.shape[0] / HEIGHT] * 2)
    regions = []
    for k, role in enumerate(roles):
        strong = np.flatnonzero(scores[:, k] > max(threshold, 0 if raw else MIN_ROLE_SCORES.get(role, 0)))
        for i in strong[_strongest(boxes[strong], scores[strong, k])]:
            box = np.clip(boxes[i], 0, [WIDTH, HEIGHT, WIDTH, HEIGHT]) * factors
            regions.append(Region(role, geometry.as_box(box), float(scores[i, k])))
    return regions


def without_overlaps(regions: list[Region]) -> list[Region]:
    """The regions by falling score, without those that share ACROSS_CLASSES of the smaller's area with a stronger."""
    kept: list[Region] = []
    for region in sorted(regions, key=lambda r: (-r.score, r.box, r.role)):
        if all(geometry.overlap_of_smaller(region.box, other.box) < ACROSS_CLASSES for other in kept):
            kept.append(region)
    return kept


def _candidates(found: list[np.ndarray], threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """Boxes [N, 4] in pixels of the input and scores [N, roles], of the points where some role passes the threshold.

    The net gives, level by level, scores [1, points, roles] and then side distributions [1, points, 4 * BINS]
    (generalized focal loss, Li et al. 2020): a side's distance is the expectation of its distribution.
    """
    levels = len(STRIDES)
    boxes, scores = [], []
    for stride, score, sides in zip(STRIDES, found[:levels], found[levels:], strict=True):
        score, sides = score[0], sides[0]
        strong = np.flatnonzero(score.max(1) > threshold)
        weights = np.exp(sides[strong].reshape(-1, 4, BINS))
        distances = (weights * np.arange(BINS)).sum(-1) / weights.sum(-1) * stride
        columns = -(-WIDTH // stride)
        centres = np.stack([(strong % columns + 0.5) * stride, (strong // columns + 0.5) * stride], 1)
        boxes.append(np.concatenate([centres - distances[:, :2], centres + distances[:, 2:]], 1))
        scores.append(score[strong])
    return np.concatenate(boxes), np.concatenate(scores)


def _strongest(boxes: np.ndarray, scores: np.ndarray) -> list[int]:
    """Non-maximum suppression: indexes by falling score whose overlap with a stronger one stays small."""
    order = np.argsort(-scores, kind="stable")[:MAX_BOXES]
    areas = np.clip(boxes[:, 2] - boxes[:, 0], 0, None) * np.clip(boxes[:, 3] - boxes[:, 1], 0, None)
    kept: list[int] = []
    while len(order):
        first, order = int(order[0]), order[1:]
        kept.append(first)
        wide = np.minimum(boxes[order, 2], boxes[first, 2]) - np.maximum(boxes[order, 0], boxes[first, 0])
        high = np.minimum(boxes[order, 3], boxes[first, 3]) - np.maximum(boxes[order, 1], boxes[first, 1])
        both = np.clip(wide, 0, None) * np.clip(high, 0, None)
        order = order[both / (areas[order] + areas[first] - both + 1e-5) <= SAME_CLASS]
    return kept
