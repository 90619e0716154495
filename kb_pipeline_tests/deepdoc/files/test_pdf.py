from __future__ import annotations

import re
import threading

import numpy as np
import pytest

from kb_pipeline.deepdoc.files.geometry import clip, iou
from kb_pipeline.deepdoc.files.pdf import MAX_SIDE, PdfFile, picture_size, render_scale
from kb_pipeline.errors import DamagedFile, EmptyFile, EncryptedFile, PageFailed
from kb_pipeline_tests.pdf_bytes import A4, document, page, stream, text

# A font whose glyph "S" is a solid square of 10 points at size 10: its true place needs no font metrics.
SQUARES = {
    "P": stream(b"10 0 0 0 10 10 d1 0 0 10 10 re f"),
    "T3": b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 10 10] /FontMatrix [0.1 0 0 0.1 0 0] /FirstChar 83"
    b" /LastChar 83 /Widths [10] /CharProcs << /sq {P} 0 R >> /Resources << >>"
    b" /Encoding << /Type /Encoding /Differences [83 /sq] >> >>",
}
CROPS = {"no crop": None, "crop": (50.0, 60.0, 400.0, 800.0)}
AT = (120.0, 500.0)  # baseline of the square in user space


def squares(**options: object):
    return page(text("S", *AT, size=10, font="T3"), fonts={"T3": b"{T3} 0 R"}, objects=SQUARES, **options)


def shown(box: tuple[float, float, float, float], frame: tuple[float, float, float, float], rotate: int, unit: float):
    """Where a box of user space lies on the displayed page, worked out corner by corner."""
    left, bottom, right, top = frame
    width, height = right - left, top - bottom
    corners = []
    for x, y in ((box[0], box[1]), (box[2], box[3])):
        x, y = x - left, top - y
        for _ in range(rotate // 90):
            size = height if _ % 2 == 0 else width
            x, y = size - y, x
        corners.append((x * unit, y * unit))
    (xa, ya), (xb, yb) = corners
    return (min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb))


@pytest.mark.parametrize("unit", [1.0, 2.0])
@pytest.mark.parametrize("crop", CROPS.values(), ids=CROPS)
@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_characters_lie_where_the_reader_sees_them(rotate: int, crop: tuple | None, unit: float):
    frame = crop or A4
    truth = shown((AT[0], AT[1], AT[0] + 10, AT[1] + 10), frame, rotate, unit)
    with PdfFile(document(squares(rotate=rotate, crop=crop, user_unit=unit)), "page.pdf") as file:
        width, height = file.size(1)
        sides = ((frame[2] - frame[0]) * unit, (frame[3] - frame[1]) * unit)
        assert (width, height) == pytest.approx(sides[::-1] if rotate % 180 else sides)
        assert file.rotation(1) == rotate
        characters = file.characters(1)
        assert characters.text.tolist() == ["S"]
        assert characters.angle.tolist() == [rotate]
        assert characters.size[0] == pytest.approx(10 * unit)
        assert iou(tuple(characters.box[0]), truth) >= 0.99
        scale = 3.0
        picture = file.render(1, scale)
        assert picture.shape == (*picture_size(width, height, scale)[::-1], 3)
        rows, columns = np.nonzero(picture[:, :, 0] < 128)
        ink = (columns.min() / scale, rows.min() / scale, (columns.max() + 1) / scale, (rows.max() + 1) / scale)
        assert iou(ink, truth) >= 0.9  # a pixel is a third of a point
        slack = tuple(v + d for v, d in zip(characters.box[0], (-0.4, -0.4, 0.4, 0.4), strict=True))
        assert clip(ink, width, height) == ink
        assert slack[0] <= ink[0] and slack[1] <= ink[1] and slack[2] >= ink[2] and slack[3] >= ink[3]


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_rulings_and_bookmarks_use_the_same_frame(rotate: int):
    crop = (50.0, 60.0, 400.0, 800.0)
    source = page(b"1 w 100 600 m 300 600 l S", rotate=rotate, crop=crop, user_unit=2.0)
    expected = shown((100, 599.5, 300, 600.5), crop, rotate, 2.0)
    with PdfFile(document(source, outline=[("Chapter", 1, 600.0)]), "lines.pdf") as file:
        rulings = file.rulings(1)
        lines = rulings.vertical if rotate % 180 else rulings.horizontal
        middle = (expected[0] + expected[2]) / 2 if rotate % 180 else (expected[1] + expected[3]) / 2
        ends = (expected[1], expected[3]) if rotate % 180 else (expected[0], expected[2])
        assert lines.tolist() == [pytest.approx([middle, *ends])]
        assert len(rulings.horizontal) + len(rulings.vertical) == 1
        (bookmark,) = file.bookmarks()
        assert (bookmark.title, bookmark.level, bookmark.page) == ("Chapter", 1, 1)
        if rotate in (0, 180):
            assert bookmark.top == pytest.approx(middle)


