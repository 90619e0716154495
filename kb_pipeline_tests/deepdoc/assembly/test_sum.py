"""Not one character is lost or counted twice, whatever the pages hold."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.records import Dropped, PageLocator, ParsedDocument, Region, Role, TextLine, encode
from kb_pipeline.settings import AssemblySettings, Settings
from kb_pipeline.text import drop_reasons
from kb_pipeline.text.drop_reasons import DropReason
from kb_pipeline_tests.assembly_pages import HEIGHT, WIDTH, characters, grid, line, page, tables

PHRASES = st.sampled_from(
    [
        "12",
        "- 3 -",
        "第 4 页",
        "Annual report",
        "年度报告 2023",
        "well-",
        "known facts about inter-",
        "national trade.",
        "表1 品位统计",
        "Figure 2 shows nothing",
        "第一章 总则",
        "1.1 Scope",
        "• item",
        "（一）地质概况",
        "ends here.",
        "。",
        "a | b",
        "soft\xad",
        "hyphen",
        "|",
        "  padded  ",
        "𠮷野家",
        "e\u0301t\u00e9",
    ]
)
# why reading a page drops text
PAGE_REASONS = {
    *(drop_reasons.INVISIBLE, drop_reasons.TRANSPARENT, drop_reasons.BACKGROUND_COLOURED, drop_reasons.OFF_PAGE),
    *(drop_reasons.TWICE, drop_reasons.TINY, drop_reasons.LOW_SCORE, drop_reasons.GARBLED),
}
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=12)
ROLES = st.sampled_from(get_args(Role))
X = st.integers(0, int(WIDTH) - 40)
Y = st.integers(0, int(HEIGHT) - 20)


@st.composite
def boxes(draw, widest: int = 300, tallest: int = 14):
    x0, top = draw(X), draw(Y)
    return float(x0), float(top), float(x0 + draw(st.integers(5, widest))), float(top + draw(st.integers(4, tallest)))


@st.composite
def lines(draw, regions: int):
    text = draw(st.one_of(PHRASES, WORDS))
    region = draw(st.integers(-1, regions - 1)) if regions else -1
    vertical = draw(st.integers(0, 9)) == 0
    size = float(draw(st.sampled_from([0, 8, 10, 10, 10, 16])))
    return TextLine(
        text, draw(boxes()), "text layer", size=size, bold=draw(st.booleans()), vertical=vertical, region=region
    )


@st.composite
def documents(draw):
    pages, grids = [], []
    shared = draw(st.lists(lines(0), max_size=2))  # the same lines at the same places of every page
    for number in range(1, draw(st.integers(1, 4)) + 1):
        regions = tuple(Region(draw(ROLES), draw(boxes(400, 300))) for _ in range(draw(st.integers(0, 4))))
        found = draw(st.lists(lines(len(regions)), max_size=14)) + shared
        if found and draw(st.booleans()):
            found.append(found[0])  # drawn twice
        held = draw(st.integers(0, min(3, len(found))))
        if held:
            rows = [[item.text, ""] for item in found[:held]]
            grids.append(tables(grid(rows, tuple(range(held)), number=number), number=number))
        dropped = draw(st.lists(st.builds(lambda text: Dropped(text, "off page"), WORDS), max_size=2))
        turned = draw(st.sampled_from([0, 0, 0, 90, 180, 270]))
        pages.append(page(found, number, regions, tuple(dropped), turned=turned))
    return pages, grids


def source(pages) -> Counter[str]:
    return Counter(
        c for layout in pages for item in (*layout.lines, *layout.dropped) for c in item.text if not c.isspace()
    )


def result(document: ParsedDocument) -> Counter[str]:
    """Characters of sections and dropped texts, the bars between cells left out."""
    found: Counter[str] = Counter(c for item in document.dropped for c in item.text)
    for section in document.sections:
        ranges = [(place.start, place.end) for place in section.locators if place.end > place.start]
        for start, end in ranges:
            found.update(section.text[start:end])
        rest = list(section.text)
        for start, end in ranges:
            rest[start:end] = " " * (end - start)
        assert not "".join(rest).replace("|", "").split(), "text outside every locator's range"
    return Counter({c: n for c, n in found.items() if not c.isspace()})


@settings(max_examples=250, deadline=None)
@given(documents())
def test_every_character_is_in_a_section_or_dropped_with_a_reason(drawn):
    pages, grids = drawn
    document = assemble(pages, grids, [], Settings())
    assert result(document) == source(pages)
    assert document.characters.balanced
    assert document.characters.in_ == sum(source(pages).values())
    assert sum(document.characters.dropped.values()) == sum(characters(item.text) for item in document.dropped)
    assert all(item.reason and item.text for item in document.dropped)


@settings(max_examples=60, deadline=None)
@given(documents())
def test_every_range_lies_inside_its_text_and_every_section_has_a_place(drawn):
    document = assemble(*drawn, [], Settings())
    for section in document.sections:
        assert section.locators
        assert all(
            isinstance(place, PageLocator) and 0 <= place.start <= place.end <= len(section.text)
            for place in section.locators
        )
    assert len({section.id for section in document.sections}) == len(document.sections)


@settings(max_examples=40, deadline=None)
@given(documents())
def test_the_same_pages_give_the_same_bytes(drawn):
    assert encode(assemble(*drawn, [], Settings())) == encode(assemble(*drawn, [], Settings()))


@settings(max_examples=40, deadline=None)
@given(documents())
def test_with_every_reason_switched_off_only_the_pages_drop(drawn):
    pages, grids = drawn
    keep = tuple(reason for reason in get_args(DropReason) if reason not in PAGE_REASONS)
    document = assemble(pages, grids, [], Settings(assembly=AssemblySettings(keep=keep)))
    assert document.characters.balanced
    assert len(document.dropped) == sum(len(layout.dropped) for layout in pages)


def test_every_reason_has_a_switch():
    written = {drop_reasons.MARKDOWN_MARK, drop_reasons.HTML_TAG, drop_reasons.PICTURE_ADDRESS}  # marks, not text
    always = {drop_reasons.COVERED_BY_MERGE, *written}
    reasons = {value for name, value in vars(drop_reasons).items() if name.isupper()}
    assert set(get_args(DropReason)) == reasons - always


def test_text_that_a_page_dropped_comes_back_where_its_reason_is_switched_off():
    hidden = Dropped(
        "a hidden remark", "invisible text", (PageLocator(1, (50.0, 300.0, 200.0, 312.0), (WIDTH, HEIGHT)),)
    )
    layout = page([line("A line that is seen.", 50, 100)], dropped=(hidden,))
    document = assemble([layout], [], [], Settings(assembly=AssemblySettings(keep=("invisible text",))))
    assert [section.text for section in document.sections] == ["A line that is seen.", "a hidden remark"]
    assert document.dropped == () and document.characters.balanced


def test_a_failed_page_is_listed_with_its_error():
    failed = page([], 2, error="PageFailed: the page cannot be read")
    document = assemble([page([]), failed], [], [], Settings())
    assert [item.error for item in document.pages] == ["", "PageFailed: the page cannot be read"]
    assert document.characters.in_ == 0
    assert document.characters.balanced
