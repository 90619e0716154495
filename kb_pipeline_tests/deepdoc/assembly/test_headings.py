"""Headings, their levels and the breadcrumbs below them."""

from __future__ import annotations

import pytest

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.deepdoc.assembly.headings import numbering
from kb_pipeline.records import Bookmark, Region, Section
from kb_pipeline.settings import Settings
from kb_pipeline_tests.assembly_pages import column, line, page

BODY = "这是正文的一个完整段落，写满了这一行文字的全部宽度，并且在这里结束。"


def outline(entries: list[tuple[str, float]], bookmarks=(), titles: bool = True) -> list[Section]:
    """Sections of a page that holds each heading, of a type size, with a paragraph below."""
    lines, regions = [], []
    for i, (text, size) in enumerate(entries):
        top = 60 + 70 * i
        heading = line(text, 50, top, size=size, region=len(regions) if titles else -1)
        lines.append(heading)
        if titles:
            regions.append(Region("title", heading.box))
        lines += column([BODY], 50, 550, top + 36)
    return list(assemble([page(lines, regions=tuple(regions))], [], bookmarks, Settings()).sections)


def levels(sections: list[Section]) -> list[tuple[str, int]]:
    return [(section.text, section.level) for section in sections if section.level]


def test_chinese_numbering_gives_levels_and_breadcrumbs():
    found = outline(
        [
            ("第一章 总则", 10),
            ("第一节 地质", 10),
            ("一、地层", 10),
            ("（一）震旦系", 10),
            ("二、构造", 10),
            ("第二章 勘探", 10),
        ]
    )
    assert levels(found) == [
        ("第一章 总则", 1),
        ("第一节 地质", 2),
        ("一、地层", 3),
        ("（一）震旦系", 4),
        ("二、构造", 3),
        ("第二章 勘探", 1),
    ]
    bodies = [section.breadcrumb for section in found if not section.level]
    assert bodies[3] == ("第一章 总则", "第一节 地质", "一、地层", "（一）震旦系")
    assert bodies[4] == ("第一章 总则", "第一节 地质", "二、构造")
    assert bodies[5] == ("第二章 勘探",)


def test_decimal_numbering_gives_levels():
    found = outline(
        [("1 Introduction", 10), ("1.1 Scope", 10), ("1.1.1 Terms", 10), ("1.2 Sources", 10), ("2 Method", 10)]
    )
    assert [level for _, level in levels(found)] == [1, 2, 3, 2, 1]


def test_type_size_gives_levels_where_nothing_is_numbered():
    found = outline([("Annual Report", 20), ("Results", 14), ("Copper", 11), ("Outlook", 14)])
    assert [level for _, level in levels(found)] == [1, 1, 2, 1]


def test_a_heading_that_stands_below_another_has_it_in_its_breadcrumb():
    found = outline([("第一章 总则", 10), ("第一节 地质", 10)])
    assert next(section for section in found if section.text == "第一节 地质").breadcrumb == ("第一章 总则",)


def test_bookmarks_make_headings_and_levels():
    marks = (Bookmark("Foreword", 1, 1), Bookmark("Thanks", 2, 1), Bookmark("Elsewhere", 1, 7))
    found = outline([("Foreword", 10), ("Thanks", 10), ("Elsewhere", 10)], marks, titles=False)
    assert levels(found) == [("Foreword", 1), ("Thanks", 2)]


def test_numbered_chapters_need_no_layout_model():
    assert levels(outline([("第三章 矿体地质", 10)], titles=False)) == [("第三章 矿体地质", 1)]


def test_bold_lines_of_their_own_are_headings():
    lines = [line("Self-locking nuts", 50, 60, bold=True), *column([BODY] * 3, 50, 550, 90)]
    found = assemble([page(lines)], [], [], Settings()).sections
    assert found[0].level == 1


@pytest.mark.parametrize("text", ["这句话只是很短。", "12", "1.5 g/t 的品位", "图1 矿区位置"])
def test_other_short_lines_are_no_headings(text):
    assert levels(outline([(text, 10)], titles=False)) == []


def test_a_title_over_two_lines_is_one_heading():
    title = Region("title", (100, 50, 500, 90))
    lines = [
        line("Turner syndrome and its", 100, 50, 500, 16, region=0),
        line("transition to adulthood", 100, 72, 490, 16, region=0),
    ]
    found = assemble([page([*lines, *column([BODY], 50, 550, 120)], regions=(title,))], [], [], Settings()).sections
    assert (found[0].text, found[0].level) == ("Turner syndrome and its transition to adulthood", 1)


def test_numbering_shapes():
    shapes = {
        "第一章 总则": ("cn", 1),
        "第２节 地质": ("cn", 2),
        "一、地层": ("cn", 3),
        "（一）岩石": ("cn", 4),
        "1 Scope": ("decimal", 1),
        "2.3.1 Terms": ("decimal", 3),
        "Appendix A Data": ("en", 1),
        "附录A 数据": ("cn", 1),
        "2023年度报告": ("", 0),
        "3.5% of it": ("", 0),
        "Scope": ("", 0),
    }
    assert {text: numbering(text) for text in shapes} == shapes
