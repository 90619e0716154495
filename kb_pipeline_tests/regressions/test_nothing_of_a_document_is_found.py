"""A document of which nothing was left to find counted as ingested, without a word."""

from __future__ import annotations

from kb_pipeline import cli_lines
from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.operations.status import document_status
from kb_pipeline.stages.pipeline import open_context
from kb_pipeline_tests.pdf_pages import text_pdf


def test_ingest_and_status_tell_of_it_with_the_reason(kb_home, tmp_path):
    (tmp_path / "blank.pdf").write_bytes(text_pdf([[], []]))
    (tmp_path / "comment.md").write_text("<!-- nothing but a remark -->\n")
    (tmp_path / "good.md").write_text("# A\n\nText.\n")
    with open_context() as context:
        kb = context.catalogue.create("one", {})
        documents = register(context.catalogue, kb, [str(tmp_path)])
        report = ingest(kb, [one for one in documents if not one.path.startswith("home")], context, lambda step: None)
        assert report.failures == ()
        reasons = {one.document: one.reason for one in report.warnings}
        assert set(reasons) == {"blank.pdf", "comment.md"}
        assert reasons["blank.pdf"] == "no chunks: no text was found on its 2 pages"
        assert "dropped: " in reasons["comment.md"] and "characters" in reasons["comment.md"]
        states = {one.path: document_status(one, context) for one in documents}
        assert states["blank.pdf"].reason == reasons["blank.pdf"] and states["good.md"].reason == ""
    assert any("blank.pdf: no chunks" in line for line in cli_lines.ingest_lines(report))
