"""A figure's chunk named its picture without the ending under which it is kept, so that it could not be had."""

from __future__ import annotations

from pathlib import Path

import pypdfium2

from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.stages.pipeline import open_context

REPORT = Path(__file__).parents[2] / "examples" / "documents" / "铜山矿区地质勘查报告.pdf"
PAGE = 4  # it has a figure


def test_the_picture_of_a_figure_on_a_page_is_found(kb_home: Path, tmp_path: Path) -> None:
    page = pypdfium2.PdfDocument.new()
    page.import_pages(pypdfium2.PdfDocument(REPORT), [PAGE - 1])
    page.save(tmp_path / "page.pdf")
    with open_context() as context:
        entry = context.catalogue.create("figures", {})
        documents = register(context.catalogue, entry, [str(tmp_path / "page.pdf")])
        assert ingest(entry, documents, context, lambda step: None).failures == ()
    base = KnowledgeBase.open("figures")
    figure = next(hit for hit in base.search("剖面图", top=20) if hit.kind == "figure")
    assert base.picture(figure).startswith(b"\xff\xd8")  # JPEG
