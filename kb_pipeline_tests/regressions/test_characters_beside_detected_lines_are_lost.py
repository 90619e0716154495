"""Characters that fitted no detected line went to a list that nothing ever read.

A line that the detector overlooked, type far larger than its detected box and a full stop outside of it all have to
come out.
"""

from __future__ import annotations

from kb_pipeline.deepdoc.files.geometry import box_quad
from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.lines import page_lines
from kb_pipeline_tests.pdf_bytes import document, page, text


def test_everything_on_the_page_comes_out():
    content = (
        text("D", 72, 660, size=60) + text("etected line", 130, 700) + text(".", 191.5, 700)
        + text("overlooked by the detector", 72, 500) + text("7", 560, 30, size=8)
    )  # fmt: skip
    with PdfFile(document(page(content)), "lost.pdf") as file:
        characters = file.characters(1)
        found = page_lines(characters, [box_quad((128, 128, 190, 146))])
    assert sorted(line.text for line in found.lines) == ["7", "D", "etected line.", "overlooked by the detector"]
    assert sum(len(line.text.replace(" ", "")) for line in found.lines) == characters.total
