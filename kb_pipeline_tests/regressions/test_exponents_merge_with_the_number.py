"""Raised characters of Word runs came out as digits of the number before them: 10 to the fifth as 105."""

from __future__ import annotations

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import docx, p, r


def test_exponents_merge_with_the_number():
    up = '<w:vertAlign w:val="superscript"/>'
    body = p(r("10") + r("5", up) + r(" or 10") + r("-3", up))
    document = read_native("docx", docx(body), "a.docx").document
    assert [section.text for section in document.sections] == ["10⁵ or 10⁻³"]
