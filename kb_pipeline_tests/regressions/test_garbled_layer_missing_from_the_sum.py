"""A character layer that recognition replaced was gone without a word: it counted neither as read nor as dropped."""

from __future__ import annotations

from collections import Counter

import pytest

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.read import read_page, render_page
from kb_pipeline.settings import Settings
from kb_pipeline_tests.pdf_bytes import PageSource, document, page, text
from kb_pipeline_tests.regressions.test_wrong_figures_from_fonts_without_a_map import PROSE, coded


def mixed() -> PageSource:
    """A page of readable text with one garbled line."""
    source = coded(PROSE[:1])
    readable = b"".join(text("words that read like a language do", 72, 600 - 20 * i) for i in range(8))
    return page(source.content + readable, fonts=source.fonts, objects=source.objects)


@pytest.mark.parametrize(("source", "label"), [(coded(PROSE), "garbled"), (mixed(), "clean")], ids=["page", "line"])
def test_what_recognition_replaces_is_dropped_text(source: PageSource, label: str):
    settings = Settings()
    with PdfFile(document(source), "garbled.pdf") as file:
        render, characters, picture, _ = render_page(file, 1, settings)
        layout = read_page(file, render, characters, picture, settings)
    assert render.verdict.label == label
    dropped = [item for item in layout.dropped if item.reason == "garbled text"]
    wrong = characters.font != "Helvetica"
    assert Counter("".join(d.text for d in dropped).replace(" ", "")) == Counter("".join(characters.text[wrong]))
    assert all(item.locators[0].box[1] < 260 for item in dropped)
    kept = "".join(item.text for item in (*layout.lines, *layout.dropped))
    assert layout.characters == len("".join(kept.split())) >= characters.total
