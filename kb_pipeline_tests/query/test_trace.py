from __future__ import annotations

import cv2
import numpy as np
import pytest

from kb_pipeline.errors import PageFailed
from kb_pipeline.query.trace import trace_page, trace_pages

SIZE = (300.0, 400.0)  # points; the picture has two pixels a point


def page(kind: str = ".png") -> bytes:
    image = np.full((800, 600, 3), 255, np.uint8)
    image[200:210, 100:500] = 0  # a line of "text" at 100…105 points
    return cv2.imencode(kind, image)[1].tobytes()


def pixels(png: bytes) -> np.ndarray:
    assert png.startswith(b"\x89PNG")
    return cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)


@pytest.mark.parametrize("kind", [".png", ".jpg"])
def test_the_place_is_marked_and_nothing_else(kind: str) -> None:
    before, after = pixels(page()), pixels(trace_page(page(kind), SIZE, [(50.0, 90.0, 250.0, 110.0)]))
    assert after.shape == before.shape
    changed = np.abs(after.astype(int) - before.astype(int)).sum(axis=2) > 60
    rows, columns = np.nonzero(changed)
    assert (columns.min(), columns.max()) == (pytest.approx(100, abs=8), pytest.approx(500, abs=8))
    assert (rows.min(), rows.max()) == (pytest.approx(180, abs=8), pytest.approx(220, abs=8))
    assert not np.array_equal(after[190, 300], [255, 255, 255])  # filled


def test_text_under_the_mark_stays_readable() -> None:
    after = pixels(trace_page(page(), SIZE, [(50.0, 90.0, 250.0, 110.0)]))
    assert after[205, 300].max() < 40
    assert after[190, 300].max() > 200


@pytest.mark.parametrize("box", [(-50.0, -50.0, 900.0, 900.0), (299.0, 399.0, 300.0, 400.0), (10.0, 10.0, 10.0, 10.0)])
def test_boxes_at_and_beyond_the_edge(box: tuple[float, float, float, float]) -> None:
    after = pixels(trace_page(page(), SIZE, [box]))
    assert after.shape == (800, 600, 3)
    assert not np.array_equal(after, pixels(page()))


def test_several_pages_stand_below_each_other() -> None:
    small = cv2.imencode(".png", np.full((100, 80, 3), 255, np.uint8))[1].tobytes()
    after = pixels(trace_pages([(page(), SIZE, []), (small, (80.0, 100.0), [(10.0, 10.0, 30.0, 20.0)])]))
    assert after.shape[1] == 600
    assert after.shape[0] >= 900
    assert not np.array_equal(after[-85, 20], [255, 255, 255])


def test_the_same_input_gives_the_same_bytes() -> None:
    boxes = [(50.0, 90.0, 250.0, 110.0)]
    assert trace_page(page(), SIZE, boxes) == trace_page(page(), SIZE, boxes)


@pytest.mark.parametrize("data", [b"", b"no picture"])
def test_a_damaged_picture_is_named(data: bytes) -> None:
    with pytest.raises(PageFailed):
        trace_page(data, SIZE, [])
