"""Tables, figures and their captions."""

from __future__ import annotations

import pytest

from kb_pipeline.deepdoc.assembly.assemble import assemble, figure_requests
from kb_pipeline.deepdoc.assembly.captions import caption_kind
from kb_pipeline.records import Region, Section
from kb_pipeline.settings import Settings
from kb_pipeline_tests.assembly_pages import column, grid, line, page, tables

ROWS = [["孔号", "品位"], ["ZK305", "0.85"], ["ZK306", "1.02"]]
FIGURE = Region("figure", (100, 300, 400, 450))


def cell_lines(top: float = 300) -> list:
    return [line(text, 105 + 80 * c, top + 5 + 20 * r) for r, row in enumerate(ROWS) for c, text in enumerate(row)]


def with_table(*others, top: float = 300) -> list[Section]:
    lines = [*cell_lines(top), *others]
    document = assemble([page(lines)], [tables(grid(ROWS, tuple(range(6)), top=top))], [], Settings())
    assert document.characters.balanced
    return list(document.sections)


def with_figure(*others, regions=(FIGURE,)) -> list[Section]:
    return list(assemble([page(list(others), regions=regions)], [], [], Settings()).sections)


def test_a_table_reads_row_by_row_and_every_word_maps_to_its_cell():
    (table,) = with_table()
    assert table.text == "孔号 | 品位\nZK305 | 0.85\nZK306 | 1.02"
    for r, row in enumerate(ROWS):
        for c, text in enumerate(row):
            start = table.text.index(text)
            places = [p for p in table.locators if p.start < start + len(text) and p.end > start]
            assert [p.box for p in places] == [(100 + 80 * c, 300 + 20 * r, 180 + 80 * c, 320 + 20 * r)]
    assert [cell.text for cell in table.cells] == [text for row in ROWS for text in row]


def test_a_caption_becomes_the_head_of_its_table():
    table, body = with_table(line("表1 各孔品位", 100, 285), *column(["正文在这里继续写下去直到结束。"], 50, 550, 500))
    assert table.caption == "表1 各孔品位"
    assert table.text.startswith("表1 各孔品位\n孔号 | 品位")
    assert table.locators[0].box[1] == 285
    assert body.text == "正文在这里继续写下去直到结束。"


def test_a_caption_goes_to_the_nearest_fitting_object():
    lines = [*cell_lines(300), *cell_lines(500), line("表1 上面的表", 100, 285), line("表2 下面的表", 100, 485)]
    grids = tables(grid(ROWS, tuple(range(6)), top=300), grid(ROWS, tuple(range(6, 12)), top=500))
    found = assemble([page(lines)], [grids], [], Settings()).sections
    assert [section.caption for section in found] == ["表1 上面的表", "表2 下面的表"]


def test_a_figure_takes_the_caption_below_it_and_no_table_caption():
    figure, other = with_figure(line("Figure 2. Section through the mine.", 120, 455), line("Table 4 Grades", 120, 285))
    if figure.role != "figure":
        figure, other = other, figure
    assert (figure.caption, other.role) == ("Figure 2. Section through the mine.", "text")


def test_a_caption_of_several_lines_goes_as_a_whole():
    (figure,) = with_figure(
        *column(["Figure 2. A long caption that", "goes on in a second line of it."], 120, 380, 455)
    )
    assert figure.caption == "Figure 2. A long caption that goes on in a second line of it."


def test_a_caption_far_from_every_object_stays_text():
    found = with_figure(line("Figure 3. Another mine.", 120, 600))
    assert [(section.role, section.caption) for section in found] == [("figure", ""), ("text", "")]


@pytest.mark.parametrize(
    "text",
    [
        "Figure 2 shows the section.",
        "图2显示了剖面。",
        "Table 1 lists all of them.",
        "表1所示的品位很高。",
        "图1和图2都是剖面。",
        "Figures are rare.",
    ],
)
def test_sentences_about_objects_are_no_captions(text):
    assert caption_kind(text) == ""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("表1 品位", "table"),
        ("表 3-2 储量估算", "table"),
        ("附表2 样品", "table"),
        ("续表1", "table"),
        ("Table IV. Results", "table"),
        ("图5 剖面图", "figure"),
        ("Fig. 3: A mine", "figure"),
        ("Figure 7-26. Nuts", "figure"),
    ],
)
def test_captions_are_known_by_their_heads(text, kind):
    assert caption_kind(text) == kind


def test_a_figure_names_its_crop_and_keeps_its_labels():
    lines = [line("Depth", 120, 320, region=0), line("Grade", 300, 320, region=0)]
    document = assemble([page(lines, regions=(FIGURE,))], [], [], Settings())
    (figure,) = document.sections
    assert figure.text == "Depth Grade"
    assert figure_requests(document) == [(figure.picture, 1, FIGURE.box)]


def test_pictures_of_one_document_have_names_of_their_own():
    regions = (FIGURE, Region("figure", (100, 500, 400, 600)))
    document = assemble([page([], 1, regions), page([], 2, regions)], [], [], Settings())
    assert len({section.picture for section in document.sections}) == 4


def test_running_text_in_a_figure_region_is_text():
    prose = column(["这一段文字被版面模型当成了插图里的文字，其实它是正文的一部分内容"] * 9, 100, 400, 305, 0)
    (section,) = with_figure(*prose)
    assert (section.role, section.picture) == ("text", "")


def test_a_cell_with_several_places_keeps_their_ranges():
    """A cell of two lines: each half of its text maps to its own line."""
    made = grid([["ab cd"]], (0,))
    first, second = (
        type(made.cells[0].locators[0])(1, (100, y, 180, y + 10), (600, 800), a, b)
        for y, a, b in ((300, 0, 2), (310, 3, 5))
    )
    cell = type(made.cells[0])(0, 0, 1, 1, False, "ab\ncd", (first, second))
    table = type(made)(1, made.box, -1, 1, 1, (cell,), "<table></table>", "rulings", 1.0, (0,))
    (section,) = assemble([page([line("ab cd", 100, 300)])], [tables(table)], [], Settings()).sections
    assert [(section.text[p.start : p.end], p.box[1]) for p in section.locators] == [("ab", 300), ("cd", 310)]
