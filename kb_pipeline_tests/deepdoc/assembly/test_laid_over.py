"""Watermarks and tables of contents, and what only looks like them."""

from __future__ import annotations

import pytest

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.records import Bookmark, Region, TextLine
from kb_pipeline.settings import AssemblySettings, Settings
from kb_pipeline_tests.assembly_pages import column, line, page


def body(number: int, top: float = 120) -> list[TextLine]:
    return column([f"page {number} tells its own story in line {i} of it" for i in range(20)], 50, 550, top)


def dropped(*pages, bookmarks=(), keep=()) -> list[tuple[str, str]]:
    document = assemble(pages, [], bookmarks, Settings(assembly=AssemblySettings(keep=keep)))
    assert document.characters.balanced
    return [(item.text, item.reason) for item in document.dropped]


def leaning(text: str, light: float = 0.9, size: float = 40, **more) -> TextLine:
    return TextLine(text, (150, 150, 450, 450), "text layer", size=size, angle=-45.0, light=light, **more)


def test_a_leaning_light_text_over_the_page_is_a_watermark():
    assert dropped(page([leaning("内部资料"), *body(1)])) == [("内部资料", "watermark")]


def test_a_leaning_dark_text_of_several_pages_is_a_watermark():
    pages = [page([leaning("DRAFT", 0.0), *body(n)], n) for n in (1, 2)]
    assert dropped(*pages) == [("DRAFT", "watermark")] * 2


def test_pieces_of_a_watermark_that_lie_in_a_figure_go_with_it():
    figure = (Region("figure", (100, 500, 500, 780)),)
    piece = TextLine("资料", (200, 600, 260, 660), "text layer", size=10, angle=-45.0, light=0.2, region=0)
    pages = [page([leaning("内部资料"), *body(1)]), page([piece, *body(2)], 2, figure)]
    assert dropped(*pages) == [("内部资料", "watermark"), ("资料", "watermark")]


def test_a_leaning_label_of_a_drawing_stays():
    figure = (Region("figure", (100, 500, 500, 780)),)
    label = TextLine("F2 fault", (200, 600, 260, 660), "text layer", size=10, angle=-35.0, region=0)
    assert dropped(page([*body(1), label], regions=figure)) == []


def test_a_light_heading_stays():
    assert dropped(page([line("Results in grey", 50, 90, size=14, light=0.6), *body(1)])) == []


def test_large_upright_light_text_over_lines_is_a_watermark():
    mark = TextLine("SAMPLE", (100, 150, 500, 230), "text layer", size=80, light=0.85)
    assert dropped(page([mark, *body(1)])) == [("SAMPLE", "watermark")]


def test_a_watermark_stays_where_its_reason_is_switched_off():
    assert dropped(page([leaning("内部资料"), *body(1)]), keep=("watermark",)) == []


# ---------------------------------------------------------------- tables of contents

CHAPTERS = ("Rocks", "Waters", "Mines", "Roads")


def entries(titles, pages, leader: str = " ........ ", top: float = 150) -> list[TextLine]:
    return [line(f"{t}{leader}{p}", 50, top + 20 * i, 550) for i, (t, p) in enumerate(zip(titles, pages, strict=True))]


def chapters(titles, first: int = 2) -> list:
    return [page([line(t, 50, 90, size=16), *body(n)], n) for n, t in enumerate(titles, first)]


def test_a_table_of_contents_goes_with_its_heading():
    found = dropped(page([line("Contents", 50, 100, size=16), *entries(CHAPTERS, (2, 3, 4, 5))]), *chapters(CHAPTERS))
    assert [reason for _, reason in found] == ["contents"] * 5


def test_a_chinese_table_of_contents_without_dots_goes():
    titles = ["第一章 总论", "第二章 地层", "第三章 构造"]
    lines = [line("目 录", 280, 100, size=16)]
    for i, title in enumerate(titles):
        lines += [line(title, 50, 150 + 20 * i), line(str(i + 2), 540, 150 + 20 * i)]
    found = dropped(page(lines), *chapters(titles))
    assert [reason for _, reason in found] == ["contents"] * 7


def test_contents_without_a_heading_go_where_the_titles_come_back():
    found = dropped(page([*body(1, 400), *entries(CHAPTERS, (2, 3, 4, 5))]), *chapters(CHAPTERS))
    assert [reason for _, reason in found] == ["contents"] * 4


def test_contents_without_a_heading_go_where_bookmarks_name_the_titles():
    marks = tuple(Bookmark(title, 1, n) for n, title in enumerate(CHAPTERS, 2))
    pages = [page([*body(1, 400), *entries(CHAPTERS, (2, 3, 4, 5))]), page(body(2), 2), page(body(3), 3)]
    assert [reason for _, reason in dropped(*pages, bookmarks=marks)] == ["contents"] * 4


@pytest.mark.parametrize("numbers", [(40, 12, 31, 9), (9, 12, 31, 40)], ids=["falling", "rising"])
def test_a_price_list_with_dots_stays(numbers):
    goods = ("Hammer", "Chisel", "Lamp", "Rope")
    assert dropped(page([*body(1, 400), *entries(goods, numbers)]), page(body(2), 2)) == []


def test_a_document_that_is_nothing_but_contents_stays():
    assert dropped(page([line("Contents", 50, 100, size=16), *entries(CHAPTERS, (2, 3, 4, 5))])) == []


# ---------------------------------------------------------------- pictures


@pytest.mark.parametrize(("top", "reason"), [(20, "running header"), (760, "running footer"), (300, "watermark")])
def test_a_picture_at_one_place_of_every_page_goes(top, reason):
    pages = [page(body(n), n, (Region("figure", (450, top, 520, top + 25)),)) for n in (1, 2, 3)]
    assert dropped(*pages) == [("", reason)] * 3
    assert dropped(*pages, keep=(reason,)) == []


def test_pictures_at_different_places_stay():
    pages = [page(body(n), n, (Region("figure", (100, 420 + 40 * n, 300, 500 + 40 * n)),)) for n in (1, 2, 3)]
    assert dropped(*pages) == []
