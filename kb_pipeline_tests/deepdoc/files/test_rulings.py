from __future__ import annotations

import cv2
import numpy as np
import pytest

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.files.rulings import Rulings, picture_rulings
from kb_pipeline_tests.pdf_bytes import document, page, stream


def drawn(content: bytes, **options: object) -> Rulings:
    with PdfFile(document(page(content, media=(0, 0, 400, 300), **options)), "lines.pdf") as file:
        return file.rulings(1)


def rows(lines: np.ndarray) -> list[list[float]]:
    return [[round(v, 2) for v in line] for line in lines.tolist()]


def test_stroked_lines_and_the_edges_of_stroked_rectangles():
    found = drawn(b"50 250 m 350 250 l S 100 100 200 50 re S")
    assert rows(found.horizontal) == [[50, 50, 350], [150, 100, 300], [200, 100, 300]]
    assert rows(found.vertical) == [[100, 150, 200], [300, 150, 200]]


def test_thin_filled_rectangles_are_lines_and_thick_ones_are_not():
    found = drawn(b"50 200 300 0.5 re f 50 100 300 20 re f")
    assert rows(found.horizontal) == [[99.75, 50, 350]]
    assert rows(found.vertical) == []


@pytest.mark.parametrize(
    "content",
    [
        b"1 g 50 200 300 0.5 re f",
        b"1 1 1 RG 50 200 m 350 200 l S",
        b"50 200 m 350 200 l n",
        b"50 200 m 350 240 l S",
        b"50 200 m 55 200 l S",
        b"50 200 m 100 250 200 250 300 200 c S",
    ],
    ids=["white fill", "white stroke", "not painted", "slanted", "short", "curve"],
)
def test_what_is_no_line(content: bytes):
    found = drawn(content)
    assert rows(found.horizontal) == rows(found.vertical) == []


def test_a_rule_drawn_cell_by_cell_is_one_line():
    assert rows(drawn(b"50 200 m 120 200 l S 121 200 m 200 200 l S 200 200 m 300 200 l S").horizontal) == [
        [100, 50, 300]
    ]


def test_lines_in_nested_forms_and_under_matrices_are_in_place():
    inner = stream(b"0 0 m 50 0 l S", b"/Type /XObject /Subtype /Form /BBox [0 -5 50 5] /Matrix [1 0 0 1 10 10]")
    outer = stream(
        b"2 0 0 2 0 0 cm /I Do",
        b"/Type /XObject /Subtype /Form /BBox [-500 -500 500 500] /Resources << /XObject << /I {I} 0 R >> >>",
    )
    found = drawn(b"q 1 0 0 1 100 100 cm /O Do Q", resources=b"/XObject << /O {O} 0 R >>",
                  objects={"I": inner, "O": outer})  # fmt: skip
    assert rows(found.horizontal) == [[300 - 120, 120, 220]]


def test_the_picture_says_the_same_as_the_paths():
    content = b"1 w " + b"".join(b"60 %d m 340 %d l S " % (y, y) for y in (80, 140, 200))
    content += b"".join(b"%d 80 m %d 200 l S " % (x, x) for x in (60, 150, 340))
    with PdfFile(document(page(content, media=(0, 0, 400, 300))), "grid.pdf") as file:
        paths, pixels = file.rulings(1), picture_rulings(file.render(1, 3.0), 3.0)
    for one, other in ((paths.horizontal, pixels.horizontal), (paths.vertical, pixels.vertical)):
        assert len(one) == len(other) == 3
        assert np.abs(one - other).max() < 1.5


def test_text_in_a_picture_is_no_ruling():
    picture = np.full((600, 900), 255, np.uint8)
    for row in range(6):
        cv2.putText(picture, "Illinois till HHH 1111", (20, 80 + 80 * row), cv2.FONT_HERSHEY_SIMPLEX, 1.6, 0, 3)
    found = picture_rulings(picture, 3.0)
    assert len(found.horizontal) == len(found.vertical) == 0


def test_inside_clips_to_the_box():
    found = drawn(b"50 250 m 350 250 l S 50 100 m 350 100 l S 200 20 m 200 280 l S").inside((100, 30, 300, 150))
    assert rows(found.horizontal) == [[50, 98, 302]]
    assert rows(found.vertical) == [[200, 28, 152]]
