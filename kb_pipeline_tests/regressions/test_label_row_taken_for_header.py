"""A label row above or inside a table is taken for its header (docling #3687)."""

from __future__ import annotations

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import rows, workbook

VALUES = [["2023年度检测结果"], ["样号", "Cu", "Au"], ["东区"], ["A1", 0.5, 0.1], ["西区"], ["B1", 0.6, 0.2]]


def table(kind):
    data = workbook(rows(*VALUES))
    if kind == "csv":
        data = "\n".join(",".join([*map(str, row), *[""] * (3 - len(row))]) for row in VALUES).encode()
    return read_native(kind, data, f"a.{kind}").document.sections[-1]


def test_the_header_names_the_columns_and_the_label_is_the_caption():
    for kind in ("xlsx", "csv"):
        section = table(kind)
        assert section.caption == "2023年度检测结果"
        assert [one.text for one in section.cells if one.header] == ["样号", "Cu", "Au"]
        assert {"东区", "西区"} <= {one.text for one in section.cells if not one.header}
