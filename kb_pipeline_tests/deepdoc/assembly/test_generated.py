"""Drawn documents with exact truth, from their bytes to sections: columns, noise, contents, tables over page breaks."""

from __future__ import annotations

from collections import Counter

import pytest

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.deepdoc.assembly.composing import grid_rows
from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.read import read_page, read_tables, render_page
from kb_pipeline.records import ParsedDocument
from kb_pipeline.settings import Settings
from kb_pipeline_tests.generated_documents import DOCUMENTS

SETTINGS = Settings().merged({"render.dpi": 144})


def read(data: bytes) -> ParsedDocument:
    file = PdfFile(data, "generated.pdf")
    layouts, tables = [], []
    for number in range(1, file.page_count + 1):
        render, characters, picture, _ = render_page(file, number, SETTINGS)
        layouts.append(read_page(file, render, characters, picture, SETTINGS))
        tables.append(read_tables(file, layouts[-1], characters, picture, SETTINGS))
    return assemble(layouts, tables, file.bookmarks(), SETTINGS)


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document_is_put_together_as_drawn(name):
    data, truth = DOCUMENTS[name]()
    document = read(data)
    assert [s.text for s in document.sections if not s.cells] == truth.texts
    shown = [[[cell.text for cell in row] for row in grid_rows(s.cells)] for s in document.sections if s.cells]
    assert shown == truth.tables
    dropped: dict[str, Counter] = {}
    for item in document.dropped:
        if item.reason != "line-end hyphen":
            dropped.setdefault(item.reason, Counter()).update(squeezed(item.text))
    assert dropped == {reason: Counter(squeezed("".join(texts))) for reason, texts in truth.dropped.items()}
    assert document.characters.balanced
    for section in document.sections:
        for cell in section.cells:
            assert {place.page for place in cell.locators} <= {place.page for place in section.locators}
