from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.query.quotes import find_quote, places_of
from kb_pipeline.records import CellLocator, LineLocator, PageLocator, SlideLocator

SIZE = (595.0, 842.0)
words = st.text(st.sampled_from("ab 中文\n　1."), max_size=40)


@given(words, words, words)
def test_a_part_is_found_however_its_white_space_was_changed(before: str, part: str, after: str) -> None:
    text = before + part + after
    found = find_quote(text, " \n".join(part))
    if not "".join(part.split()):
        assert found is None
    else:
        assert found is not None
        assert "".join(text[found[0] : found[1]].split()) == "".join(part.split())
        assert not text[found[0]].isspace()
        assert not text[found[1] - 1].isspace()


@pytest.mark.parametrize("quote", ["品位0.86%", "", "  ", "品位 0.85 g"])
def test_words_that_are_not_there_are_not_found(quote: str) -> None:
    assert find_quote("铜品位0.85%。", quote) is None


def test_a_part_of_a_line_gets_its_share_of_the_box() -> None:
    text = "钻孔ZK305品位0.85克"
    line = PageLocator(4, (100.0, 50.0, 260.0, 62.0), SIZE, 0, len(text))
    start = text.index("品位")
    (place,) = places_of(text, (line,), start, len(text))
    # 钻孔ZK305 is 9 half-widths of 19, the whole line 160 points
    assert place.box == pytest.approx((100 + 160 * 9 / 19, 50.0, 260.0, 62.0))
    assert (place.page, place.start, place.end) == (4, 0, len(text) - start)


def test_a_sentence_over_a_page_break_has_a_box_on_each_page() -> None:
    text = "aaaa bbbb\ncccc dddd"
    lines = (
        PageLocator(1, (0.0, 800.0, 90.0, 812.0), SIZE, 0, 9),
        PageLocator(2, (0.0, 40.0, 90.0, 52.0), SIZE, 10, 19),
    )
    found = places_of(text, lines, 5, 14)
    assert [(place.page, place.box) for place in found] == [
        (1, pytest.approx((50.0, 800.0, 90.0, 812.0))),
        (2, pytest.approx((0.0, 40.0, 40.0, 52.0))),
    ]
    assert [(place.start, place.end) for place in found] == [(0, 4), (5, 9)]


def test_a_cell_is_one_box() -> None:
    text = "ZK305 | 0.85 | 12.5"
    cells = tuple(
        PageLocator(3, (x, 10.0, x + 50, 22.0), SIZE, start, end)
        for x, start, end in ((0.0, 0, 5), (50.0, 8, 12), (100.0, 15, 19))
    )
    (place,) = places_of(text, cells, 8, 12)
    assert place.box == (50.0, 10.0, 100.0, 22.0)


@pytest.mark.parametrize(
    ("box", "length"),
    [((0.0, 0.0, 200.0, 36.0), 60), ((0.0, 0.0, 100.0, 26.0), 18)],  # three lines of English, two of Chinese
)
def test_boxes_of_several_lines_stay_whole(box: tuple, length: int) -> None:
    text = ("a" if length == 60 else "中") * length
    (place,) = places_of(text, (PageLocator(1, box, SIZE, 0, length),), 2, 5)
    assert place.box == box


def test_vertical_text_is_cut_downwards() -> None:
    (place,) = places_of("地质勘探报告", (PageLocator(1, (10.0, 0.0, 22.0, 72.0), SIZE, 0, 6),), 2, 4)
    assert place.box == pytest.approx((10.0, 24.0, 22.0, 48.0))


def test_other_kinds_of_places_stay_whole_and_those_beside_are_left_out() -> None:
    places = (LineLocator(1, 1, 0, 5), LineLocator(2, 4, 5, 12), CellLocator("表", "A1:B2", 12, 20))
    found = places_of("x" * 20, places, 6, 9)
    assert found == (LineLocator(2, 4, 0, 3),)


def test_text_without_a_place_of_its_own_points_at_the_whole_chunk() -> None:
    place = PageLocator(1, (0.0, 0.0, 90.0, 12.0), SIZE, 10, 20)
    (found,) = places_of("o" * 20, (place,), 0, 5)
    assert (found.box, found.start, found.end) == (place.box, 0, 5)


def test_a_place_without_a_range_covers_everything() -> None:
    place = SlideLocator(2, (0.0, 0.0, 100.0, 10.0), (720.0, 540.0))
    (found,) = places_of("a" * 10, (place,), 0, 5)
    assert found.box == pytest.approx((0.0, 0.0, 50.0, 10.0))


@given(st.text(st.sampled_from("a中 1"), min_size=1, max_size=30), st.data())
def test_cut_boxes_lie_inside_the_line_and_in_order(text: str, data: st.DataObject) -> None:
    line = PageLocator(1, (10.0, 10.0, 10.0 + 8 * len(text), 22.0), SIZE, 0, len(text))
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    (place,) = places_of(text, (line,), start, end)
    assert line.box[0] - 1e-9 <= place.box[0] <= place.box[2] <= line.box[2] + 1e-9
    assert line.box[1] - 1e-9 <= place.box[1] <= place.box[3] <= line.box[3] + 1e-9


def test_a_part_whose_place_is_known_is_not_marked_with_the_whole_table():
    """A table's chunk holds the box of the whole table, without a range, beside the boxes of its cells."""
    whole = PageLocator(7, (60, 400, 530, 760), (595, 842))
    cell = PageLocator(7, (318, 608, 372, 626), (595, 842), 8, 12)
    text = "ZK305 | 0.47 | ore"
    assert [place.box for place in places_of(text, (whole, cell), 8, 12)] == [cell.box]
    assert [place.box for place in places_of(text, (whole, cell), 15, 18)] == [whole.box]
