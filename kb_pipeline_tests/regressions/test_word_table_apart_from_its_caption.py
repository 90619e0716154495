"""A Word table is indexed without the caption and text that say what it is about (ragflow #7848, #4695)."""

from __future__ import annotations

from kb_pipeline.chunking.cut import chunk_document
from kb_pipeline.formats import read_native
from kb_pipeline.settings import ChunkingSettings
from kb_pipeline_tests.chunking.samples import words
from kb_pipeline_tests.office_bytes import docx, heading, p, row, table

ROWS = [row("孔号", "品位"), *(row(f"ZK{i}", f"0.{i}") for i in range(300))]


def test_every_part_of_the_table_carries_its_caption_and_header():
    body = heading("化验") + p("结果如下。") + p("表3-1 钻孔品位") + table(*ROWS) + p("正文。")
    document = read_native("docx", docx(body), "a.docx").document
    section = next(section for section in document.sections if section.role == "table")
    assert section.caption == "表3-1 钻孔品位"
    chunks = [c for c in chunk_document(document, ChunkingSettings(chunk_tokens=200), words, 256) if c.kind == "table"]
    assert len(chunks) > 2
    assert all("表3-1 钻孔品位" in chunk.text and "孔号 | 品位" in chunk.text for chunk in chunks)
    assert all(chunk.breadcrumb == ("化验",) for chunk in chunks if "化验" not in chunk.text)


def test_a_caption_below_its_table():
    document = read_native("docx", docx(table(*ROWS[:3]) + p("Table 2: Grades") + p("Text.")), "a.docx").document
    assert [section.role for section in document.sections] == ["table", "text"]
    assert document.sections[0].caption == "Table 2: Grades"


def test_a_sentence_about_a_table_is_no_caption():
    document = read_native("docx", docx(p("表3列出了各孔品位。") + table(*ROWS[:3])), "a.docx").document
    assert [section.role for section in document.sections] == ["text", "table"]
