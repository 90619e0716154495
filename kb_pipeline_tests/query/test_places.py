"""Places in words."""

from __future__ import annotations

import pytest

from kb_pipeline.query.places import in_words
from kb_pipeline.records import CellLocator, ElementLocator, LineLocator, PageLocator, ParagraphLocator, SlideLocator
from kb_pipeline.tables.ranges import cell_range, range_around

BOX = (0.0, 0.0, 1.0, 1.0)


def cells(*names):
    return [CellLocator("品位", name) for name in names]


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([PageLocator(2, BOX, (9.0, 9.0)), PageLocator(2, BOX, (9.0, 9.0)), PageLocator(3, BOX, (9.0, 9.0))],
         "page 2, page 3"),
        (cells("B3"), "品位!B3"),
        (cells("A1", "B1", "C1", "A2", "B2", "C2", "A9", "B9"), "品位!A1:C2, A9:B9"),
        ([LineLocator(5, 5)], "line 5"),
        ([LineLocator(1, 1), LineLocator(3, 4), LineLocator(5, 7)], "lines 1, 3-7"),
        ([LineLocator(5, 5, range="C5")], "line 5, cell C5"),
        ([ParagraphLocator(4, 4, ("水文", "涌水量"))], "paragraph 4 (水文 > 涌水量)"),
        ([ParagraphLocator(9, 9, (), range="A1"), ParagraphLocator(10, 11, (), range="B1")],
         "paragraphs 9-11, cells A1, B1"),
        ([SlideLocator(3, BOX, (9.0, 9.0))], "slide 3"),
        ([ElementLocator("/html/body/p[2]")], "/html/body/p[2]"),
    ],
)  # fmt: skip
def test_in_words(places, words):
    assert in_words(places) == words


def test_cell_ranges():
    assert cell_range("AA10:AB12") == (10, 27, 12, 28)
    assert cell_range("AA10:AB12").name == "AA10:AB12"
    assert cell_range("Sheet1") is None
    assert range_around("B2", "D1:D4", "A3") == "A1:D4"
    assert range_around("B2", "") == ""
