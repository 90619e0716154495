"""The lines of a caption between rules were a table of their own, and its words went into cells."""

from kb_pipeline.deepdoc.page.region_rules import settled
from kb_pipeline.records import Region, TextLine

BOX = (50.0, 100.0, 350.0, 150.0)
WORDS = ["Table 3", "Recoveries and relative standard deviations of", "what was spiked, by three techniques"]


def lines(words: list[str]) -> list[TextLine]:
    return [TextLine(text, (50, 102 + 15 * k, 340, 114 + 15 * k), "ocr") for k, text in enumerate(words)]


def test_a_table_that_is_only_a_caption_is_one():
    assert [r.role for r in settled([Region("table", BOX, 0.9)], lines(WORDS), 600, 800)] == ["table caption"]


def test_a_table_of_one_column_stays_one():
    assert [r.role for r in settled([Region("table", BOX, 0.9)], lines(WORDS[1:]), 600, 800)] == ["table"]
