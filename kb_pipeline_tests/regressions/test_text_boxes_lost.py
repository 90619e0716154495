"""Text in boxes and shapes of Word documents is missing, or comes twice (docling #494, #1586)."""

from __future__ import annotations

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import docx, p, row, table

BOX = (
    "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp>"
    "<wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor>"
    "</w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>{inner}</w:txbxContent></v:textbox>"
    "</v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)


def test_a_box_stands_once_at_its_place():
    body = p("before") + p(BOX.format(inner=p("in the box") + table(row("a", "b"), row("1", "2")))) + p("after")
    document = read_native("docx", docx(body), "a.docx").document
    assert [section.text for section in document.sections] == ["before", "in the box", "a | b\n1 | 2", "after"]
    assert document.characters.balanced


def test_where_only_the_fallback_says_something():
    body = p(BOX.format(inner=p("old")).replace("<wps:txbx><w:txbxContent>" + p("old"), "<wps:txbx><w:txbxContent>"))
    document = read_native("docx", docx(body), "a.docx").document
    assert [section.text for section in document.sections] == ["old"]
