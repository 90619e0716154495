"""A merged cell's text comes once for each cell that it covers, or not at all (ragflow #6510, unstructured #2106)."""

from __future__ import annotations

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import cell, docx, row, rows, table, workbook


def sheet(target):
    rows(["类别", "名称", "含量"], ["硫化物", "黄铜矿", 34], [None, "辉铜矿", 79])(target)
    target.merge_cells("A2:A3")


def test_once_in_a_sheet():
    section = read_native("xlsx", workbook(sheet), "a.xlsx").document.sections[1]
    merged = next(one for one in section.cells if one.text == "硫化物")
    assert section.text.count("硫化物") == 1
    assert (merged.rowspan, merged.locators[0].range) == (2, "A2:A3")


def test_once_in_a_document():
    data = docx(
        table(
            row("类别", "名称", "含量"),
            row(cell("硫化物", merge="restart"), "黄铜矿", "34"),
            row(cell("", merge="continue"), "辉铜矿", "79"),
        )
    )
    section = read_native("docx", data, "a.docx").document.sections[0]
    assert section.text.count("硫化物") == 1
    assert next(one for one in section.cells if one.text == "硫化物").rowspan == 2
