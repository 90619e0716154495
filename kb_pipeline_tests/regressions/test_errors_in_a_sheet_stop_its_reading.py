"""A cell without a number, such as #N/A, ends the reading of a workbook (ragflow #10125)."""

from __future__ import annotations

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import changed, rows, workbook


def test_errors_and_what_is_no_number_are_shown_as_they_are():
    data = workbook(rows(["a", "b", "c"], [1, 2, 3]))

    def change(text: str) -> str:
        text = text.replace('<c r="A2" t="n"><v>1</v></c>', '<c r="A2" t="e"><v>#N/A</v></c>')
        return text.replace('<c r="B2" t="n"><v>2</v></c>', '<c r="B2"><v>NaN</v></c>')

    document = read_native("xlsx", changed(data, "xl/worksheets/sheet1.xml", change), "a.xlsx").document
    assert document.sections[1].text == "a | b | c\n#N/A | NaN | 3"
