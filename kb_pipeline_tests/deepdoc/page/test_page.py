from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pytest

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.read import crop_figure, read_page, read_tables, render_page
from kb_pipeline.records import encode
from kb_pipeline.settings import Settings
from kb_pipeline_tests import pdf_bytes
from kb_pipeline_tests.deepdoc.vision_pages import PAGE, blank, page_pdf, scanned, table_pdf, write

SETTINGS = Settings()
LINES = [("Copper grade of the upper zone", 40, 40), ("Gold is measured in drill hole ZK305", 40, 80)]
ROWS = [["Hole", "Depth", "Grade"], ["ZK301", "120.5", "0.42"], ["ZK305", "98.0", "1.25"], ["ZK307", "", "0.08"]]
WIDTHS = [90.0, 80.0, 80.0]


def read(data: bytes, page: int = 1, settings: Settings = SETTINGS):
    with PdfFile(data, "page.pdf") as file:
        render, characters, picture, display = render_page(file, page, settings)
        layout = read_page(file, render, characters, picture, settings)
        return render, characters, picture, display, layout, read_tables(file, layout, characters, picture, settings)


def picture_of(data: bytes, scale: float = 3.0) -> np.ndarray:
    with PdfFile(data, "page.pdf") as file:
        return file.render(1, scale)


def letters(texts) -> Counter:
    return Counter(c for text in texts for c in text if not c.isspace())


def words(layout) -> list[str]:
    return [line.text.replace(" ", "") for line in layout.lines]


def kept(layout) -> Counter:
    return letters([line.text for line in layout.lines] + [d.text for d in layout.dropped])


def test_a_digital_page_keeps_its_characters_and_their_places():
    render, characters, picture, display, layout, _ = read(page_pdf(LINES))
    assert (render.width, render.height) == PAGE
    assert render.verdict.label == "clean"
    assert picture.shape == (900, 1260, 3)
    assert cv2.imdecode(np.frombuffer(display, np.uint8), 1).shape[1] == pytest.approx(PAGE[0] * 110 / 72, abs=1)
    assert layout.source == "text layer"
    assert words(layout) == [text.replace(" ", "") for text, _, _ in LINES]
    for line, (_, x, top) in zip(layout.lines, LINES, strict=True):
        assert line.box[0] == pytest.approx(x, abs=1.5)
        assert top - 1 < line.box[1] < line.box[3] < top + 16
    assert kept(layout) == letters(characters.text)
    assert layout.characters == kept(layout).total()


def test_hidden_and_seen_text_add_up():
    data = pdf_bytes.document(
        pdf_bytes.page(
            pdf_bytes.text("Visible heading line", 72, 700, 18)
            + pdf_bytes.text("secret words", 72, 600, 12, extra="3 Tr")
        )
    )
    layout = read(data)[4]
    assert words(layout) == ["Visibleheadingline"]
    assert [(d.text, d.reason) for d in layout.dropped] == [("secret words", "invisible text")]
    assert layout.characters == 18 + 11


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_scan_is_read_upright_and_placed_on_the_displayed_page(turn):
    upright = picture_of(
        page_pdf([(t, x, y) for k in range(5) for t, x, y in [(LINES[k % 2][0], 40, 30 + 50 * k)]], 14)
    )
    picture = np.ascontiguousarray(np.rot90(upright, -turn // 90))
    page = PAGE if turn % 180 == 0 else PAGE[::-1]
    layout = read(scanned(picture, page))[4]
    assert layout.source == "ocr"
    assert layout.turned == turn
    assert sorted(words(layout)) == sorted(LINES[k % 2][0].replace(" ", "") for k in range(5))
    ink = (picture.min(2) < 128).astype(np.uint8)
    inside = np.zeros_like(ink)
    for line in layout.lines:
        x0, top, x1, bottom = (round(v * 3) for v in line.box)
        inside[max(top, 0) : bottom, max(x0, 0) : x1] = 1
        assert line.vertical == (turn % 180 == 90)
        assert len(line.edges) == len(line.text) + 1
        low, high = (line.box[1], line.box[3]) if line.vertical else (line.box[0], line.box[2])
        assert low - 0.1 <= min(line.edges) < max(line.edges) <= high + 0.1
        assert (line.edges[0] > line.edges[-1]) == (turn in (180, 270))
    assert (ink & inside).sum() > 0.97 * ink.sum()
    assert layout.characters == kept(layout).total()


def test_a_picture_of_text_on_a_digital_page_is_read_beside_the_characters():
    picture = blank(900, 120)
    write(picture, "text inside of a picture", 40, 80, height=40)
    import io

    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=PAGE, invariant=1)
    canvas.drawString(40, 250, "A line of the character layer")
    canvas.drawImage(ImageReader(io.BytesIO(cv2.imencode(".png", picture)[1].tobytes())), 40, 100, 300, 40)
    canvas.save()
    layout = read(buffer.getvalue())[4]
    assert layout.source == "mixed"
    assert {(w, line.origin) for w, line in zip(words(layout), layout.lines, strict=True)} == {
        ("Alineofthecharacterlayer", "text layer"),
        ("textinsideofapicture", "ocr"),
    }


def test_recognised_lines_below_the_least_score_are_dropped_and_say_so():
    strict = Settings().merged({"ocr.least_score": 1.0})
    layout = read(scanned(picture_of(page_pdf(LINES, 14)), PAGE), settings=strict)[4]
    assert not [line for line in layout.lines if line.confidence < 1]
    assert {d.reason for d in layout.dropped} <= {"low recognition score"}
    assert len(layout.lines) + len(layout.dropped) == 2
    assert layout.characters == kept(layout).total()


def test_a_blank_page_is_empty():
    layout, tables = read(pdf_bytes.document(pdf_bytes.page()))[4:]
    assert (layout.source, layout.lines, layout.regions, layout.characters) == ("none", (), (), 0)
    assert tables.tables == ()


def test_a_stamp_sized_page_is_looked_at_enlarged():
    layout = read(scanned(picture_of(page_pdf([("Tiny label", 4, 4)], 12, (80, 20)), 12.0), (20, 5)))[4]
    assert words(layout) == ["Tinylabel"]


def test_the_same_page_gives_the_same_bytes_in_every_thread():
    data = table_pdf(ROWS, WIDTHS)

    def once(_: int) -> bytes:
        render, _, _, display, layout, tables = read(data)
        return encode(render) + display + encode(layout) + encode(tables)

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(once, range(3)))) == 1


def test_the_picture_stays_within_its_budget():
    small = Settings().merged({"render.pixel_budget": 200_000})
    render, _, picture, _, layout, _ = read(page_pdf(LINES), settings=small)
    assert picture.shape[0] * picture.shape[1] <= 200_000
    assert render.scale < 3
    assert words(layout) == [text.replace(" ", "") for text, _, _ in LINES]


def test_figures_are_cut_out_of_the_picture():
    picture = blank(300, 200)
    picture[60:90, 90:150] = (0, 0, 200)
    crop = cv2.imdecode(np.frombuffer(crop_figure(picture, (30, 20, 50, 30), 3.0), np.uint8), 1)
    assert crop.shape == (36, 66, 3)
    assert abs(crop[18, 30].astype(int) - (0, 0, 200)).max() < 12
    assert crop_figure(picture, (500, 500, 600, 600), 3.0)[:2] == b"\xff\xd8"
