"""A cell over several columns takes the span of the row before it, and columns shift (ragflow #7645)."""

from __future__ import annotations

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import cell, docx, row, table


def test_equal_neighbours_stay_two_cells_and_spans_end_with_their_row():
    data = docx(
        table(
            row("项目", "一月", "二月", "三月"),
            row("产量", cell("同上", span=2), "5"),
            row("品位", "5", "5", "5"),
            row(cell("合计", span=3), "15"),
        )
    )
    section = read_native("docx", data, "a.docx").document.sections[0]
    grid = {(one.row, one.col): (one.text, one.colspan) for one in section.cells}
    assert grid[1, 1] == ("同上", 2)
    assert grid[1, 3] == ("5", 1)
    assert [grid[2, col] for col in range(4)] == [("品位", 1), ("5", 1), ("5", 1), ("5", 1)]
    assert grid[3, 0] == ("合计", 3)
    assert grid[3, 3] == ("15", 1)
