"""Markdown as a reader sees it: marks, tags, comments and addresses apart from the text, every character accounted."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.errors import EmptyFile
from kb_pipeline.formats import read_native
from kb_pipeline.operations.parse import to_html, to_markdown
from kb_pipeline.records import ParsedDocument


def read(content: str, keep: tuple[str, ...] = ()) -> ParsedDocument:
    document = read_native("markdown", content.encode("utf-8"), "a.md", keep).document
    assert document.characters.balanced
    return document


def texts(content: str, keep: tuple[str, ...] = ()) -> list[str]:
    return [section.text for section in read(content, keep).sections]


def dropped(content: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in read(content).dropped:
        found[item.reason] = found.get(item.reason, "") + item.text
    return found


FRONT = (
    "---\ntitle: Pump manual\ndate: 2024-05-06\ntags: [a, 'b c']\nauthors:\n  - Li\n  - Wang\n---\n\n# Start\n\nText.\n"
)


def test_front_matter_is_properties_and_no_heading():
    document = read(FRONT)
    assert document.properties == {
        "title": "Pump manual", "date": "2024-05-06", "tags": "a, b c", "authors": "Li, Wang",
    }  # fmt: skip
    assert [(s.level, s.text, s.locators[0].first) for s in document.sections] == [(1, "Start", 10), (0, "Text.", 12)]
    assert set(document.characters.dropped) == {"document property", "Markdown mark"}
    assert texts(FRONT, ("document property",))[0].startswith("title: Pump manual\ndate")


@pytest.mark.parametrize(
    "content",
    ["---\n\nText between rules.\n\n---\n", "---\n", "---\ntitle: never closed\n\nText\n", "a\n---\nb: c\n---\n"],
)
def test_rules_that_are_no_front_matter(content):
    assert read(content).properties == {}


def test_front_matter_of_toml():
    assert read('+++\ntitle = "Plan"\n+++\nText.\n').properties == {"title": "Plan"}


def test_tags_and_comments_are_no_text():
    content = (
        "<details><summary>More</summary>\n\nHidden *body* text.\n\n</details>\n\n"
        "Text with <br> break and <kbd>Ctrl</kbd>+C and a&nbsp;b &lt;tag&gt;. <!-- aside -->\n\n"
        "<!-- secret\n\ncomment -->\n"
    )
    assert texts(content) == ["More", "Hidden body text.", "Text with\nbreak and Ctrl+C and a b <tag>."]
    assert dropped(content)["comment"] == "asidesecretcomment"
    assert "secret" in " ".join(texts(content, ("comment",)))


def test_what_a_writer_puts_in_angles_is_text():
    assert texts("Call <host>:<port> or `<b>`.\n") == ["Call <host>:<port> or <b>."]


def test_scripts_are_no_text():
    assert dropped("<script>\nvar a = 1;\n</script>\n\nText\n")["hidden text"] == "var a = 1;"


def test_headings_and_pictures_of_html():
    content = '<h1 align="center">Pump &amp; valve</h1>\n<p>By <b>us</b>.<img src="a.png" alt="Front view"></p>\n'
    assert [(s.level, s.text) for s in read(content).sections] == [(1, "Pump & valve"), (0, "By us.Front view")]


TABLE = (
    '<table>\n<caption>Yield</caption>\n<tr><th rowspan="2">Hole</th><th colspan="2">Grade</th></tr>\n\n'
    "    <tr><th>Cu</th><th>Au</th></tr>\n<tr><td>ZK1</td><td>0.5<br>%</td><td>2 &lt; 3</td></tr>\n</table>\n\nAfter.\n"
)


def test_a_table_of_html_is_read_once_as_a_table():
    document = read("Before.\n\n" + TABLE)
    table = document.sections[1]
    assert [s.text for s in document.sections if s.role != "table"] == ["Before.", "After."]
    assert table.text == "Yield\nHole | Grade\nCu | Au\nZK1 | 0.5 % | 2 < 3"
    assert [(c.row, c.col, c.rowspan, c.colspan, c.header) for c in table.cells] == [
        (0, 0, 2, 1, True), (0, 1, 1, 2, True), (1, 1, 1, 1, True), (1, 2, 1, 1, True),
        (2, 0, 1, 1, False), (2, 1, 1, 1, False), (2, 2, 1, 1, False),
    ]  # fmt: skip
    assert [c.locators[0].first for c in table.cells] == [5, 5, 7, 7, 8, 8, 8]


def test_a_table_within_a_cell_is_text_of_that_cell():
    content = "<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table>d</td><td>e</td></tr></table>\n"
    assert [c.text for c in read(content).sections[0].cells] == ["a b c d", "e"]


def test_a_table_that_is_never_closed_loses_nothing():
    assert "left" in read("<table><tr><td>a<td>b\n\nleft over\n").sections[-1].text


def test_links_keep_their_words_and_addresses_are_dropped():
    content = 'See [the *site*](http://a.b "t"), [ref][x], [x] and <http://c.d>.\n\n[x]: http://long.example "T"\n'
    assert texts(content) == ["See the site, ref, x and http://c.d."]
    assert dropped(content)["link address"] == '(http://a.b "t")[x][x]: http://long.example "T"'
    assert "http://long.example" in " ".join(texts(content, ("link address",)))


def test_footnotes_follow_what_refers_to_them():
    content = "Loss of 50[^12] a year.\n\nNext.\n\n[^12]: Without *rent*\n    and tax.\n\n    More.\n\n[^9]: Unused.\n"
    assert texts(content) == [
        "Loss of 50 [12] a year.", "[12] Without rent\nand tax.", "More.", "Next.", "[9] Unused.",
    ]  # fmt: skip
    assert [s.locators[0].first for s in read(content).sections] == [1, 5, 8, 3, 10]


def test_tasks_show_whether_they_are_done():
    assert texts("- [ ] open\n- [x] done **now**\n- [link](a)\n") == ["- ☐ open", "- ☑ done now", "- link"]


def test_struck_text_is_not_valid_text():
    assert texts("Price ~~100~~ 80, <del>old</del>new.\n") == ["Price  80, new."]
    assert dropped("Price ~~100~~ 80\n")["struck-out text"] == "100"
    assert texts("Price ~~100~~ 80\n", ("struck-out text",)) == ["Price 100 80"]


def test_raised_and_lowered_characters_do_not_merge():
    assert texts("10<sup>5</sup> m<sup>-3</sup>, H<sub>2</sub>O, x<sup>max</sup>, 1<sup>st</sup>\n") == [
        "10⁵ m⁻³, H₂O, x^max, 1st"
    ]


def test_escaped_bars_and_code_in_tables():
    document = read("| a | b |\n|---|---|\n| x\\|y | `p \\| q` |\n| \\* | **z** | more |\n")
    assert document.sections[0].text == "a | b\nx|y | p | q\n* | z | more"
    assert [c.text for c in document.sections[0].cells][2:] == ["x|y", "p | q", "*", "z", "more"]


def test_a_table_in_a_quote_and_in_an_item():
    assert texts("> | a | b |\n> |---|---|\n> | 1 | 2 |\n") == ["a | b\n1 | 2"]
    assert texts("- | a | b |\n  |---|---|\n  | 1 | 2 |\n") == ["a | b\n1 | 2"]


def test_formulas_keep_their_marks_of_tex():
    document = read("Let $a_1*b_2*c$ cost $5 and $6.\n\n$$\nE = m*c*d\n$$\n")
    assert [(s.role, s.text) for s in document.sections] == [
        ("text", "Let $a_1*b_2*c$ cost $5 and $6."),
        ("equation", "E = m*c*d"),
    ]


def test_a_heading_over_two_lines():
    document = read("Setext *head*\ngoes on\n=====\n")
    assert [(s.level, s.text, [p.first for p in s.locators]) for s in document.sections] == [
        (1, "Setext head goes on", [1, 2])
    ]


def test_a_heading_as_long_as_a_page_is_text():
    assert read("# " + "word " * 200 + "\n\nText.\n").sections[1].breadcrumb == ()


def test_fences_are_kept_in_markdown():
    content = "```python\n# no heading\n\n    x = 1\n```\n\n~~~\n```\n~~~\n\n    indented\n"
    document = read(content)
    assert [(s.fence, s.text) for s in document.sections] == [
        ("```python", "# no heading\n\n    x = 1"), ("~~~", "```"), ("```", "indented"),
    ]  # fmt: skip
    assert to_markdown(document) == "```python\n# no heading\n\n    x = 1\n```\n\n~~~\n```\n~~~\n\n```\nindented\n```\n"
    assert "<pre>" in to_html(document)


def test_a_fence_within_a_listing():
    document = read("````\n```\ncode\n```\n````\n")
    assert to_markdown(document) == "````\n```\ncode\n```\n````\n"


def test_nested_beyond_all_bounds_loses_nothing():
    deep = "\n".join("  " * level + "- item" + str(level) for level in range(100))
    found = "".join(texts(deep + "\n\n" + "> " * 150 + "quoted\n"))
    assert all(f"item{level}" in found for level in range(100))
    assert "quoted" in found


BLOCKS = [
    "# A", "text", "> q", "- i", "1. i", "  - j", "```", "~~~ py", "    code", "| a | b |", "|---|---|",
    "| x\\|y | `c|` |",
    "<table>", "<tr><td colspan=2>c", "</table>", "<div>t &amp; u</div>", "<!-- c -->", "<!--", "-->", "[r]: /u 't'",
    "[^n]: note", "---", "===", "$$", "$$ x $$", "title: v", "[^n]: > q", "[^n]: - [x] i", "- [ ] t", "- # h",
    "> - | a |",
]  # fmt: skip
INLINE = [
    "a", " ", "*", "**", "_", "`", "``", "~~", "[l](u)", "![p](u \"t\")", "[r]", "[r][r]", "![r]", "[^n]", "<br>",
    "<b>", "</b>",
    "<sup>2</sup>", "<!-- c -->", "&amp;", "&nbsp;", "&#0;", "\\*", "\\", "|", "$x$", "<http://a.b>", "<host>", "é",
    "铜", "  ",
    "[", "]", "(", "!", "<", "<del>", "[[l](u)](v)", "[![p](u)](v)", "\u3000", "\t",
]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.one_of(st.sampled_from(BLOCKS), st.lists(st.sampled_from(INLINE)).map("".join), st.just("")), max_size=12
    )
)
def test_the_character_sum_is_exact_for_any_markdown(lines):
    document = read("\n".join(lines))
    numbered = "\n".join(lines).split("\n")
    for section in document.sections:
        for place in section.locators:
            assert 1 <= place.first <= len(numbered)
            assert 0 <= place.start <= place.end <= len(section.text)
    words = "".join(section.text for section in document.sections) + "".join(item.text for item in document.dropped)
    assert words.count("铜") == "".join(lines).count("铜")


HOSTILE = [
    " ", "*", "_a", "`", "[", "![", "[a](", "[a][", "<", "<a ", "<!--", "</", "&", "\\", "|", "|-", "~~", "$", "[^1]",
    "[^1]: a\n", "[a]: b\n", "> ", "- ", "- a\n", "1. ", "# ", "# a\n", "a\n", "```\n", "<table>", "<td colspan=999>",
    "|a|\n|-|\n", '"', '",', "sep=", "第", "(", "\0", "\r", "a'", "\t", "a: b\n", "-\n", "x,", "。",
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=3).map("".join),
    st.sampled_from(["markdown", "text", "csv"]),
)
def test_no_text_takes_more_than_a_moment(piece, kind):
    """8,000 characters take some 30 ms as a rule; what is quadratic takes minutes with a file of a megabyte."""
    data = (piece * (8_000 // len(piece))).encode("utf-8")
    started = time.process_time()
    with contextlib.suppress(EmptyFile):
        assert read_native(kind, data, "a").document.characters.balanced
    assert time.process_time() - started < 2
