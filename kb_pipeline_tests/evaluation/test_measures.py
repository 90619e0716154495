from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.evaluation.measures import cover, intersection_over_union, mean_reciprocal_rank, ndcg_at, recall_at

numbers = st.integers(0, 12)
boxes = st.tuples(numbers, numbers, numbers, numbers)
places = st.lists(st.tuples(st.integers(1, 2), boxes), max_size=5)


def test_ranks() -> None:
    ranks = [1, 3, 0, 11]
    assert recall_at(ranks, 1) == 0.25
    assert recall_at(ranks, 10) == 0.5
    assert mean_reciprocal_rank(ranks, 10) == pytest.approx((1 + 1 / 3) / 4)
    assert ndcg_at(ranks, 10) == pytest.approx((1 + 0.5) / 4)
    assert recall_at([], 5) == ndcg_at([], 5) == 0


def test_boxes_on_pages() -> None:
    true = [(1, (0, 0, 10, 10))]
    assert cover([(1, (0, 0, 10, 5)), (1, (0, 0, 10, 5))], true) == 0.5
    assert cover([(2, (0, 0, 10, 10))], true) == 0
    assert cover([(1, (0, 0, 10, 20))], true) == 1
    assert intersection_over_union([(1, (0, 0, 10, 20))], true) == 0.5
    assert cover([], true) == cover(true, []) == intersection_over_union([], []) == 0


def cells(found) -> set[tuple[int, int, int]]:
    return {(p, x, y) for p, (x0, y0, x1, y1) in found for x in range(x0, x1) for y in range(y0, y1)}


@given(places, places)
def test_areas_are_those_of_counted_squares(shown, true) -> None:
    a, b = cells(shown), cells(true)
    assert cover(shown, true) == pytest.approx(len(a & b) / len(b) if b else 0)
    assert intersection_over_union(shown, true) == pytest.approx(len(a & b) / len(a | b) if a | b else 0)
