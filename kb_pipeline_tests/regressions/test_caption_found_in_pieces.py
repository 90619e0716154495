"""A label far from its title, or a running line in two halves, were two regions; one of them got lost on the way."""

from kb_pipeline.deepdoc.page.region_rules import settled
from kb_pipeline.records import Region, TextLine


def test_a_label_and_its_title_are_one_caption():
    label, title = (60.0, 100.0, 80.0, 110.0), (220.0, 100.0, 330.0, 110.0)
    found = [Region("table caption", label, 0.7), Region("table caption", title, 0.9)]
    lines = [TextLine("表 7", label, "ocr"), TextLine("植株高度及开花数", title, "ocr")]
    assert settled(found, lines, 600, 800) == [Region("table caption", (60, 100, 330, 110), 0.9)]


def test_captions_of_two_tables_side_by_side_stay_two():
    left, right = (60.0, 100.0, 160.0, 110.0), (320.0, 100.0, 430.0, 110.0)
    found = [Region("table caption", left, 0.7), Region("table caption", right, 0.9)]
    lines = [TextLine("表 7 植株高度", left, "ocr"), TextLine("表 8 开花数", right, "ocr")]
    assert len(settled(found, lines, 600, 800)) == 2


def test_the_halves_of_a_line_are_one_footer():
    found = [Region("footer", (60, 770, 200, 780), 0.7), Region("footer", (210, 770, 330, 780), 0.9)]
    line = TextLine("五年级下册 / 第七单元测查卷", (58, 768, 335, 783), "ocr")
    assert settled(found, [line], 600, 800) == [Region("footer", (60, 770, 330, 780), 0.9)]
