"""Tables over page breaks: joined by position and columns, headers once, split rows whole, every cell with its page."""

from __future__ import annotations

import pytest

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.records import ParsedDocument
from kb_pipeline.settings import AssemblySettings, Settings
from kb_pipeline_tests.assembly_pages import column, grid, line, page, tables

HEADER = ["Hole", "Depth", "Copper", "Remarks"]
FIRST = [["ZK1", "212.5", "0.86", "vein in marble"], ["ZK2", "218.3", "1.04", "contact with the"]]
SECOND = [["ZK3", "224.6", "1.12", "massive ore"], ["ZK4", "229.8", "1.27", "fault"]]
WHOLE = "Hole | Depth | Copper | Remarks\nZK1 | 212.5 | 0.86 | vein in marble\nZK2 | 218.3 | 1.04 | contact with the"


def read(first, second, keep=(), caption="", between=(), top=60.0, cell=(110, 20)) -> ParsedDocument:
    """A document of two pages: a table at the foot of the first, another at the head of the second."""

    def with_lines(rows, number, at, extra, size):
        texts = [text for row in rows for text in row if text]
        cells = [line(text, 100, at, number=None) if False else line(text, 100, at + i) for i, text in enumerate(texts)]
        made = grid(rows, tuple(range(len(cells))), x0=100, top=at, number=number, cell=size)
        return page([*cells, *extra], number), tables(made, number=number)

    head = column(["the first page tells a story in this line"] * 3, 50, 550, 100)
    foot = column(["the second page tells another story here"] * 3, 50, 550, 500)
    captions = [line(caption, 100, 44)] if caption else []
    one, grids_one = with_lines(first, 1, 700, [*head, *between], (110, 20))
    two, grids_two = with_lines(second, 2, top, [*captions, *foot], cell)
    return assemble([one, two], [grids_one, grids_two], [], Settings(assembly=AssemblySettings(keep=keep)))


def shown(document: ParsedDocument) -> list[str]:
    assert document.characters.balanced
    return [section.text for section in document.sections if section.cells]


def reasons(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(item.text, item.reason) for item in document.dropped]


def test_a_repeated_header_is_dropped_and_the_rows_follow():
    document = read([HEADER, *FIRST], [HEADER, *SECOND])
    assert shown(document) == [f"{WHOLE}\nZK3 | 224.6 | 1.12 | massive ore\nZK4 | 229.8 | 1.27 | fault"]
    assert reasons(document) == [(text, "repeated table header") for text in HEADER]
    assert "<td>ZK4</td>" in document.sections[1].html and document.sections[1].html.count("Hole") == 1


def test_every_cell_keeps_its_own_page_and_the_section_has_both_places():
    table = next(s for s in read([HEADER, *FIRST], [HEADER, *SECOND]).sections if s.cells)
    assert {cell.text: [place.page for place in cell.locators] for cell in table.cells if cell.col == 0} == {
        "Hole": [1],
        "ZK1": [1],
        "ZK2": [1],
        "ZK3": [2],
        "ZK4": [2],
    }
    assert [place.page for place in table.locators[:2]] == [1, 2]


def test_a_table_without_a_repeated_header_is_joined_too():
    assert shown(read([HEADER, *FIRST], SECOND)) == [
        f"{WHOLE}\nZK3 | 224.6 | 1.12 | massive ore\nZK4 | 229.8 | 1.27 | fault"
    ]


def test_a_row_that_the_break_splits_is_one_row_with_both_places():
    document = read([HEADER, *FIRST], [HEADER, ["", "", "", "diorite"], *SECOND])
    text = shown(document)[0]
    assert "\nZK2 | 218.3 | 1.04 | contact with the diorite\nZK3" in text
    cell = next(c for s in document.sections for c in s.cells if "diorite" in c.text)
    assert [(p.page, cell.text[p.start : p.end]) for p in cell.locators] == [(1, "contact with the"), (2, "diorite")]


def test_a_row_without_a_key_of_its_own_stays_where_it_holds_values():
    document = read([HEADER, *FIRST], [HEADER, ["", "251.2", "0.54", "second vein"], *SECOND])
    assert "\n | 251.2 | 0.54 | second vein\n" in shown(document)[0]


@pytest.mark.parametrize("caption", ["Table 1 (continued)", "续表 1", "表 1（续）"])
def test_the_caption_of_a_continuation_is_dropped(caption):
    document = read([HEADER, *FIRST], [HEADER, *SECOND], caption=caption)
    assert len(shown(document)) == 1
    assert (caption, "continued caption") in reasons(document)


def test_another_caption_parts_tables():
    assert len(shown(read([HEADER, *FIRST], [HEADER, *SECOND], caption="Table 2. Wells"))) == 2


def test_tables_of_other_columns_stay_apart():
    three = [["Well", "Level", "Month"], ["W1", "4.2", "May"]]
    assert len(shown(read([HEADER, *FIRST], three))) == 2
    assert len(shown(read([HEADER, *FIRST], [HEADER, *SECOND], cell=(60, 20)))) == 2


def test_a_table_far_down_the_next_page_stays_apart():
    assert len(shown(read([HEADER, *FIRST], [HEADER, *SECOND], top=400.0))) == 2


def test_reasons_that_are_switched_off_keep_rows_and_captions():
    keep = ("repeated table header", "continued caption")
    document = read([HEADER, *FIRST], [HEADER, *SECOND], keep=keep, caption="续表 1")
    assert shown(document)[0].count("Hole | Depth") == 2
    assert "续表 1" in [section.text for section in document.sections]
    assert reasons(document) == []
