"""One empty row or column inside a table of a sheet cuts it in two (docling #2626)."""

from __future__ import annotations

import pytest

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import rows, workbook

HEAD = ["孔号", "深度", "品位"]
ROW_GAP = [HEAD, ["ZK1", 10, 0.5], ["ZK2", 20, 0.6], [], ["ZK3", 30, 0.7], ["ZK4", 40, 0.8]]
COLUMN_GAP = [["孔号", "深度", None, "品位"], ["ZK1", 10, None, 0.5], ["ZK2", 20, None, 0.6]]


@pytest.mark.parametrize("values", [ROW_GAP, COLUMN_GAP], ids=["row", "column"])
def test_a_gap_does_not_end_a_table(values):
    document = read_native("xlsx", workbook(rows(*values)), "a.xlsx").document
    found = [section for section in document.sections if section.role == "table"]
    assert len(found) == 1
    assert [one.text for one in found[0].cells if one.header and one.text] == HEAD
    assert {str(value) for row in values for value in row if value is not None} <= {one.text for one in found[0].cells}
