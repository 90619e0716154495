"""A GB18030 file with names of four bytes came out as Cyrillic letters."""

from __future__ import annotations

from kb_pipeline.formats import read_native


def test_rare_names_read_as_cyrillic():
    data = "姓名,部门\n㐂田,运维\n𠮷野,设备\n".encode("gb18030")
    document = read_native("csv", data, "names.csv").document
    assert document.charset == "gb18030"
    assert [cell.text for cell in document.sections[0].cells] == ["姓名", "部门", "㐂田", "运维", "𠮷野", "设备"]
