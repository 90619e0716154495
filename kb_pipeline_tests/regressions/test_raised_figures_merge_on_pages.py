"""10⁵ on a page was read 105, H₂O as H2O, and 50 with note 12 as 5012."""

from __future__ import annotations

import pytest

from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.lines import page_lines, segments
from kb_pipeline_tests.pdf_bytes import document, page

RISE, DROP = 4.0, -1.8  # points off the baseline of type of 12 points


def read(*pieces: tuple[str, float]) -> Characters:
    """A line of pieces, each at its height off the baseline; those off it in type of 8 points."""
    shown = "".join(
        f"/F1 {8 if rise else 12} Tf {rise:g} Ts ({words.replace('(', chr(92) + '(')}) Tj\n" for words, rise in pieces
    )
    with PdfFile(document(page(f"BT 1 0 0 1 72 700 Tm {shown} ET")), "test.pdf") as file:
        return file.characters(1)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([("a pressure of 3 x 10", 0), ("6", RISE), (" Pa was kept", 0)], "a pressure of 3 x 10⁶ Pa was kept"),
        ([("a yield of 10", 0), ("-4", RISE), (" per hour", 0)], "a yield of 10⁻⁴ per hour"),
        ([("an area of 40 m", 0), ("2", RISE), (" of floor", 0)], "an area of 40 m² of floor"),
        ([("some CO", 0), ("2", DROP), (" in the air", 0)], "some CO₂ in the air"),
        ([("the fee is 75", 0), ("31", RISE), (" pounds in all", 0)], "the fee is 75 ³¹ pounds in all"),
        ([("on the 21", 0), ("st", RISE), (" of May", 0)], "on the 21st of May"),
        ([("12", RISE), (" See the annex", 0)], "12 See the annex"),
    ],
)
def test_raised_and_lowered_figures_are_told_apart(pieces, expected):
    characters = read(*pieces)
    line = page_lines(characters).lines[0]
    assert line.text == expected
    assert len(line.edges) == len(line.text) + 1
    assert sum(not c.isspace() for c in line.text) == characters.total


def test_cells_of_tables_keep_them_apart():
    characters = read(("10", 0), ("7", RISE))
    assert [cell.text for cell in segments(characters, (0, 0, 595, 842))] == ["10⁷"]


def test_small_print_behind_a_word_is_none():
    characters = read(("Price ", 0), ("2024 edition of the list", DROP))
    assert page_lines(characters).lines[0].text == "Price 2024 edition of the list"
