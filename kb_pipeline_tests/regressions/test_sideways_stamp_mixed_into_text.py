"""A stamp printed sideways along the margin was cut up and mixed letter by letter into the lines beside it."""

from __future__ import annotations

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.lines import page_lines
from kb_pipeline_tests.pdf_bytes import document, page, text


def test_the_stamp_is_one_vertical_line():
    body = [f"Line {n} of the body text" for n in range(1, 21)]
    content = b"".join(text(line, 72, 720 - 14 * i) for i, line in enumerate(body))
    content += b"BT /F2 20 Tf 0 1 -1 0 66 470 Tm (arXiv:2101.00001v2 [cs.CL] 3 Feb) Tj ET"
    with PdfFile(document(page(content)), "stamp.pdf") as file:
        found = page_lines(file.characters(1)).lines
    assert [line.text for line in found if not line.vertical] == body
    assert [line.text for line in found if line.vertical] == ["arXiv:2101.00001v2 [cs.CL] 3 Feb"]
