"""Question mode ends with an error where a document holds no numbered questions (ragflow's `qa` on PDFs), or drops
what stands outside of pairs."""

from __future__ import annotations

from kb_pipeline_tests.chunking.samples import chunks, own_text, section, squeezed, table


def test_a_document_without_questions_gives_general_chunks():
    parts = [
        section("矿区概况", level=1),
        section("交通方便，气候温和。", trail=("矿区概况",)),
        table([["a", "b", "c"], ["1", "2", "3"]]),
    ]
    found = chunks(*parts, mode="qa")
    assert own_text(found) == squeezed(part.text for part in parts)


def test_an_empty_document_gives_none():
    assert chunks(mode="qa") == []
