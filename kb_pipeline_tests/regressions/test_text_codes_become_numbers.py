"""Codes such as 007 lose their zeros on the way through a spreadsheet (ragflow #8782)."""

from __future__ import annotations

import pytest

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import rows, workbook

CODES = [["编号", "证件"], ["007", "110101199001011234"], ["012", "000000000000000001"]]


@pytest.mark.parametrize(
    ("kind", "data"),
    [("xlsx", workbook(rows(*CODES))), ("csv", "\n".join(",".join(row) for row in CODES).encode())],
)
def test_codes_stay_as_they_are_written(kind, data):
    section = read_native(kind, data, f"a.{kind}").document.sections[-1]
    assert section.text == "编号 | 证件\n007 | 110101199001011234\n012 | 000000000000000001"
