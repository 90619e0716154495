"""A page of 200 by 200 inches, or one with a broken MediaBox, was rendered at full resolution until memory ran out."""

from __future__ import annotations

import tracemalloc

import pytest

from kb_pipeline.deepdoc.files.pdf import PdfFile, render_scale
from kb_pipeline_tests.pdf_bytes import document, page, text


@pytest.mark.parametrize("side", [14_400, 2**31])
def test_the_picture_is_bounded_before_it_is_allocated(side: int):
    tracemalloc.start()
    with PdfFile(document(page(text("poster", 100, 100, size=side / 50), media=(0, 0, side, side))), "big.pdf") as file:
        picture = file.render(1, render_scale(*file.size(1), 216, 2_000_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert picture.shape[0] * picture.shape[1] <= 2_000_000
    assert (picture < 128).any() or side == 2**31  # PDFium draws nothing at such coordinates, and must not crash
    assert peak < 20_000_000
