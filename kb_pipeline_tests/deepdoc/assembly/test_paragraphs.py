"""Lines become paragraphs: joined as their script asks, going on over columns and pages, each line with its place."""

from __future__ import annotations

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.records import Region, Section
from kb_pipeline.settings import AssemblySettings, Settings
from kb_pipeline_tests.assembly_pages import PITCH, column, line, page


def sections(*pages, keep=()) -> list[Section]:
    return list(assemble(pages, [], [], Settings(assembly=AssemblySettings(keep=keep))).sections)


def texts(*pages, **more) -> list[str]:
    return [section.text for section in sections(*pages, **more)]


def test_latin_lines_are_joined_by_a_space_and_chinese_lines_by_none():
    latin = column(["the first line of it", "and the second one of it"], 50, 300, 100)
    chinese = column(["矿区位于省境东南部，交通", "方便，气候温和。"], 50, 300, 300)
    assert texts(page(latin + chinese)) == [
        "the first line of it and the second one of it",
        "矿区位于省境东南部，交通方便，气候温和。",
    ]


def test_every_line_keeps_its_place_with_its_range_of_the_text():
    lines = column(["one line of the", "paragraph and another"], 50, 300, 100)
    (section,) = sections(page(lines))
    assert [(place.page, place.box, section.text[place.start : place.end]) for place in section.locators] == [
        (1, (50, 100, 300, 110), "one line of the"),
        (1, (50, 114, 300, 124), "paragraph and another"),
    ]


def test_a_hyphen_at_a_line_end_goes_and_is_accounted_for():
    document = assemble([page(column(["the geo-", "logical survey of it"], 50, 300, 100))], [], [], Settings())
    assert [section.text for section in document.sections] == ["the geological survey of it"]
    assert [(item.text, item.reason) for item in document.dropped] == [("-", "line-end hyphen")]
    assert document.characters.balanced


def test_hyphens_of_words_stay():
    assert texts(page(column(["this is a well-", "known fact about it"], 50, 300, 100))) == [
        "this is a well-known fact about it"
    ]
    assert texts(page(column(["the disease COVID-", "19 was found in it"], 50, 300, 100))) == [
        "the disease COVID-19 was found in it"
    ]
    spelled = ["the co-operation was good and", "they wanted more of co-", "operation with each other"]
    assert texts(page(column(spelled, 50, 300, 100)))[0].endswith("more of co-operation with each other")


def test_the_hyphen_rule_can_be_switched_off():
    lines = column(["the geo-", "logical survey of it"], 50, 300, 100)
    assert texts(page(lines), keep=("line-end hyphen",)) == ["the geo-logical survey of it"]


def test_a_soft_hyphen_goes():
    assert texts(page(column(["the geo\u00ad", "logical survey of it"], 50, 300, 100))) == [
        "the geological survey of it"
    ]


def test_an_indented_line_starts_a_paragraph():
    lines = column(["a first paragraph that fills its line", "and goes on to the end of this line"], 50, 300, 100)
    lines += [line("a second paragraph with an indent", 70, 100 + 2 * PITCH, 300)]
    lines += column(["that goes on at the left edge of it"], 50, 300, 100 + 3 * PITCH)
    assert [text.split()[1] for text in texts(page(lines))] == ["first", "second"]


def test_a_short_line_that_ends_a_sentence_ends_the_paragraph():
    lines = [
        line("第一段落的第一行文字写满了整个版心宽度。", 50, 100, 300),
        line("第一段结束。", 50, 114, 130),
        line("第二段落的第一行文字写满了整个版心宽度", 50, 128, 300),
    ]
    assert texts(page(lines)) == [
        "第一段落的第一行文字写满了整个版心宽度。第一段结束。",
        "第二段落的第一行文字写满了整个版心宽度",
    ]


def test_numbered_items_are_paragraphs_of_their_own():
    items = [
        "1. copper ore of the first kind is mined here;",
        "2. gold is found in the second adit of it;",
        "3. silver was never found at all here.",
    ]
    assert texts(page(column(items, 50, 300, 100))) == items


def test_a_number_that_merely_begins_a_wrapped_line_starts_nothing():
    lines = column(
        ["the figures were reported again in the year", "2019 and they were higher than before that"], 50, 300, 100
    )
    assert len(texts(page(lines))) == 1


def test_hanging_entries_are_parted_at_the_left_edge():
    lines = [
        line("[1] Lin, A. A study of copper in the hills.", 50, 100, 300),
        line("Journal of Ores, 2001.", 70, 114, 190),
        line("[2] Wu, B. Another study of gold in the hills.", 50, 128, 300),
        line("Journal of Ores, 2002.", 70, 142, 190),
    ]
    assert [text[:3] for text in texts(page(lines))] == ["[1]", "[2]"]


def test_a_paragraph_goes_on_over_a_column_and_keeps_both_places():
    lines = column(["left column line that is full", "and its last line goes right on"], 50, 285, 100)
    lines += column(["to the right column where it", "comes to its end at last here."], 315, 550, 100)
    (section,) = sections(page(lines))
    assert "goes right on to the right column" in section.text
    assert {place.box[0] for place in section.locators} == {50, 315}


def test_a_paragraph_goes_on_over_a_page_and_keeps_both_places():
    first = page(column(["文字写满了整个版心的宽度一直写到这", "一页的最后一行仍然没有写完所以要接"], 50, 300, 650), 1)
    second = page(column(["到下一页继续写下去直到结束为止。"], 50, 300, 60), 2)
    (section,) = sections(first, second)
    assert "所以要接到下一页" in section.text
    assert [place.page for place in section.locators] == [1, 1, 2]


def test_a_float_between_two_halves_does_not_end_a_paragraph():
    regions = (
        Region("figure", (310, 90, 560, 300)),
        Region("text", (50, 90, 285, 130)),
        Region("text", (315, 320, 550, 350)),
    )
    lines = column(["left column line that is full", "and its last line goes right on"], 50, 285, 100, 1)
    lines += [line("Depth in metres", 350, 200, region=0)]
    lines += column(["to the right column below a", "figure and ends there at last."], 315, 550, 325, 2)
    found = sections(page(lines, regions=regions))
    assert [section.role for section in found] == ["text", "figure"]
    assert "goes right on to the right column" in found[0].text


def test_a_finished_paragraph_does_not_go_on():
    first = page(column(["this sentence fills the line and then it ends here."], 50, 300, 700), 1)
    second = page(column(["Another one begins on the next page of it."], 50, 300, 60), 2)
    assert len(texts(first, second)) == 2


def test_entries_of_a_table_of_contents_stay_apart_and_keep_their_numbers():
    titles = ["Objectives of the survey", "Geology of the region", "Results of the drilling"]
    lines = column(titles, 50, 300, 100) + [line(str(i + 3), 500, 100 + i * PITCH) for i in range(3)]
    assert texts(page(lines)) == [f"{title} {i + 3}" for i, title in enumerate(titles)]
