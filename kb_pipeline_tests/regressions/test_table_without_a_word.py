"""A Markdown table of empty cells gave a section without text and without a place."""

from __future__ import annotations

from kb_pipeline.formats import read_native


def test_a_table_without_a_word_is_no_section() -> None:
    document = read_native("markdown", b"before\n\n| | |\n|---|---|\n| | |\n\nafter\n", "a.md").document
    assert [section.text for section in document.sections] == ["before", "after"]
    assert document.characters.balanced
