from __future__ import annotations

import numpy as np
import pytest

from kb_pipeline.deepdoc.files.characters import Characters, mark_unseen
from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.text.drop_reasons import BACKGROUND_COLOURED, INVISIBLE, OFF_PAGE, TRANSPARENT, TWICE
from kb_pipeline_tests.pdf_bytes import document, hex_text, identity_font, page, stream, text


def read(*pages: object) -> Characters:
    with PdfFile(document(*pages), "test.pdf") as file:
        return file.characters(1)


def mapped(codes: dict[int, str], shown: str, **options: object) -> Characters:
    """A page that shows the codes with a font whose character map is given."""
    return read(page(hex_text(shown, 72, 700, font="F9", **options), fonts={"F9": b"{F9} 0 R"},
                     objects=identity_font(codes)))  # fmt: skip


def reasons(characters: Characters) -> dict[str, str]:
    """Text by reason, in order."""
    found: dict[str, str] = {}
    for letter, reason in zip(characters.text, characters.dropped, strict=True):
        found[reason] = found.get(reason, "") + letter
    return found


def test_a_word_has_boxes_sizes_fonts_and_spaces_as_hints():
    characters = read(page(text("no space", 72, 700, size=12) + text("bold", 72, 600, size=9, font="B1")))
    assert "".join(characters.text) == "nospacebold"
    assert characters.space.tolist() == [False, False, True] + [False] * 8
    assert characters.font[0] == "Helvetica"
    assert characters.bold.tolist() == [False] * 7 + [True] * 4
    assert characters.size.tolist() == [12.0] * 7 + [9.0] * 4
    # Loose boxes of neighbours touch and are taller than the ink inside them.
    assert characters.loose[0, 2] == pytest.approx(characters.loose[1, 0], abs=0.01)
    assert (characters.loose[:, 1] <= characters.box[:, 1]).all()
    assert (characters.loose[:, 3] >= characters.box[:, 3]).all()
    assert characters.total == 11


def test_the_size_is_the_one_that_is_seen():
    content = b"q 3 0 0 3 0 0 cm BT /F1 4 Tf 10 200 Td (a) Tj ET Q BT /F1 1 Tf 12 0 0 12 72 700 Tm (b) Tj ET"
    assert read(page(content)).size.tolist() == [12.0, 12.0]


@pytest.mark.parametrize(("matrix", "angle"), [("1 0 0 1", 0), ("0 -1 1 0", 90), ("-1 0 0 -1", 180), ("0 1 -1 0", 270)])
def test_the_angle_is_the_clockwise_turn_of_the_reading_direction(matrix: str, angle: int):
    characters = read(page(f"BT /F1 12 Tf {matrix} 300 400 Tm (up) Tj ET".encode()))
    assert characters.angle.tolist() == [angle, angle]
    assert characters.tilt.tolist() == [0.0, 0.0]


def test_a_leaning_watermark_carries_its_tilt():
    characters = read(page(b"BT /F1 40 Tf 0.866 0.5 -0.5 0.866 100 300 Tm (DRAFT) Tj ET"))
    assert characters.angle.tolist() == [0] * 5
    assert characters.tilt.tolist() == pytest.approx([-30.0] * 5, abs=0.1)


def test_ligatures_become_letters_that_share_the_box():
    characters = mapped({1: "ﬁ", 2: "ffi", 3: "n"}, "0001000200" + "03")
    assert characters.text.tolist() == ["f", "i", "f", "f", "i", "n"]
    assert characters.loose[:, 0].tolist() == pytest.approx([72, 78, 84, 88, 92, 96])
    assert characters.loose[:, 2].tolist() == pytest.approx([78, 84, 88, 92, 96, 108])
    assert np.all(characters.box[:-1, 0] <= characters.box[1:, 0])


def test_ligatures_in_turned_text_share_the_box_along_the_line():
    font = identity_font({1: "ﬁ"})
    content = b"BT /F9 12 Tf 0 1 -1 0 300 400 Tm <0001> Tj ET"
    characters = read(page(content, fonts={"F9": b"{F9} 0 R"}, objects=font))
    assert characters.text.tolist() == ["f", "i"]
    assert characters.loose[0, 1] > characters.loose[1, 1]  # reads upwards: the first letter is the lower one


def test_accents_join_their_base_and_rare_characters_are_one():
    characters = mapped({1: "e\u0301", 2: "𠀀", 3: "⼀", 4: "金"}, "0001000200030004")
    assert characters.text.tolist() == ["é", "𠀀", "一", "金"]


def test_separate_combining_glyphs_join_the_letter_before_them():
    characters = mapped({1: "ก", 2: "\u0e34", 3: "น"}, "000100020003")
    assert characters.text.tolist() == ["ก\u0e34", "น"]
    assert characters.total == 3


def test_symbol_fonts_say_what_they_show():
    objects = identity_font({1: "\uf052", 2: "\uf0a3", 3: "\uf0b7"}, base="ABCDEF+Wingdings2")
    content = hex_text("000100020003", 72, 700, font="F9")
    characters = read(page(content, fonts={"F9": b"{F9} 0 R"}, objects=objects))
    assert characters.text.tolist() == ["☑", "□", "\uf0b7"]


def test_a_hyphen_at_the_end_of_a_line_stays_a_hyphen():
    characters = read(page(text("exam-", 72, 700) + text("ple", 72, 686)))
    assert "".join(characters.text) == "exam-ple"


