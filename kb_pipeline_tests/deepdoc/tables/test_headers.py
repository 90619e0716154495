"""Header rows by what stands in them."""

from __future__ import annotations

import numpy as np
import pytest

from kb_pipeline.deepdoc.tables.grid import Cell, Grid
from kb_pipeline.deepdoc.tables.headers import with_headers


def marked(rows, spans=None, headers=()):
    """Rows that are marked; `spans` maps (row, col) to (rowspan, colspan), None stands for a place under a span."""
    cells, texts = [], []
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            if text is not None:
                rowspan, colspan = (spans or {}).get((r, c), (1, 1))
                cells.append(Cell(r, c, rowspan, colspan, r in headers))
                texts.append(text)
    grid = with_headers(Grid(tuple(cells), np.zeros((len(cells), 4)), "rulings"), texts)
    return sorted({cell.row for cell in grid.cells if cell.header})


def test_words_above_figures_are_the_header():
    assert marked([["Hole", "Depth/m", "Cu/%"], ["ZK301", "212.45", "0.86"], ["ZK302", "218.30", "1.04"]]) == [0]


def test_a_header_of_two_levels_is_marked_whole():
    rows = [
        ["钻孔编号", "见矿深度/m", None, "品位", None],
        [None, "自", "至", "Cu/%", "Au/(g/t)"],
        ["ZK301", "212.45", "220.80", "0.86", "0.21"],
    ]
    assert marked(rows, {(0, 0): (2, 1), (0, 1): (1, 2), (0, 3): (1, 2)}) == [0, 1]


def test_years_name_columns():
    assert marked([["项目", "2023年", "2024年"], ["营业收入", "1,200.5", "1,310.2"]]) == [0]
    assert marked([["", "2019", "2020"], ["Runoff", "541 mm", "563 mm"]]) == [0]


@pytest.mark.parametrize(
    "rows",
    [
        [["Area", "6.42 km²"], ["Height", "1180"]],  # labels beside values: the first row is data
        [["12.5", "13.0"], ["1.0", "2.0"]],
        [["Name", "Place"], ["Wei", "North"]],  # words only
    ],
)
def test_what_is_no_header_is_not_marked(rows):
    assert marked(rows) == []


def test_marks_of_the_model_stay_where_nothing_is_proven():
    assert marked([["Name", "Place"], ["Wei", "North"]], headers=(0,)) == [0]


def test_a_label_that_runs_on_into_the_figures_is_no_header():
    rows = [["North", "Depth", "Width"], [None, "12.0", "3.0"], [None, "14.0", "2.0"]]
    assert marked(rows, {(0, 0): (3, 1)}) == []
