"""Figures of merit: of ranks in a result list, and of marked boxes against true ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from math import log2

from kb_pipeline.records import Box

Places = Collection[tuple[int, Box]]
"""Boxes, each with its page (from 1), in points of the displayed page."""


def recall_at(ranks: Sequence[int], k: int) -> float:
    """Share of questions whose evidence is among the first `k`. Ranks count from 1; 0 stands for not found."""
    return _mean([float(0 < rank <= k) for rank in ranks])


def mean_reciprocal_rank(ranks: Sequence[int], k: int) -> float:
    """Mean of 1 / rank, 0 beyond `k`."""
    return _mean([1 / rank if 0 < rank <= k else 0.0 for rank in ranks])


def ndcg_at(ranks: Sequence[int], k: int) -> float:
    """Normalised discounted cumulative gain with one piece of evidence per question (Järvelin and Kekäläinen 2002):
    mean of 1 / log2(1 + rank), 0 beyond `k`."""
    return _mean([1 / log2(1 + rank) if 0 < rank <= k else 0.0 for rank in ranks])


def cover(shown: Places, true: Places) -> float:
    """Share of the true boxes' area that the shown boxes cover, in 0…1; 0 without true area."""
    area = _area(true)
    return _common(shown, true) / area if area else 0.0


def intersection_over_union(shown: Places, true: Places) -> float:
    """Area that shown and true boxes have in common over the area of both, in 0…1."""
    both = _area([*shown, *true])
    return _common(shown, true) / both if both else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _common(a: Places, b: Places) -> float:
    return _area(
        [
            (page, (max(p[0], q[0]), max(p[1], q[1]), min(p[2], q[2]), min(p[3], q[3])))
            for page, p in a
            for other, q in b
            if page == other
        ]
    )


def _area(places: Places) -> float:
    """Area of the union of boxes, page by page; overlaps count once, boxes turned inside out not at all."""
    return sum(_union([box for other, box in places if other == page]) for page in {page for page, _ in places})


def _union(boxes: Sequence[Box]) -> float:
    boxes = [box for box in boxes if box[2] > box[0] and box[3] > box[1]]
    edges = sorted({x for box in boxes for x in (box[0], box[2])})
    area = 0.0
    for left, right in pairwise(edges):
        spans = sorted((box[1], box[3]) for box in boxes if box[0] <= left and right <= box[2])
        height, reach = 0.0, float("-inf")
        for top, bottom in spans:
            height += max(0.0, bottom - max(top, reach))
            reach = max(reach, bottom)
        area += (right - left) * height
    return area
