"""A picture over the whole page took the page number in, and a number that no region covers had no role at all."""

from kb_pipeline.deepdoc.page.region_rules import settled
from kb_pipeline.deepdoc.page.regions import assign_lines
from kb_pipeline.records import Region, TextLine

GROUND = Region("figure", (0, 0, 600, 800), 0.9)
WORDS = TextLine("words in the middle", (100, 400, 300, 415), "ocr", size=12)
NUMBER = TextLine("一一五", (280, 770, 320, 784), "ocr", size=12)


def test_the_footer_that_the_model_saw_stays():
    footer = Region("footer", (290, 772, 310, 782), 0.65)
    assert footer in settled([GROUND, footer], [WORDS], 600, 800)


def test_a_page_number_without_a_region_becomes_a_footer():
    for regions in ([], [GROUND]):
        found = settled(regions, [WORDS, NUMBER], 600, 800)
        assert found[assign_lines([WORDS, NUMBER], found)[1]] == Region("footer", NUMBER.box)


def test_a_wide_line_belongs_to_the_tight_region_in_it():
    tight = Region("header", (20, 20, 51, 36), 0.9)
    assert assign_lines([TextLine("156", (11, 11, 57, 44), "ocr")], [tight]) == [0]
    assert assign_lines([TextLine("a watermark across the page", (0, 0, 500, 700), "text layer")], [tight]) == [-1]
