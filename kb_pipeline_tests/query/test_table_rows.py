from __future__ import annotations

from kb_pipeline.query.table_rows import table_rows
from kb_pipeline.records import Box, Hit, LineLocator, PageLocator

SIZE = (595.0, 842.0)


def table(lines: list[list[tuple[str, Box]]], caption: str = "") -> Hit:
    """A table hit whose cells have boxes; empty texts are cells without a place."""
    text, places = (caption + "\n" if caption else ""), []
    for cells in lines:
        for i, (cell, box) in enumerate(cells):
            text += " | " if i else ""
            if cell:
                places.append(PageLocator(1, box, SIZE, len(text), len(text) + len(cell)))
            text += cell
        text += "\n"
    return Hit("d:1:0", "a.pdf", "d", "table", text.rstrip("\n"), (), 1.0, {}, tuple(places))


def plain(text: str) -> Hit:
    return Hit("d:1:0", "a.md", "d", "table", text, (), 1.0, {}, (LineLocator(1, 9),))


def test_values_stand_under_merged_headers_and_rows() -> None:
    hit = table(
        [
            [("孔号", (0, 0, 10, 20)), ("品位", (10, 0, 30, 10))],
            [("Cu/%", (10, 10, 20, 20)), ("Au/(g/t)", (20, 10, 30, 20))],
            [("ZK1", (0, 20, 10, 40)), ("0.86", (10, 20, 20, 30)), ("0.21", (20, 20, 30, 30))],
            [("0.54", (10, 30, 20, 40)), ("0.12", (20, 30, 30, 40))],
        ],
        "表1 化验结果",
    )
    first, second = table_rows(hit)
    assert first.statement == "表1 化验结果\n孔号: ZK1; 品位 Cu/%: 0.86; 品位 Au/(g/t): 0.21"
    assert second.statement == "表1 化验结果\n孔号: ZK1; 品位 Cu/%: 0.54; 品位 Au/(g/t): 0.12"
    assert hit.text[second.start : second.end] == "0.54 | 0.12"


def test_without_boxes_the_order_of_cells_decides() -> None:
    rows = table_rows(plain("Hole | From (m) | To (m)\nZK1 | 1.5 | 3.0\n | 4.0 | 5.5"))
    assert [row.statement for row in rows] == [
        "Hole: ZK1; From (m): 1.5; To (m): 3.0",
        "From (m): 4.0; To (m): 5.5",
    ]


def test_a_table_of_words_has_one_header_row() -> None:
    rows = table_rows(plain("Name | Rock\nNorth | limestone\nSouth | marble"))
    assert [row.statement for row in rows] == ["Name: North; Rock: limestone", "Name: South; Rock: marble"]


def test_the_rest_of_a_cell_over_a_page_break_is_no_header() -> None:
    rows = table_rows(plain("孔号 | 铜 | 特征\n |  | 断层接触\nZK2 | 0.9 | 浸染状"))
    assert [row.statement for row in rows] == ["特征: 断层接触", "孔号: ZK2; 铜: 0.9; 特征: 浸染状"]


def test_texts_that_are_no_rows() -> None:
    assert table_rows(plain("only one line")) == []
    assert table_rows(plain("")) == []
    assert [row.statement for row in table_rows(plain("a | 1"))] == ["a; 1"]