def test_control_characters_become_replacement_characters():
    assert mapped({1: "\x07", 2: "\u200b", 3: "a"}, "000100020003").text.tolist() == ["\ufffd", "a"]


def test_glyphs_without_a_character_are_marked():
    characters = mapped({1: "a"}, "000100FF")
    assert characters.unmapped.tolist() == [False, True]


def test_what_a_reader_cannot_see_is_marked_with_its_reason():
    content = b"".join(
        [
            b"q " + text("seen", 72, 700) + b"Q q ",
            text("ghost", 72, 650, extra="3 Tr") + b"Q q ",
            text("paper", 72, 600, extra="1 1 1 rg") + b"Q q ",
            text("glass", 72, 550, extra="/G gs") + b"Q q ",
            text("away", -300, 500) + b"Q q ",
            text("below", 72, 20) + b"Q",
        ]
    )
    characters = read(page(content, crop=(0, 50, 595, 842), resources=b"/ExtGState << /G << /ca 0 >> >>"))
    assert reasons(characters) == {
        "": "seen", INVISIBLE: "ghost", BACKGROUND_COLOURED: "paper", TRANSPARENT: "glass", OFF_PAGE: "awaybelow"
    }  # fmt: skip
    assert characters.total == sum(map(len, reasons(characters).values()))


def test_white_type_on_a_dark_band_is_seen():
    band = b"0 0 0.5 rg 60 690 200 30 re f 1 1 1 rg "
    assert reasons(read(page(band + text("header", 72, 700)))) == {"": "header"}


def test_pale_type_on_paper_that_still_contrasts_is_seen():
    assert reasons(read(page(text("grey", 72, 700, size=20, extra="0.88 g")))) == {"": "grey"}


@pytest.mark.parametrize("offset", [0.0, 0.3, 0.8])
def test_fake_bold_is_read_once(offset: float):
    """Whoever removes the second copy: PDFium leaves out whole objects, the mark catches what it does not."""
    content = text("Bold", 72, 700) + text("other", 300, 300) + text("Bold", 72 + offset, 700)
    characters = read(page(content))
    assert sorted("".join(characters.take(characters.seen).text)) == sorted("Boldother")


def test_copies_are_marked_and_double_letters_are_not():
    characters = read(page(text("hello", 72, 700)))
    shifted = characters.take(np.array([0, 1, 2, 3, 4, 0, 1, 2, 3, 4]))
    shifted.loose[5:] += (0.4, 0, 0.4, 0)
    marked = mark_unseen(shifted, 595, 842)
    assert marked.dropped.tolist() == [""] * 5 + [TWICE] * 5


def test_fonts_that_leave_out_their_widths_get_boxes_from_the_ink():
    """Every glyph is declared one em wide and character spacing pulls the letters together: boxes would overlap."""
    content = b"BT /F9 12 Tf -6 Tc 1 0 0 1 72 700 Tm <000100020003> Tj ET"
    font = identity_font({1: "n", 2: "o", 3: "t"})
    characters = read(page(content, fonts={"F9": b"{F9} 0 R"}, objects=font))
    widths = characters.loose[:, 2] - characters.loose[:, 0]
    assert (widths < 9).all()
    assert characters.loose[1, 0] - characters.loose[0, 2] > -1.5


def test_type3_fonts_with_unusual_matrices_keep_their_height():
    objects = {
        "P": stream(b"1000 0 0 0 1000 1000 d1 0 0 800 800 re f"),
        "T3": b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0]"
        b" /FirstChar 65 /LastChar 65 /Widths [1000] /CharProcs << /sq {P} 0 R >> /Resources << >>"
        b" /Encoding << /Type /Encoding /Differences [65 /sq] >> >>",
    }
    characters = read(page(text("AA", 72, 700, font="T3"), fonts={"T3": b"{T3} 0 R"}, objects=objects))
    assert characters.dropped.tolist() == ["", ""]
    assert characters.loose[0, 3] - characters.loose[0, 1] == pytest.approx(12, abs=1.5)


def test_text_inside_form_xobjects_is_read_in_place():
    form = stream(text("inner", 0, 0), b"/Type /XObject /Subtype /Form /BBox [0 -20 200 20] /Resources << /Font << /F1"
                  b" << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>")  # fmt: skip
    characters = read(
        page(b"q 2 0 0 2 100 300 cm /X Do Q", resources=b"/XObject << /X {X} 0 R >>", objects={"X": form})
    )
    assert "".join(characters.text) == "inner"
    assert characters.size[0] == 24.0
    assert characters.box[0, 0] == pytest.approx(102, abs=1)


def test_frames_keep_everything():
    characters = read(page(text("kept", 72, 700) + text("ghost", 72, 650, extra="3 Tr")))
    again = Characters.from_frame(characters.to_frame())
    for name in ("text", "box", "loose", "size", "font", "bold", "angle", "tilt", "space", "unmapped", "dropped"):
        assert getattr(again, name).tolist() == getattr(characters, name).tolist()
        assert getattr(again, name).dtype == getattr(characters, name).dtype
    assert len(Characters.from_frame(Characters.empty().to_frame())) == 0


def test_frames_survive_parquet(tmp_path):
    import pandas as pd

    characters = read(page(text("kept", 72, 700)))
    characters.to_frame().to_parquet(tmp_path / "characters.parquet")
    again = Characters.from_frame(pd.read_parquet(tmp_path / "characters.parquet"))
    assert again.text.tolist() == characters.text.tolist()
    assert again.box.tolist() == characters.box.tolist()