def test_user_unit_hidden_in_an_object_stream():
    data = document(squares(user_unit=2.0), squares(), object_streams=True)
    assert b"UserUnit" not in data
    with PdfFile(data, "packed.pdf") as file:
        assert file.size(1) == (1190.0, 1684.0)
        assert file.size(2) == (595.0, 842.0)


def test_bookmarks_keep_level_order_and_script():
    with PdfFile(document(page(), page(), outline=[("第一章 总则", 1, 700), ("Anhang", 2, 100)]), "o.pdf") as file:
        assert [(b.title, b.page, b.top) for b in file.bookmarks()] == [("第一章 总则", 1, 142.0), ("Anhang", 2, 742.0)]


def test_an_outline_that_points_at_itself_ends():
    data = document(page(), outline=[("One", 1, 700), ("Two", 1, 600)])
    looped = re.sub(rb"/Next (\d+) 0 R", lambda m: b"/Next %d 0 R" % (int(m[1]) - 1), data)
    with PdfFile(looped, "loop.pdf") as file:
        assert [b.title for b in file.bookmarks()] == ["One"]


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (b"", EmptyFile, "no bytes"),
        (document(), EmptyFile, "no page"),
        (b"plain text", DamagedFile, "not a readable PDF"),
        (document(page(text("x", 9, 9)))[:60], DamagedFile, "not a readable PDF"),
        (document(page(), password="k"), EncryptedFile, "needs a password"),
    ],
)
def test_unreadable_files_are_named_with_a_remedy(data: bytes, error: type, words: str):
    with pytest.raises(error, match=f"bad.pdf: .*{words}") as caught:
        PdfFile(data, "bad.pdf")
    assert caught.value.remedy


def test_passwords():
    locked = document(page(text("secret", 72, 700)), password="käse")
    with pytest.raises(EncryptedFile, match="password is wrong"):
        PdfFile(locked, "locked.pdf", "wrong")
    with PdfFile(locked, "locked.pdf", "käse") as file:
        assert "".join(file.characters(1).text) == "secret"
    # Protected against copying only: opens for everybody, also while a password is set for other files.
    with PdfFile(document(page(text("open", 72, 700)), owner="boss"), "owner.pdf", "k") as file:
        assert "".join(file.characters(1).text) == "open"


def test_a_broken_page_leaves_the_others_alone():
    data = document(page(text("one", 72, 700)), page(text("two", 72, 700)), page(text("three", 72, 700)))
    kid = re.search(rb"/Kids \[\d+ 0 R (\d+) 0 R", data)[1]
    body = re.search(rb"\n%s 0 obj\n(.*?)\nendobj" % kid, data, re.DOTALL)[1]
    with PdfFile(data.replace(body, b"null".ljust(len(body))), "torn.pdf") as file:
        assert file.page_count == 3
        with pytest.raises(PageFailed, match=r"torn.pdf, page 2: ") as caught:
            file.characters(2)
        assert (caught.value.document, caught.value.page) == ("torn.pdf", 2)
        with pytest.raises(PageFailed):
            file.render(2, 1.0)
        assert ["".join(file.characters(n).text) for n in (1, 3)] == ["one", "three"]
        with pytest.raises(PageFailed, match="no such page"):
            file.size(4)


@pytest.mark.parametrize(
    "media",
    [
        (0, 0, 2**31, 2**31),
        (0, 0, 2**31, 10),
        (0, 0, 0, 0),
        (595, 842, 0, 0),
        (-1e30, 0, 1e30, 10),
        (0, 0, 1e-9, 5),
        (1, 2, 3),
    ],
    ids=str,
)
def test_strange_media_boxes_neither_crash_nor_allocate(media: tuple):
    with PdfFile(document(page(text("x", 2, 2), media=media)), "strange.pdf") as file:
        width, height = file.size(1)
        assert width > 0
        assert height > 0
        scale = render_scale(width, height, 216, 500_000)
        picture = file.render(1, scale)
        assert picture.shape[0] * picture.shape[1] <= 500_000
        assert len(file.characters(1)) == 1


def test_a_crop_box_beside_the_media_box_shows_the_media_box():
    source = page(text("here", 72, 700), crop=(1000, 1000, 1100, 1100))
    with PdfFile(document(source), "crop.pdf") as file:
        assert file.size(1) == (595.0, 842.0)
        assert file.characters(1).dropped.tolist() == [""] * 4
        assert (file.render(1, 1.0) < 128).any()


