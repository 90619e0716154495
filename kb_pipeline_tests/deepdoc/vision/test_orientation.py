import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.deepdoc.vision.orientation import orientation, skew, turn_picture, turn_points
from kb_pipeline_tests.deepdoc.vision_pages import blank, write


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_pages_say_how_they_stand(degrees):
    picture = blank(900, 1200)
    for k in range(20):
        write(picture, "ordinary sentences of plain text", 60, 80 + 55 * k)
    assert orientation(turn_picture(picture, degrees))[0] == degrees


@given(st.sampled_from([0, 90, 180, 270]), st.floats(0, 30), st.floats(0, 20))
def test_points_turn_with_the_picture_and_back(degrees, x, y):
    point = np.array([x, y])
    size = (30.0, 20.0) if degrees % 180 == 0 else (20.0, 30.0)
    there = turn_points(point, degrees, 30, 20)
    assert np.allclose(turn_points(there, 360 - degrees, *size), point)


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_pixel_is_where_its_point_says(degrees):
    picture = np.zeros((20, 30, 3), np.uint8)
    picture[3, 7] = 255
    row, column = np.argwhere(turn_picture(picture, degrees)[:, :, 0])[0]
    x, y = turn_points(np.array([7.5, 3.5]), degrees, 30, 20)
    assert (int(x), int(y)) == (column, row)


def test_skew_is_that_of_the_long_lines():
    leaning = np.array([[[0, 0], [100, 5], [100, 15], [0, 10]]] * 3 + [[[0, 0], [10, 0], [10, 10], [0, 10]]], float)
    assert skew(leaning) == pytest.approx(2.86, abs=0.01)
    assert skew(np.zeros((0, 4, 2))) == 0
