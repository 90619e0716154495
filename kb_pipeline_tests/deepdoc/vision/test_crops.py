import cv2
import numpy as np
import pytest

from kb_pipeline.deepdoc.vision.crops import crop_quad, shrunk

PICTURE = cv2.GaussianBlur(np.random.default_rng(3).integers(0, 256, (120, 200, 3), dtype=np.uint8), (0, 0), 4)


def quad(x0: float, top: float, x1: float, bottom: float) -> np.ndarray:
    return np.array([[x0, top], [x1, top], [x1, bottom], [x0, bottom]], np.float32)


def test_an_upright_crop_is_the_picture_itself():
    assert np.array_equal(crop_quad(PICTURE, quad(10, 20, 90, 50)), PICTURE[20:50, 10:90])


def test_a_crop_between_pixels_is_straightened_to_its_size():
    assert crop_quad(PICTURE, quad(10.5, 20, 90.5, 50)).shape == (30, 80, 3)


def test_a_crop_beyond_the_picture_keeps_its_size():
    crop = crop_quad(PICTURE, quad(150, 100, 230, 130))
    assert crop.shape == (30, 80, 3)
    assert np.array_equal(crop[:20, :50], PICTURE[100:120, 150:200])


def test_a_turned_crop_reads_along_its_first_side():
    turned = np.roll(quad(10, 20, 90, 50), 1, axis=0)  # starts at the lower left, so its first side runs up
    crop = crop_quad(PICTURE, turned)
    assert crop.shape == (80, 30, 3)
    assert np.abs(crop[2:-2, 2:-2].astype(int) - np.rot90(PICTURE[20:50, 10:90], -1)[2:-2, 2:-2]).max() <= 6


@pytest.mark.parametrize(("width", "height"), [(100, 60), (99, 61), (40, 20), (37, 22), (200, 120)])
def test_shrinking_keeps_the_mean_of_what_a_pixel_stands_for(width: int, height: int):
    once = cv2.resize(PICTURE, (width, height), interpolation=cv2.INTER_AREA)
    small = shrunk(PICTURE, width, height)
    assert small.shape == (height, width, 3)
    assert np.abs(small.astype(int) - once).max() <= 4
