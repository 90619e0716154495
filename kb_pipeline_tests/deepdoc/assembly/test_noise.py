"""Running headers, footers, page numbers and doubled lines go with a reason; nothing else does."""

from __future__ import annotations

import pytest

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.deepdoc.assembly.noise import page_number
from kb_pipeline.records import Region
from kb_pipeline.settings import AssemblySettings, Settings
from kb_pipeline_tests.assembly_pages import column, grid, line, page, tables


def body(number: int) -> list:
    return column([f"page {number} holds its own text in line {i} of it" for i in range(20)], 50, 550, 120)


def dropped(*pages, grids=(), keep=()) -> list[tuple[str, str]]:
    document = assemble(pages, grids, [], Settings(assembly=AssemblySettings(keep=keep)))
    assert document.characters.balanced
    return [(item.text, item.reason) for item in document.dropped]


def test_repeated_headers_and_footers_with_other_numbers_go():
    pages = [
        page([line(f"Report 2023, part {n}", 50, 30), *body(n), line("Geological Survey", 50, 770)], n)
        for n in (1, 2, 3)
    ]
    assert dropped(*pages) == [
        entry
        for n in (1, 2, 3)
        for entry in ((f"Report 2023, part {n}", "running header"), ("Geological Survey", "running footer"))
    ]


def test_a_reason_can_be_switched_off():
    pages = [page([line("Annual report", 50, 30), *body(n)], n) for n in (1, 2, 3)]
    document = assemble(pages, [], [], Settings(assembly=AssemblySettings(keep=("running header",))))
    assert document.dropped == ()
    assert sum("Annual report" in section.text for section in document.sections) == 3


def test_headers_of_even_and_odd_pages_go():
    pages = [
        page([line("Title of the book" if n % 2 else "Name of the author", 50, 30), *body(n)], n) for n in range(1, 7)
    ]
    assert [reason for _, reason in dropped(*pages)] == ["running header"] * 6


def test_text_that_repeats_inside_the_page_stays():
    pages = [page([*body(n), line("Signed by the chief geologist", 50, 500)], n) for n in (1, 2, 3)]
    assert dropped(*pages) == []


def test_text_that_repeats_at_other_heights_stays():
    pages = [page([line("Summary of results", 50, 30 + 22 * n), *body(n)], n) for n in (1, 2, 3)]
    assert dropped(*pages) == []


@pytest.mark.parametrize(("score", "size"), [(0.6, 10.0), (0.95, 14.0)])
def test_the_layout_model_alone_takes_nothing_away(score, size):
    """Unsure of it, or the type is larger than the text's."""
    region = (Region("header", (40, 20, 300, 50), score),)
    heading = line("A heading that the model mistook", 50, 30, size=size, region=0)
    assert dropped(page([heading, *body(1)], regions=region)) == []


def test_a_header_of_a_single_page_goes_where_the_model_is_sure_and_space_parts_it():
    region = (Region("header", (40, 20, 300, 50), 0.9),)
    found = dropped(page([line("Journal of Rocks 12 (2020)", 50, 30, region=0), *body(1)], regions=region))
    assert found == [("Journal of Rocks 12 (2020)", "running header")]


def test_a_repeated_caption_is_no_header():
    pages = [page([line("续表 3 岩矿分析结果", 50, 60), *body(n)], n) for n in (1, 2, 3)]
    assert dropped(*pages) == []


@pytest.mark.parametrize("shape", ["{}", "- {} -", "第 {} 页", "第{}页 共9页", "Page {} of 9", "{} / 9"])
def test_page_numbers_go(shape):
    pages = [page([*body(n), line(shape.format(n + 4), 290, 770)], n) for n in (1, 2, 3)]
    found = dropped(*pages)
    assert found == [(shape.format(n + 4), "page number") for n in (1, 2, 3)]


def test_a_page_number_inside_a_running_header_row_goes_with_its_own_reason():
    pages = [page([line("Annual report", 50, 30), line(str(n), 540, 30), *body(n)], n) for n in (1, 2, 3)]
    assert dropped(*pages) == [
        e for n in (1, 2, 3) for e in (("Annual report", "running header"), (str(n), "page number"))
    ]


def test_a_lone_number_far_from_the_text_of_a_single_page_goes():
    assert dropped(page([*body(1), line("12", 290, 770)])) == [("12", "page number")]


def test_a_number_that_ends_the_text_stays():
    lines = column([f"line {i} of a page that is full down to its foot" for i in range(45)], 50, 550, 120)
    assert dropped(page([*lines, line("12", 50, 120 + 45 * 14)])) == []


def test_numbers_of_a_table_at_the_foot_stay():
    numbers = [line(str(n), 110, 765) for n in (1, 2)]
    pages = [page([*body(n), numbers[n - 1]], n) for n in (1, 2)]
    grids = [tables(grid([[str(n)]], (20,), top=760, number=n), number=n) for n in (1, 2)]
    assert dropped(*pages, grids=grids) == []


def test_a_line_drawn_twice_is_kept_once():
    twice = line("drawn twice for a bold look", 50, 400)
    document = assemble([page([*body(1), twice, line("drawn twice for a bold look", 50.4, 400)])], [], [], Settings())
    assert [(item.text, item.reason) for item in document.dropped] == [("drawn twice for a bold look", "duplicate")]
    assert sum(section.text.count("drawn twice") for section in document.sections) == 1


def test_equal_lines_at_different_places_both_stay():
    assert dropped(page([line("ditto", 50, 300), line("ditto", 50, 330), *body(1)])) == []


def test_a_stamp_up_the_margin_of_every_page_goes():
    pages = []
    for n in (1, 2, 3):
        stamp = line("Downloaded on 1 May by a reader", 0, 0, vertical=True)
        stamp = type(stamp)(stamp.text, (580, 100, 590, 500), "text layer", size=10, vertical=True)
        pages.append(page([stamp, *body(n)], n))
    assert dropped(*pages) == [("Downloaded on 1 May by a reader", "running margin text")] * 3


def test_page_number_shapes():
    assert [page_number(text) for text in ("7", "— 7 —", "第７页", "Page 7 of 12", "vii", "7-45")] == [7, 7, 7, 7, 0, 0]
    assert [page_number(text) for text in ("7.1", "ZK305", "2019年", "123456", "mix", "")] == [None] * 6
