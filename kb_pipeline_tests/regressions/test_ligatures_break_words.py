"""Words with fi, fl or ffi in them came out with one odd character, so that nobody found them by searching."""

from __future__ import annotations

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.lines import page_lines
from kb_pipeline_tests.pdf_bytes import document, hex_text, identity_font, page


def test_words_with_ligatures_are_plain_letters():
    glyphs = ["e", "ﬃ", "c", "i", "n", "t", " ", "ﬂ", "o", "w"]
    codes = {glyph: f"{i + 1:04X}" for i, glyph in enumerate(glyphs)}
    shown = "".join(codes[g] for g in ["e", "ﬃ", "c", "i", "e", "n", "t", " ", "ﬂ", "o", "w"])
    objects = identity_font({i + 1: glyph for i, glyph in enumerate(glyphs)}, width=500)
    source = page(hex_text(shown, 72, 700, font="F9"), fonts={"F9": b"{F9} 0 R"}, objects=objects)
    with PdfFile(document(source), "ligatures.pdf") as file:
        (line,) = page_lines(file.characters(1)).lines
    assert line.text == "efficient flow"
    assert len(line.edges) == len(line.text) + 1
