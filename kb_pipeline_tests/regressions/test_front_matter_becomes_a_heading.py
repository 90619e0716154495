"""The lines between two rules at the head of a Markdown file came out as one heading of level 2, and every section
stood below it."""

from __future__ import annotations

from kb_pipeline.formats import read_native


def test_front_matter_becomes_a_heading():
    data = b"---\ntitle: Pump manual\ntags: [a, b]\n---\n\n# Start\n\nText one.\n"
    document = read_native("markdown", data, "manual.md").document
    assert document.properties == {"title": "Pump manual", "tags": "a, b"}
    assert [(section.level, section.text) for section in document.sections] == [(1, "Start"), (0, "Text one.")]
    assert document.sections[1].breadcrumb == ("Start",)
