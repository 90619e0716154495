"""Text and Markdown: structure found, every line traceable, nothing lost."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.errors import UnsupportedType
from kb_pipeline.formats import read_native
from kb_pipeline.records import ParsedDocument


def text(content: str) -> ParsedDocument:
    return read_native("text", content.encode("utf-8"), "a.txt").document


def markdown(content: str) -> ParsedDocument:
    return read_native("markdown", content.encode("utf-8"), "a.md").document


def outline(document: ParsedDocument) -> list[tuple[str, int, str]]:
    return [(section.role, section.level, section.text) for section in document.sections]


def test_paragraphs_of_a_text_know_their_lines():
    document = text("first paragraph\n\n\nsecond one\nof two lines\n")
    assert [s.text for s in document.sections] == ["first paragraph", "second one\nof two lines"]
    places = document.sections[1].locators
    assert [(p.first, p.last, document.sections[1].text[p.start : p.end]) for p in places] == [
        (4, 4, "second one"),
        (5, 5, "of two lines"),
    ]


def test_lines_wrapped_by_an_editor_are_joined():
    wrapped = "\n".join(
        [
            "The survey of the copper hills was carried out in the summer of last",
            "year by a party of four, who walked all of the ridges and took rather",
            "more than three hundred samples from the outcrops and the old adits in",
            "the valley.",
        ]
    )
    (section,) = text(wrapped).sections
    assert "last year by" in section.text
    assert "\n" not in section.text


def test_lines_of_a_poem_or_log_stay_lines():
    assert text("08:00 start\n08:05 stop\n08:07 start again\n08:09 stop").sections[0].text.count("\n") == 3


def test_chapters_of_a_text_are_headings():
    document = text("第一章 开端\n\n从前有一座山。\n\n第二章 结局\n\n山上有铜。\n")
    assert [(s.level, s.breadcrumb) for s in document.sections] == [
        (1, ()),
        (0, ("第一章 开端",)),
        (1, ()),
        (0, ("第二章 结局",)),
    ]


def test_the_charset_is_reported():
    assert (
        read_native("text", "矿区位于省境东南部，交通方便。".encode("gb18030"), "a.txt").document.charset == "gb18030"
    )


def test_markdown_headings_and_breadcrumbs():
    document = markdown("# Report\n\nIntro.\n\n## Copper ##\n\nText.\n\nGold\n----\n\nMore.\n")
    assert outline(document) == [
        ("title", 1, "Report"),
        ("text", 0, "Intro."),
        ("title", 2, "Copper"),
        ("text", 0, "Text."),
        ("title", 2, "Gold"),
        ("text", 0, "More."),
    ]
    assert document.sections[-1].breadcrumb == ("Report", "Gold")


def test_a_pipe_table_has_cells_with_their_lines():
    document = markdown("| hole | grade |\n|---|---:|\n| ZK305 | 0.85 |\n| ZK306 | |\n")
    (table,) = document.sections
    assert table.text == "hole | grade\nZK305 | 0.85\nZK306 | "
    assert [(c.row, c.col, c.header, c.text) for c in table.cells][:3] == [
        (0, 0, True, "hole"),
        (0, 1, True, "grade"),
        (1, 0, False, "ZK305"),
    ]
    assert [p.first for p in table.locators] == [1, 1, 3, 3, 4]
    assert "<th>hole</th>" in table.html
    assert "<td>0.85</td>" in table.html


def test_table_text_is_escaped_in_html():
    assert "a &lt; b" in markdown("| a |\n|---|\n| a < b |\n").sections[0].html


def test_a_row_with_more_cells_than_the_header_keeps_them():
    assert "c3" in markdown("| a | b |\n|---|---|\n| c1 | c2 | c3 |\n").sections[0].text


def test_code_keeps_its_lines_and_its_marks_are_no_headings():
    document = markdown("```python\n# not a heading\n\n    x = 1\n```\nafter\n")
    assert outline(document) == [("text", 0, "# not a heading\n\n    x = 1"), ("text", 0, "after")]


def test_an_unclosed_fence_loses_nothing():
    assert outline(markdown("```\ncode to the end\n")) == [("text", 0, "code to the end")]


def test_list_items_are_paragraphs_of_their_own():
    assert [s.text for s in markdown("- one\n- two\n  goes on\n1. three\n").sections] == [
        "- one",
        "- two\ngoes on",
        "1. three",
    ]


def test_a_picture_gives_its_description():
    document = markdown("![Section of the mine](mine.png)\n")
    assert outline(document) == [("figure", 0, "Section of the mine")]
    assert sorted((item.reason, item.text) for item in document.dropped) == [
        ("Markdown mark", "![]"),
        ("picture address", "(mine.png)"),
    ]


def test_a_quote_reads_without_its_bars():
    assert [s.text for s in markdown("> one\n> two\n").sections] == ["one\ntwo"]


def test_unknown_kinds_are_refused():
    with pytest.raises(UnsupportedType):
        read_native("pptx", b"x", "a.pptx")


MARKS = ["", "# Title", "## Part ##", "Title", "====", "---", "***", "#", "#no", "> quote", ">", "```", "```py", "~~~"]
TABLES = ["| a | b |", "|---|---|", "| x\\|y | |", "a | b", "-|-", "| |"]
WORDS = ["- item", "1. item", "    code", "![alt](p.png)", "![](p.png)", "text", "**bold**", "铜矿。", "第一章 总则"]
LONG = ["a" * 60 + ".", "b" * 58, "\tindent", "  two  "]
LINES = st.sampled_from([*MARKS, *TABLES, *WORDS, *LONG])


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=14), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["text", "markdown"]))
def test_every_character_is_in_a_section_or_dropped(lines, end, kind):
    source = end.join(lines)
    document = read_native(kind, source.encode("utf-8"), "a").document
    assert document.characters.balanced
    found: Counter[str] = Counter("".join(item.text for item in document.dropped))
    numbered = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for section in document.sections:
        assert section.locators
        for place in section.locators:
            piece = section.text[place.start : place.end]
            line = numbered[place.first - 1]
            assert piece.strip().replace("\\|", "|") in line.replace("\\|", "|")
            found.update(piece)
    kept_escapes = source.count("\\") - found["\\"]  # an escaped bar counts as its two characters
    found["\\"] += kept_escapes
    assert {c: n for c, n in found.items() if not c.isspace() and n} == Counter(c for c in source if not c.isspace())
