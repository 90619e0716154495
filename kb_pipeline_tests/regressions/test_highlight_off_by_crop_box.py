"""Boxes are off by the CropBox offset, or turned away, on cropped and rotated pages.

Character boxes came from the MediaBox frame while the page was drawn from the CropBox; on landscape pages a box could
even end above its own top.
"""

from __future__ import annotations

import numpy as np
import pytest

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.lines import page_lines
from kb_pipeline_tests.pdf_bytes import document, page, text


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (100, 200, 500, 800), (-50, -50, 700, 900)])
def test_the_ink_lies_in_the_box_of_the_line(rotate: int, crop: tuple | None):
    with PdfFile(document(page(text("Evidence", 150, 600, size=20), crop=crop, rotate=rotate)), "crop.pdf") as file:
        (line,) = page_lines(file.characters(1)).lines
        x0, top, x1, bottom = line.box
        assert x0 < x1
        assert top < bottom
        rows, columns = np.nonzero(file.render(1, 4.0)[:, :, 0] < 128)
        ink = (columns.min() / 4, rows.min() / 4, (columns.max() + 1) / 4, (rows.max() + 1) / 4)
        assert x0 - 0.25 <= ink[0] <= ink[2] <= x1 + 0.25
        assert top - 0.25 <= ink[1] <= ink[3] <= bottom + 0.25
        # The box is no larger than the type: 20 points and what its descenders need.
        assert sorted((x1 - x0, bottom - top))[0] < 25
        assert ink[2] - ink[0] + 3 > x1 - x0 or ink[3] - ink[1] + 3 > bottom - top
