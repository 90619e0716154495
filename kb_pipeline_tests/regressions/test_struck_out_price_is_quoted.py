"""An old price, struck out in Word or Excel, came out beside the new one as if both were valid."""

from __future__ import annotations

from openpyxl.styles import Font

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import docx, p, r, workbook


def test_struck_out_price_in_word():
    document = read_native("docx", docx(p(r("Price ") + r("100", "<w:strike/>") + r("80"))), "a.docx").document
    assert [section.text for section in document.sections] == ["Price 80"]
    assert [(item.reason, item.text) for item in document.dropped] == [("struck-out text", "100")]


def test_struck_out_price_in_excel():
    def fill(sheet):
        for values in (["item", "price"], ["pump", 100], ["valve", 80]):
            sheet.append(values)
        sheet["B2"].font = Font(strike=True)

    document = read_native("xlsx", workbook(fill), "a.xlsx").document
    assert [(item.reason, item.text) for item in document.dropped] == [("struck-out text", "100")]