def test_a_picture_beyond_all_bounds_is_refused_before_it_is_made():
    with PdfFile(document(page(media=(0, 0, 14400, 14400))), "poster.pdf") as file:
        with pytest.raises(PageFailed, match="too large") as caught:
            file.render(1, 8.0)
        assert "pixel_budget" in caught.value.remedy


@pytest.mark.parametrize("size", [(595, 842), (14400, 14400), (234, 14295), (2**31, 2**31), (2**31, 0.01), (3, 3)])
@pytest.mark.parametrize("budget", [100_000, 48_000_000])
def test_render_scale_keeps_the_budget(size: tuple, budget: int):
    scale = render_scale(*size, 216, budget)
    width, height = picture_size(*size, scale)
    assert width * height <= budget
    assert max(width, height) <= MAX_SIDE
    assert 0 < scale <= 3.0


def test_render_scale_is_the_asked_one_where_it_fits():
    assert render_scale(595, 842, 216, 48_000_000) == 3.0


def test_an_empty_page_is_no_error():
    with PdfFile(document(page()), "blank.pdf") as file:
        assert len(file.characters(1)) == 0
        assert file.picture_coverage(1) == 0.0
        assert file.drawing_count(1) == 0
        assert file.bookmarks() == ()
        assert (file.render(1, 1.0) == 255).all()


def test_picture_coverage_counts_images_once_and_only_on_the_page():
    image = b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
    objects = {"X": image + b" /Length 1 >>\nstream\n\x80\nendstream"}
    half = b"q 595 0 0 421 0 0 cm /X Do Q "
    source = page(
        half + half + b"q 595 0 0 842 595 0 cm /X Do Q", resources=b"/XObject << /X {X} 0 R >>", objects=objects
    )
    with PdfFile(document(source), "half.pdf") as file:
        assert file.picture_coverage(1) == pytest.approx(0.5, abs=0.01)


def test_annotations_are_drawn():
    stamp = stream(b"0 0 50 50 re f", b"/Type /XObject /Subtype /Form /BBox [0 0 50 50]")
    source = page(
        entries=b"/Annots [<< /Type /Annot /Subtype /Stamp /F 4 /Rect [100 100 150 150] /AP << /N {A} 0 R >> >>]",
        objects={"A": stamp},
    )
    with PdfFile(document(source), "stamp.pdf") as file:
        assert (file.render(1, 1.0)[842 - 125, 125] < 64).all()


@pytest.mark.parametrize("kind", [b"/Widget /FT /Tx /T (n) /V (value)", b"/FreeText /Contents (value)"])
@pytest.mark.parametrize("rotate", [0, 90])
def test_values_of_form_fields_and_remarks_are_text_in_place(kind: bytes, rotate: int):
    font = b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    field = stream(text("value", 2, 5), b"/Type /XObject /Subtype /Form /BBox [0 0 150 50] " + font)
    entries = b"/Annots [<< /Type /Annot /Subtype %s /F 4 /Rect [100 100 250 150] /AP << /N {A} 0 R >> >>]" % kind
    source = page(text("Name:", 60, 105), entries=entries, objects={"A": field}, rotate=rotate)
    with PdfFile(document(source), "form.pdf") as file:
        characters = file.characters(1)
        assert "".join(characters.text) == "Name:value"
        x0, top, x1, bottom = (int(v) for v in characters.box[-1])
        assert (file.render(1, 1.0)[top : bottom + 1, x0 : x1 + 1] < 128).any()
        assert shown((102, 105, 140, 115), A4, rotate, 1.0)[1] == pytest.approx(characters.box[5:, 1].min(), abs=3)


def test_hidden_fields_stay_hidden():
    field = stream(text("secret", 2, 5), b"/Type /XObject /Subtype /Form /BBox [0 0 150 50]")
    entries = (
        b"/Annots [<< /Type /Annot /Subtype /Widget /FT /Tx /T (n) /F 2 /Rect [9 9 99 99] /AP << /N {A} 0 R >> >>]"
    )
    with PdfFile(document(page(entries=entries, objects={"A": field})), "form.pdf") as file:
        assert len(file.characters(1)) == 0


def test_many_threads_read_one_file():
    data = document(*[page(text(f"page {n}", 72, 700)) for n in range(1, 9)])
    found: dict[int, str] = {}
    with PdfFile(data, "shared.pdf") as file:

        def read(number: int) -> None:
            file.render(number, 0.5)
            found[number] = "".join(file.characters(number).text)

        threads = [threading.Thread(target=read, args=(n,)) for n in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {n: f"page{n}" for n in range(1, 9)}


def test_a_closed_file_says_so():
    file = PdfFile(document(page()), "done.pdf")
    file.close()
    file.close()
    with pytest.raises(PageFailed, match="closed"):
        file.size(1)
