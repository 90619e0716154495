from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.regions import assign_lines, merged_tables, paragraphs
from kb_pipeline.deepdoc.vision.layout import detect_regions, without_overlaps
from kb_pipeline.records import Region, TextLine
from kb_pipeline_tests.deepdoc.vision_pages import blank, page_pdf


def text_line(*box: float) -> TextLine:
    return TextLine("x", box, "ocr")


def test_a_paragraph_is_a_text_region():
    words = "the quick brown fox jumps over the lazy dog while the others look on and say nothing at all"
    data = page_pdf([(words, 60, 100 + 14 * k) for k in range(24)], size=10, page=(595, 842))
    with PdfFile(data, "paragraph.pdf") as file:
        regions = detect_regions(file.render(1, 2))
    x0, top, x1, bottom = max((r for r in regions if r.role == "text"), key=lambda r: r.score).box
    assert 90 < x0 < 150
    assert 150 < top < 230
    assert 820 < bottom < 920
    assert 900 < x1 < 1190


def test_blank_pages_have_no_region():
    assert detect_regions(blank(600, 800)) == []


def test_the_stronger_of_two_overlapping_roles_stays():
    strong, weak = Region("text", (0, 0, 100, 100), 0.9), Region("figure", (5, 5, 90, 90), 0.6)
    apart = Region("table", (0, 95, 100, 200), 0.5)
    assert without_overlaps([weak, strong, apart]) == [strong, apart]


def test_lines_go_to_small_special_regions_first():
    regions = [Region("text", (0, 0, 200, 100)), Region("table caption", (0, 0, 200, 20))]
    lines = [
        text_line(5, 5, 100, 15),
        text_line(5, 40, 100, 50),
        text_line(5, 200, 100, 210),
        text_line(5, 95, 100, 107),
    ]
    assert assign_lines(lines, regions) == [1, 0, -1, 0]


def test_overlapping_tables_become_one_and_apart_ones_stay():
    tables = [Region("table", (0, 0, 100, 100), 0.9), Region("table", (0, 60, 100, 160), 0.8)]
    other = Region("table", (0, 300, 100, 400), 0.7)
    merged = merged_tables([other, *tables, Region("text", (0, 200, 100, 250))])
    assert [(r.role, r.box) for r in merged] == [
        ("table", (0, 0, 100, 160)),
        ("text", (0, 200, 100, 250)),
        ("table", (0, 300, 100, 400)),
    ]


def test_a_text_region_parts_into_its_paragraphs():
    rows = [(60, 200), (50, 200), (50, 120), (60, 200), (50, 200), (50, 200)]
    lines = [text_line(x0, 100 + 14 * k, x1, 110 + 14 * k) for k, (x0, x1) in enumerate(rows)]
    lines.append(text_line(50, 220, 200, 230))
    region = Region("text", (48, 98, 202, 240), 0.9)
    parted, owners = paragraphs([region], lines, [0] * len(lines))
    assert owners == [0, 0, 0, 1, 1, 1, 2]
    assert parted[0].box == (50, 100, 200, 138)
    assert all(r.role == "text" and r.score == 0.9 for r in parted)
    table = Region("table", region.box, 0.9)
    assert paragraphs([table], lines, [0] * len(lines)) == ([table], [0] * len(lines))


@given(st.lists(st.tuples(st.floats(0, 300), st.floats(0, 300), st.floats(1, 200), st.floats(1, 30)), max_size=20))
def test_parting_keeps_every_line_and_its_role(found):
    lines = [text_line(x, y, x + w, y + h) for x, y, w, h in found]
    regions = [Region("text", (0, 0, 250, 200)), Region("title", (0, 200, 500, 330))]
    owners = assign_lines(lines, regions)
    parted, after = paragraphs(regions, lines, owners)
    for before, now in zip(owners, after, strict=True):
        assert (before < 0) == (now < 0)
        assert now < 0 or parted[now].role == regions[before].role
