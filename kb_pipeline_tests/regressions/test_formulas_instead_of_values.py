"""A workbook's formulas are read in place of their values (ragflow #2406)."""

from __future__ import annotations

import re

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import changed, rows, workbook

SHEET = rows(["孔号", "见矿厚度"], ["ZK1", 10], ["ZK2", "=B2*1.5"])


def test_the_stored_value_is_shown():
    part = "xl/worksheets/sheet1.xml"
    stored = changed(workbook(SHEET), part, lambda text: re.sub("<v ?/>|<v></v>", "<v>15</v>", text))
    document = read_native("xlsx", stored, "a.xlsx").document
    assert document.sections[1].text.endswith("ZK2 | 15")
    assert not document.notes


def test_a_formula_without_one_is_shown_and_told():
    document = read_native("xlsx", workbook(SHEET), "a.xlsx").document
    assert document.sections[1].text.endswith("ZK2 | =B2*1.5")
    assert document.notes == ("Sheet1: 1 formulas without a stored value",)
