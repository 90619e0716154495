"""An old amount under a white box, and a draft on a layer that is switched off, were quoted as answers."""

from __future__ import annotations

import pytest

from kb_pipeline.operations.parse import parse
from kb_pipeline.settings import Settings
from kb_pipeline_tests.pdf_bytes import document, hex_text, identity_font, page, stream, text

SEEN = text("The rent is 275 euros for each month.", 72, 700)
OLD = text("The rent was 250 euros.", 72, 650)


def read(tmp_path, *content: bytes, catalog: bytes = b"", **options):
    path = tmp_path / "a.pdf"
    path.write_bytes(document(page(b"".join(content), **options), catalog=catalog))
    return parse(str(path), Settings())


def dropped(parsed) -> dict[str, str]:
    return {" ".join(item.text.split()): item.reason for item in parsed.dropped}


@pytest.mark.parametrize(
    "hidden",
    [
        OLD + b"1 1 1 rg 60 640 400 24 re f\n",  # under a box
        OLD + b"1 1 1 rg 60 640 400 24 re f 0 g\n" + text("Nothing more is due.", 72, 650),  # and under new text
        b"q 300 640 100 24 re W n " + OLD + b"Q\n",  # outside of its clipping path
    ],
)
def test_covered_and_clipped_text_is_dropped_with_its_reason(tmp_path, hidden):
    parsed = read(tmp_path, SEEN, hidden)
    assert "250" not in "".join(section.text for section in parsed.sections)
    assert dropped(parsed).get("The rent was 250 euros.") == "not painted"
    assert "275 euros" in parsed.sections[0].text and parsed.characters.balanced


def test_text_on_a_layer_that_is_off_is_dropped(tmp_path):
    layer = {"L": b"<< /Type /OCG /Name (draft) >>"}
    parsed = read(
        tmp_path, SEEN, b"/OC /P1 BDC " + text("The rent was 250 euros.", 72, 650, font="F2") + b"EMC\n",
        objects=layer, resources=b"/Properties << /P1 {L} 0 R >>",
        catalog=b"/OCProperties << /OCGs [3 0 R] /D << /OFF [3 0 R] >> >>",
    )  # fmt: skip
    assert dropped(parsed) == {"The rent was 250 euros.": "not painted"}


def test_text_under_one_point_is_dropped(tmp_path):
    parsed = read(tmp_path, SEEN, text("keywords for machines", 72, 600, size=0.8))
    assert dropped(parsed) == {"keywords for machines": "too small to read"}


@pytest.mark.parametrize(
    "content",
    [
        b"1 1 0 rg 60 694 300 20 re f 0 g\n" + SEEN,  # highlighted
        SEEN + b"0.5 w 60 694 300 20 re S\n",  # framed
        b"q 0.9 g " + text("DRAFT", 90, 690, size=40) + b"Q 0 g\n" + SEEN,  # over a pale stamp
        b"0 0 0.4 rg 60 690 300 30 re f 1 g\n" + SEEN,  # white on a dark band
    ],
)
def test_text_that_shows_stays(tmp_path, content):
    parsed = read(tmp_path, content)
    assert "275 euros" in "".join(section.text for section in parsed.sections)
    assert "not painted" not in dropped(parsed).values()


def test_text_in_a_font_that_this_machine_lacks_stays(tmp_path):
    codes = {1: "שלום", 2: "עולם"}
    content = hex_text("00010002", 72, 600, font="F9")
    parsed = read(tmp_path, SEEN, content, objects=identity_font(codes), fonts={"F9": b"{F9} 0 R"})
    assert parsed.dropped == ()


def test_files_that_are_attached_are_told(tmp_path):
    objects = {
        "F": b"<< /Type /Filespec /F (data.csv) /UF (data.csv) /EF << /F {S} 0 R >> >>",
        "S": stream(b"a,b\n1,2\n", b"/Type /EmbeddedFile"),
    }
    names = b"/Names << /EmbeddedFiles << /Names [(data.csv) 3 0 R] >> >>"
    parsed = read(tmp_path, SEEN, objects=objects, catalog=names)
    assert parsed.notes == ("attached files that are not read (1): data.csv",)
