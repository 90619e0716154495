"""Fonts without a character map turn 0.30 into 9:;< - and nobody notices, because every code is a printable character.

Such a page must be recognised from its picture. Type 3 fonts lack the map as well but carry the right letters, and
pages of formulas or dot leaders are full of punctuation: they stay as they are.
"""

from __future__ import annotations

import pytest

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.lines import page_lines
from kb_pipeline.deepdoc.page.verdict import page_verdict
from kb_pipeline_tests.pdf_bytes import PageSource, document, hex_text, identity_font, page, stream, text

ROWS = ("0.30 1.25 13.70 42", "0.05 2.10 11.90 77", "0.12 3.45 10.20 18")
PROSE = (
    "Each of the samples was weighed again",
    "after drying and the loss was noted",
    "together with the date and place",
)


def coded(rows: tuple[str, ...]) -> PageSource:
    """Rows in a composite font whose codes count up in order of first use."""
    order = {c: i + 1 for i, c in enumerate(dict.fromkeys("".join(rows)))}
    content = b"".join(
        hex_text("".join(f"{order[c] + 0x38:04X}" for c in row), 72, 700 - 20 * i, font="F9")
        for i, row in enumerate(rows)
    )
    return page(content, fonts={"F9": b"{F9} 0 R"}, objects=identity_font(None, width=600))


def type3(rows: tuple[str, ...]) -> PageSource:
    """The same rows in a Type 3 font with codes that are the letters, but names that say nothing."""
    names = b" ".join(b"/g%d" % code for code in range(32, 127))
    glyphs = b" ".join(b"/g%d {P} 0 R" % code for code in range(32, 127))
    objects = {
        "P": stream(b"500 0 0 0 500 700 d1 0 0 450 700 re f"),
        "T3": b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 32"
        b" /LastChar 126 /Widths [" + b"500 " * 95 + b"] /CharProcs << " + glyphs + b" >> /Resources << >>"
        b" /Encoding << /Type /Encoding /Differences [32 " + names + b"] >> >>",
    }  # fmt: skip
    content = b"".join(text(row, 72, 700 - 20 * i, font="T3") for i, row in enumerate(rows))
    return page(content, fonts={"T3": b"{T3} 0 R"}, objects=objects)


@pytest.mark.parametrize(
    ("source", "label"),
    [
        (coded(ROWS), "garbled"),
        (coded(PROSE), "garbled"),
        (type3(PROSE), "clean"),
        (page(b"".join(text(row, 72, 700 - 20 * i) for i, row in enumerate(ROWS))), "clean"),
        (page(text("f(x) = {a/b} * [c+d] / (e-f)^2 ; |g| <= #1 & $2 @ %3", 72, 700)), "clean"),
        (page(text("Contents ................................ 3", 72, 700)), "clean"),
    ],
    ids=["figures", "prose", "type 3", "plain table", "formulas", "dot leaders"],
)
def test_only_what_does_not_read_is_read_from_the_picture(source: PageSource, label: str):
    with PdfFile(document(source), "fonts.pdf") as file:
        characters = file.characters(1)
        assert page_verdict(characters, file.picture_coverage(1), file.drawing_count(1)).label == label
        found = page_lines(characters)
        assert bool(found.unread) == (label == "garbled")
        assert bool(found.lines) == (label == "clean")
