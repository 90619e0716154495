"""Rows with more or fewer cells than the header are dropped in table mode (ragflow's `table`)."""

from __future__ import annotations

import pytest

from kb_pipeline.records import Section, TableCell
from kb_pipeline_tests.chunking.samples import chunks

ROWS = [["孔号", "品位"], ["ZK1", "0.1", "复查"], ["ZK2"], ["ZK3", "0.3"]]


@pytest.mark.parametrize("mode", ["general", "qa", "table"])
def test_every_cell_is_in_a_chunk(mode):
    cells = tuple(TableCell(r, c, 1, 1, r == 0, text) for r, row in enumerate(ROWS) for c, text in enumerate(row))
    grid = Section("", "table", "\n".join(" | ".join(row) for row in ROWS), cells=cells)
    found = chunks(grid, mode=mode)
    own = "\n".join(chunk.text for chunk in found if chunk.parent < 0)
    assert all(text in own for row in ROWS for text in row)
    if mode == "table":
        rows = [chunk.text for chunk in found if chunk.parent >= 0]
        assert rows == ["孔号: ZK1\n品位: 0.1\n复查", "孔号: ZK2", "孔号: ZK3\n品位: 0.3"]
