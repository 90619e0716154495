"""Automatic numbers of Word lists and headings are not in the text (ragflow #10145, docling #612, #3759)."""

from __future__ import annotations

import pytest

from kb_pipeline.formats import read_native
from kb_pipeline.formats.counting import counted
from kb_pipeline_tests.office_bytes import docx, levels, listed, p


def texts(body, numbering, styles=""):
    document = read_native("docx", docx(body, numbering=numbering, styles=styles), "a.docx").document
    return [section.text for section in document.sections]


def test_levels_count_and_begin_anew():
    body = listed("a") + listed("b", 1) + listed("c", 1) + listed("d") + listed("e", 1) + listed("f", 2)
    numbering = levels(("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"))
    assert texts(body, numbering) == ["1. a", "1.1 b", "1.2 c", "2. d", "2.1 e", "(a) f"]


def test_chinese_forms():
    body = listed("总则") + listed("目的", 1) + listed("条文", 2) + listed("附则")
    numbering = levels(("chineseCountingThousand", "第%1章"), ("chineseCounting", "（%2）"), ("decimal", "%3、"))
    assert texts(body, numbering) == ["第一章 总则", "（一）目的", "1、条文", "第二章 附则"]


def test_a_format_without_a_number_shows_none():
    assert texts(listed("a") + listed("b", 1), levels(("none", ""), ("none", "%1"))) == ["a", "b"]


def test_bullets_are_one_sign_whatever_their_font():
    assert texts(listed("a"), levels(("bullet", "\uf0b7"))) == ["- a"]


def test_a_list_that_begins_anew():
    more = (
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
        "</w:lvlOverride></w:num>"
    )
    body = listed("a") + listed("b") + listed("c", number="2") + listed("d", number="2") + listed("e", number="0")
    assert texts(body, levels(("decimal", "%1)"), more=more)) == ["1) a", "2) b", "1) c", "2) d", "e"]


def test_numbers_of_heading_styles():
    numbering = levels(("decimal", "%1"), ("decimal", "%1.%2"))
    numbering = numbering.replace('<w:lvl w:ilvl="1">', '<w:lvl w:ilvl="1"><w:pStyle w:val="H2"/>')
    styles = (
        '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/>'
        '</w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/>'
        '<w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    )
    body = (
        p("概况", '<w:pStyle w:val="H1"/>') + p("位置", '<w:pStyle w:val="H2"/>') + p("地层", '<w:pStyle w:val="H1"/>')
    )
    assert texts(body, numbering, styles) == ["1 概况", "1.1 位置", "2 地层"]


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [
        (10, "chineseCounting", "十"), (12, "chineseCountingThousand", "十二"), (105, "chineseCounting", "一百零五"),
        (110, "chineseCounting", "一百一十"), (20, "chineseLegalSimplified", "贰拾"), (10, "ideographDigital", "一〇"),
        (3, "ideographTraditional", "丙"), (2, "ideographZodiac", "丑"), (4, "upperRoman", "IV"),
        (9, "lowerRoman", "ix"),
        (27, "upperLetter", "AA"), (5, "decimalZero", "05"), (3, "decimalEnclosedCircleChinese", "③"),
        (12, "decimalFullWidth", "１２"), (22, "ordinal", "22nd"), (13, "ordinal", "13th"),
        (21, "cardinalText", "Twenty-one"),
        (20, "ordinalText", "Twentieth"), (3, "numberInDash", "- 3 -"), (7, "unknownForm", "7"), (1, "none", ""),
    ],
)  # fmt: skip
def test_forms_of_numbers(number, form, text):
    assert counted(number, form) == text
