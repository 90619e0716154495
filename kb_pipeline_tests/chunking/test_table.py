"""Tables: rows whole, every part under the whole head, rows found by themselves, cells traced."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline_tests.chunking.samples import chunks, letters, section, table, texts

ROWS = [
    ["孔号", "品位", "", "深度"],
    ["", "Cu", "Au", ""],
    *[[f"ZK{i}", f"0.{i}", f"1.{i}", str(10 * i)] for i in range(30)],
]
SPANS = {(0, 0): (2, 1), (0, 1): (1, 2), (0, 3): (2, 1)}
HEAD = "孔号 | 品位 | 深度\nCu | Au"


def test_every_part_has_the_whole_multi_level_header_and_the_caption():
    found = chunks(table(ROWS, "表3 品位", 2, SPANS), chunk_tokens=60, count=letters, most=120)
    assert len(found) > 3
    assert all(chunk.text.startswith(f"表3 品位\n{HEAD}\nZK") for chunk in found)
    assert [line for text in texts(found) for line in text.split("\n")[3:]] == [" | ".join(row) for row in ROWS[2:]]


def test_a_header_row_that_only_a_spanning_cell_tells_belongs_to_the_head():
    found = chunks(table(ROWS, "", 1, SPANS), chunk_tokens=60, count=letters, most=120)
    assert all(chunk.text.startswith(HEAD) for chunk in found)


def test_headers_of_rows_are_no_head():
    grid = table([["孔号", "品位"], *[[f"ZK{i}", f"0.{i}"] for i in range(40)]])
    cells = tuple(
        type(cell)(cell.row, cell.col, 1, 1, cell.row == 0 or cell.col == 0, cell.text, cell.locators)
        for cell in grid.cells
    )
    found = chunks(
        type(grid)("", "table", grid.text, locators=grid.locators, cells=cells), chunk_tokens=40, count=letters, most=90
    )
    assert all(chunk.text.startswith("孔号 | 品位\nZK") for chunk in found)


def test_each_row_is_found_by_itself_as_pairs_and_shows_its_part():
    found = chunks(table(ROWS, "表3 品位", 2, SPANS), mode="table", chunk_tokens=60, count=letters, most=120)
    rows = [chunk for chunk in found if chunk.parent >= 0]
    assert len(rows) == 30
    assert rows[5].text == "表3 品位\n孔号: ZK5\n品位 / Cu: 0.5\n品位 / Au: 1.5\n深度: 50"
    assert "ZK5 | 0.5" in found[rows[5].parent].text
    value = next(p for p in rows[5].locators if rows[5].text[p.start : p.end] == "1.5")
    assert value.box[0] == 200.0


def test_a_merged_cell_is_in_every_row_that_it_reaches():
    rows = [["矿体", "孔号"], ["Ⅰ", "ZK1"], ["", "ZK2"], ["Ⅱ", "ZK3"]]
    found = chunks(table(rows, spans={(1, 0): (2, 1)}), mode="table")
    assert [chunk.text for chunk in found if chunk.parent >= 0] == [
        "矿体: Ⅰ\n孔号: ZK1",
        "矿体: Ⅰ\n孔号: ZK2",
        "矿体: Ⅱ\n孔号: ZK3",
    ]


def test_a_row_above_the_cap_is_parted_between_cells():
    row = [f"{letter * 30}" for letter in "abcde"]
    found = chunks(table([["1", "2", "3", "4", "5"], row], header_rows=1), chunk_tokens=64, count=letters, most=80)
    assert all(any(cell in chunk.text for chunk in found) for cell in row)
    assert all(chunk.text.startswith("1 | 2 | 3 | 4 | 5") for chunk in found)


def test_where_the_head_leaves_no_room_every_value_stands_under_its_own_header():
    head = [f"column number {i} of the table" for i in range(12)]
    rows = [[f"v{r}-{c}" for c in range(12)] for r in range(3)]
    found = chunks(table([head, *rows]), chunk_tokens=100, count=letters, most=100)
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            assert any(f"column number {c} of the table: {value}" in text for text in texts(found)), (r, c)
    assert max(chunk.tokens for chunk in found) <= 100


def test_a_short_line_before_a_table_goes_with_it_and_a_paragraph_does_not():
    long = "矿区各孔的品位列于下表，其中以ZK305孔为最高，其余各孔次之。" * 3
    assert texts(chunks(section("单位：米"), table([["a"], ["1"]]), chunk_tokens=128)) == ["单位：米\na\n1"]
    assert texts(chunks(section(long), table([["a"], ["1"]]), chunk_tokens=128)) == [long, "a\n1"]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.text("ab1矿", min_size=1, max_size=9), min_size=3, max_size=3), min_size=2, max_size=25),
    st.integers(1, 2),
    st.integers(100, 160),
)
def test_rows_of_a_split_table_each_see_their_header(rows, header_rows, most):
    rows = [*[[f"h{r}c{c}" for c in range(3)] for r in range(header_rows)], *rows]
    found = chunks(table(rows, "表1", header_rows), chunk_tokens=32, count=letters, most=most)
    head = "表1\n" + "\n".join(" | ".join(row) for row in rows[:header_rows])
    assert all(text.startswith(head + "\n") for text in texts(found))
    body = [line for text in texts(found) for line in text.removeprefix(head + "\n").split("\n")]
    assert body == [" | ".join(row) for row in rows[header_rows:]]


OBJECTS = {
    "table": table([["孔号", "深度", "品位"], ["ZK1", "9", "0.8"]]),
    "figure": section("图1 矿区地质图\n1—铜矿体 2—断层", role="figure", picture="figure-1.jpg"),
    "equation": section("Q = c h", role="equation"),
}


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("mode", ["general", "qa", "table", "manual", "sliding_window"])
def test_an_object_is_a_chunk_of_its_own_in_every_mode(mode, kind):
    found = chunks(section("矿区概况。" * 9), OBJECTS[kind], section("矿区交通。" * 9), mode=mode)
    own = [chunk for chunk in found if chunk.kind == kind and chunk.parent < 0]
    assert [(chunk.text, chunk.picture) for chunk in own] == [(OBJECTS[kind].text, OBJECTS[kind].picture)]
    assert {chunk.kind for chunk in found} == {"text", kind}
