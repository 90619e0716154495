"""Regions settled by the lines under them; pages of 600 x 800 points."""

from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.deepdoc.files.geometry import overlap_of_smaller
from kb_pipeline.deepdoc.page.region_rules import settled
from kb_pipeline.deepdoc.vision.layout import ACROSS_CLASSES
from kb_pipeline.records import Region, TextLine

WIDTH, HEIGHT = 600, 800


def line(text: str, *box: float) -> TextLine:
    return TextLine(text, box, "ocr", size=(box[3] - box[1]) * 0.8)


def roles(regions: list[Region], lines: list[TextLine]) -> list[tuple[str, tuple[float, ...]]]:
    return [(r.role, r.box) for r in settled(regions, lines, WIDTH, HEIGHT)]


BODY = [line("and the words of a line go on", 50, 200 + 20 * k, 550, 214 + 20 * k) for k in range(10)]


def test_a_header_far_from_the_head_is_what_else_the_model_saw():
    box = (200, 290, 400, 310)
    assert roles([Region("header", box, 0.8), Region("title", box, 0.5)], BODY) == [("title", box)]
    assert roles([Region("header", box, 0.8)], BODY) == [("text", box)]


def test_headers_and_footers_at_their_places_stay():
    head, foot = (50, 30, 300, 45), (50, 760, 300, 775)
    assert roles([Region("header", head, 0.8), Region("footer", foot, 0.8)], BODY) == [
        ("header", head),
        ("footer", foot),
    ]


def test_a_footer_below_the_text_of_a_page_that_is_half_empty_stays():
    foot = (290, 405, 310, 415)
    assert roles([Region("footer", foot, 0.5)], [*BODY, line("62", *foot)]) == [("footer", foot)]


def test_a_title_in_the_row_of_a_header_is_a_header_too():
    logo, date = (50, 30, 200, 60), (450, 35, 550, 55)
    found = [Region("title", logo, 0.8), Region("header", logo, 0.7), Region("header", date, 0.9)]
    assert sorted(roles(found, [])) == [("header", logo), ("header", date)]
    assert roles(found[:2], []) == [("title", logo)]


def test_a_caption_without_a_number_that_stands_on_the_table_is_its_header():
    table, numbered, header = (50, 150, 550, 400), (150, 100, 450, 115), (200, 130, 400, 148)
    found = [Region("table", table, 0.9), Region("table caption", numbered, 0.8), Region("table caption", header, 0.5)]
    lines = [line("Table 4. Yields of each step", *numbered), line("Yield in per cent", *header)]
    assert sorted(roles(found, lines)) == [("table", (50, 130, 550, 400)), ("table caption", numbered)]


def test_the_only_caption_of_a_table_needs_no_number():
    table, caption = (50, 150, 550, 400), (150, 130, 450, 148)
    found = [Region("table", table, 0.9), Region("table caption", caption, 0.8)]
    assert sorted(roles(found, [line("Main figures", *caption)])) == [("table", table), ("table caption", caption)]


def test_captions_are_of_the_kind_that_they_name():
    box = (150, 130, 450, 148)
    assert roles([Region("table caption", box, 0.8)], [line("图 3-1 断面图", *box)]) == [("figure caption", box)]


def test_a_last_row_of_text_with_a_number_is_no_footer():
    low = [line("the last words of the text", 50, 700, 550, 714), line("1998", 50, 720, 80, 734)]
    assert roles([], [*BODY, *low]) == []


@given(
    st.lists(
        st.builds(
            lambda role, x, y, w, h, score: Region(role, (x, y, x + w, y + h), score),
            st.sampled_from(["text", "table", "figure", "title", "header", "footer"]),
            *[st.integers(0, 300)] * 2,
            *[st.integers(5, 300)] * 2,
            st.floats(0.4, 1),
        ),
        max_size=8,
    )
)
def test_every_place_has_one_role_and_the_order_of_the_boxes_does_not_matter(found: list[Region]):
    kept = settled(found, BODY, WIDTH, HEIGHT)
    assert sorted(kept, key=repr) == sorted(settled(sorted(found, key=repr), BODY, WIDTH, HEIGHT), key=repr)
    grounds = [r for r in kept if (r.box[2] - r.box[0]) * (r.box[3] - r.box[1]) >= 0.5 * WIDTH * HEIGHT]
    for i, a in enumerate(kept):
        others = [b for b in kept[i + 1 :] if a not in grounds and b not in grounds]
        assert all(overlap_of_smaller(a.box, b.box) < ACROSS_CLASSES for b in others)


def test_a_numbered_item_of_several_rows_is_no_caption():
    box = (50, 100, 300, 150)
    rows = [line("3. Natalie has washed the dishes", 50, 102, 300, 116), line("on 8 of 12 nights.", 50, 120, 200, 134)]
    assert roles([Region("figure caption", box, 0.8)], rows) == [("text", box)]
    assert roles([Region("figure caption", box, 0.8)], rows[1:]) == [("figure caption", box)]
