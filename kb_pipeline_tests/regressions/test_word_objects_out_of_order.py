"""Pictures and tables of Word documents leave their place in the text (ragflow #6956, #5428, #7943)."""

from __future__ import annotations

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import PNG, docx, heading, p, picture, row, table


def test_everything_stands_where_it_was():
    body = (
        heading("一")
        + p("first")
        + table(row("a", "b"), row("1", "2"))
        + p("second")
        + p(picture("p1", "photo"))
        + heading("二")
        + p("third")
        + table(row("c", "d"), row("3", "4"))
    )
    document = read_native("docx", docx(body, media={"p1": PNG}), "a.docx").document
    kinds = [(section.role, section.text.split("\n")[0]) for section in document.sections]
    assert kinds == [
        ("title", "一"), ("text", "first"), ("table", "a | b"), ("text", "second"), ("figure", "photo"),
        ("title", "二"), ("text", "third"), ("table", "c | d"),
    ]  # fmt: skip
    assert document.sections[-1].breadcrumb == ("二",)
    first = [section.locators[0].first for section in document.sections]
    assert first == sorted(first)
