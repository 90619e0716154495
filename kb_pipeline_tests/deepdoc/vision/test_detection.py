from itertools import pairwise

import numpy as np

from kb_pipeline.deepdoc.vision.crops import crop_quad, is_tall
from kb_pipeline.deepdoc.vision.detection import _starts, detect_lines
from kb_pipeline_tests.deepdoc.vision_pages import blank, write


def boxes_of(quads: np.ndarray) -> np.ndarray:
    return np.concatenate([quads.min(1), quads.max(1)], 1)


def test_every_line_is_found_where_it_stands():
    picture = blank(900, 400)
    for k in range(4):
        write(picture, f"line number {k} of the page", 60, 80 + 90 * k)
    boxes = boxes_of(detect_lines(picture)[0])
    assert len(boxes) == 4
    for k, box in enumerate(boxes):
        ink = np.argwhere(picture[40 + 90 * k : 100 + 90 * k].min(2) < 128) + np.array([40 + 90 * k, 0])
        (top, left), (bottom, right) = ink.min(0), ink.max(0)
        assert box[0] <= left + 3
        assert box[1] <= top + 3
        assert box[2] >= right - 3
        assert box[3] >= bottom - 3
        assert box[1] > top - 20
        assert box[3] < bottom + 20


def test_blank_pictures_hold_no_line():
    quads, scores = detect_lines(blank(600, 800))
    assert quads.shape == (0, 4, 2)
    assert scores.shape == (0,)


def test_small_print_of_a_huge_sheet_is_found_in_tiles():
    picture = blank(2600, 1300)
    places = [(60, 150), (1250, 650), (2100, 1200)]
    for x, y in places:
        write(picture, "small note on a sheet", x, y, height=16)
    boxes = boxes_of(detect_lines(picture, side=640)[0])
    for x, y in places:
        assert any(b[0] < x + 40 and b[2] > x + 180 and b[1] < y - 8 < b[3] for b in boxes), (x, y)


def test_a_line_across_the_seam_of_two_tiles_stays_one():
    picture = blank(2600, 700)
    write(picture, "this one line of small print runs over a seam between two tiles of the sheet", 900, 350, height=16)
    boxes = boxes_of(detect_lines(picture, side=640)[0])
    assert len(boxes) == 1
    columns = np.flatnonzero(picture.min((0, 2)) < 128)
    assert boxes[0][0] <= columns[0] + 4
    assert boxes[0][2] >= columns[-1] - 4


def test_tiles_cover_everything():
    for length in (10, 1280, 1281, 2500, 7001):
        starts = _starts(length, 1280, 1216)
        assert starts[0] == 0
        assert all(b - a <= 1216 for a, b in pairwise(starts))
        assert starts[-1] + 1280 >= length


def test_crops_straighten_and_know_what_stands_tall():
    picture = blank(300, 300)
    picture[100:120, 50:250] = 0
    crop = crop_quad(picture, np.array([[50, 100], [250, 100], [250, 120], [50, 120]]))
    assert crop.shape[:2] == (20, 200)
    assert crop.max() < 10
    assert not is_tall(crop)
    assert is_tall(np.rot90(crop))


def test_a_quad_beside_the_picture_gives_an_empty_crop():
    crop = crop_quad(blank(50, 50), np.array([[100, 100], [140, 100], [140, 110], [100, 110]]))
    assert crop.shape[:2] == (10, 40)
