"""Chunks of manuals, standards and laws: complete sub-chapters and clauses under their headings."""

from __future__ import annotations

from kb_pipeline.chunking.passage import passage
from kb_pipeline_tests.chunking.samples import chunks, letters, section, sentences, table, texts


def manual(*sections, **chosen):
    return chunks(*sections, mode="manual", **{"chunk_tokens": 512, **chosen})


def test_a_sub_chapter_is_a_chunk_under_the_line_of_its_headings():
    found = manual(
        section("第一章 总则", level=1),
        section("第一节 范围", level=2, trail=("第一章 总则",)),
        section("适用于铜矿。", trail=("第一章 总则", "第一节 范围")),
        section("也适用于金矿。", trail=("第一章 总则", "第一节 范围")),
        section("第二节 术语", level=2, trail=("第一章 总则",)),
        section("品位指含量。", trail=("第一章 总则", "第二节 术语")),
    )
    assert texts(found) == [
        "[第一章 总则] > [第一节 范围]\n适用于铜矿。\n也适用于金矿。",
        "[第一章 总则] > [第二节 术语]\n品位指含量。",
    ]
    assert [chunk.breadcrumb for chunk in found] == [("第一章 总则", "第一节 范围"), ("第一章 总则", "第二节 术语")]
    assert all(passage(chunk) == chunk.text for chunk in found)


def test_the_headings_in_the_line_have_their_places():
    found = manual(section("第一章 总则", level=1), section("适用于铜矿。", trail=("第一章 总则",)))
    assert {found[0].text[p.start : p.end] for p in found[0].locators} == {"第一章 总则", "适用于铜矿。"}


def test_a_long_sub_chapter_is_cut_by_the_general_rule_each_part_under_the_line():
    found = manual(section("Copper", level=1), section(sentences(60), trail=("Copper",)), chunk_tokens=64)
    assert len(found) > 3
    assert all(text.startswith("[Copper]\nThis is") and text.endswith("here.") for text in texts(found))
    assert [[mark.kind for mark in chunk.added] for chunk in found[:2]] == [
        ["label", "label"],
        ["label", "heading", "label"],
    ]


def test_clauses_of_a_law_without_headings():
    found = manual(
        section("第一章 总则"),
        section("第一条 为了保护矿产资源，制定本法。"),
        section("第二条 本法适用于下列情形："),
        section("（一）勘查；"),
        section("（二）开采。"),
        section("第二章 勘查"),
        section("第三条 勘查须经批准。"),
    )
    assert texts(found) == [
        "[第一章 总则]\n第一条 为了保护矿产资源，制定本法。",
        "[第一章 总则]\n第二条 本法适用于下列情形：\n（一）勘查；\n（二）开采。",
        "[第二章 勘查]\n第三条 勘查须经批准。",
    ]


def test_numbered_clauses_of_a_standard_stand_under_their_own_numbers():
    found = manual(
        section("4 要求", level=1),
        section("4.1 一般要求", trail=("4 要求",)),
        section("4.1.1 表面应清洁，不得有裂纹。", trail=("4 要求",)),
        section("4.1.2 尺寸应符合图样。", trail=("4 要求",)),
        section("4.2 化学成分", trail=("4 要求",)),
        section("含量见表 1。", trail=("4 要求",)),
    )
    assert texts(found) == [
        "[4 要求] > [4.1 一般要求]\n4.1.1 表面应清洁，不得有裂纹。",
        "[4 要求] > [4.1 一般要求]\n4.1.2 尺寸应符合图样。",
        "[4 要求] > [4.2 化学成分]\n含量见表 1。",
    ]


def test_numbers_in_running_text_begin_no_clause():
    found = manual(section("3.14 是圆周率。"), section("12.5 米厚的矿层。"), section("1. 列表的一项"))
    assert texts(found) == ["3.14 是圆周率。\n12.5 米厚的矿层。\n1. 列表的一项"]


def test_a_table_in_a_sub_chapter_stands_under_the_line_too():
    trail = ("4 要求",)
    found = manual(
        section("4 要求", level=1), section(sentences(9), trail=trail), table([["元素", "含量"], ["Cu", "0.8"]])
    )
    assert texts(found)[-1] == "[4 要求]\n元素 | 含量\nCu | 0.8"


def test_a_heading_that_nothing_follows_is_not_lost():
    assert texts(manual(section("附录", level=1), section("索引", level=1))) == ["[附录]", "[索引]"]


def test_headings_too_long_for_a_line_are_text():
    long = "关于进一步加强全省重要矿产资源勘查开采管理工作的若干意见" * 4
    found = manual(section(long, level=1), section("一、要求。", trail=(long,)), count=letters, most=200)
    assert "".join(texts(found)).replace("\n", "") == long + "一、要求。"
