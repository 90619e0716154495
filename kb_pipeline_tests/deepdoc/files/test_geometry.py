from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.deepdoc.files import geometry as g

SIDE = st.floats(0, 1000, allow_nan=False).map(lambda v: round(v, 3))
BOX = st.tuples(SIDE, SIDE, SIDE, SIDE).map(
    lambda b: (min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3]))
)
TURN = st.sampled_from([0, 90, 180, 270])


@given(BOX, BOX)
def test_overlaps_are_symmetric_and_bounded(a: tuple, b: tuple):
    assert g.overlap_area(a, b) == g.overlap_area(b, a)
    assert 0 <= g.iou(a, b) <= 1 + 1e-9
    assert 0 <= g.overlap_share(a, b) <= g.overlap_of_smaller(a, b) + 1e-9 <= 1 + 2e-9
    assert g.overlap_area(a, b) <= min(g.area(a), g.area(b)) * (1 + 1e-9)


@given(BOX, BOX)
def test_the_union_holds_both(a: tuple, b: tuple):
    whole = g.union([a, b])
    for box in (a, b):
        assert whole[0] <= box[0] and whole[1] <= box[1] and whole[2] >= box[2] and whole[3] >= box[3]
    if g.area(a):
        assert g.overlap_share(a, whole) == pytest.approx(1)
        assert g.iou(a, a) == pytest.approx(1)


@given(st.lists(BOX, min_size=1, max_size=5), st.lists(BOX, min_size=1, max_size=5))
def test_matrices_agree_with_the_scalars(a: list, b: list):
    overlaps = g.overlap_matrix(np.array(a), np.array(b))
    for i, one in enumerate(a):
        assert g.areas(np.array(a))[i] == pytest.approx(g.area(one))
        for j, other in enumerate(b):
            assert overlaps[i, j] == pytest.approx(g.overlap_area(one, other))


def test_pages_change_sides_when_they_lie_down():
    assert [g.turned_size(100, 200, degrees) for degrees in (0, 90, 180, 270)] == [(100, 200), (200, 100)] * 2


@given(st.lists(st.tuples(BOX, TURN), min_size=1, max_size=6))
def test_the_reading_frame_has_a_way_back(rows: list):
    boxes, turn = np.array([b for b, _ in rows]), np.array([t for _, t in rows])
    u, v = g.reading_frame(boxes, turn)
    assert (u[:, 0] <= u[:, 1]).all()
    assert (v[:, 0] <= v[:, 1]).all()
    assert np.allclose(g.page_frame(u, v, turn), boxes)


@given(BOX)
def test_clipping_keeps_to_the_page(box: tuple):
    x0, top, x1, bottom = g.clip(box, 300, 400)
    assert 0 <= x0 <= x1 <= 300
    assert 0 <= top <= bottom <= 400
    if box[2] <= 300 and box[3] <= 400:
        assert (x0, top, x1, bottom) == box


def test_coverage_counts_places_once():
    assert g.coverage([], 100, 100) == 0
    assert g.coverage([(0, 0, 100, 50), (0, 0, 100, 50)], 100, 100) == pytest.approx(0.5, abs=0.01)
    assert g.coverage([(-500, -500, 900, 900)], 100, 100) == 1.0
    assert g.coverage([(200, 0, 300, 100)], 100, 100) == 0.0
    assert g.coverage([(0, 0, 1, 1)], 0, 0) == 0.0


def test_quads_and_boxes():
    assert g.quad_box(((1, 5), (9, 2), (10, 6), (2, 8))) == (1, 2, 10, 8)
    assert g.quad_box(g.box_quad((1, 2, 3, 4))) == (1, 2, 3, 4)
