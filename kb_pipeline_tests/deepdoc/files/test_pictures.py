from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from kb_pipeline.deepdoc.files.pictures import MAX_SOURCE_PIXELS, PictureFile
from kb_pipeline.errors import DamagedFile, EmptyFile, PageFailed, PictureTooLarge


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def marked(width: int = 200, height: int = 100, mode: str = "RGB") -> Image.Image:
    """White, with the top left quarter red (dark in grey modes)."""
    image = Image.new("RGB", (width, height), "white")
    image.paste((200, 0, 0), (0, 0, width // 2, height // 2))
    return image.convert(mode)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "BMP", "WEBP", "GIF"])
def test_every_format_gives_the_same_picture(kind: str):
    with PictureFile(saved(marked(), kind), "p") as file:
        assert file.page_count == 1
        assert file.size(1) == pytest.approx((842, 421))
        picture = file.render(1, 0.5)
        assert picture.shape == (210, 421, 3)
        assert picture.dtype == np.uint8
        blue, _, red = picture[50, 100].tolist()
        assert red > 170
        assert blue < 40
        assert picture[150, 300].min() > 240


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGBA", "CMYK", "I;16", "LA"])
def test_every_pixel_form_becomes_bgr(mode: str):
    if mode == "I;16":
        image = Image.fromarray(np.asarray(marked(mode="L")).astype(np.uint16) * 257)
    else:
        image = marked(mode=mode)
    with PictureFile(saved(image, "TIFF" if mode == "CMYK" else "PNG"), "p") as file:
        picture = file.render(1, 0.25)
        assert picture.ndim == 3
        assert picture[80, 150].min() > 240
        assert picture[20, 40].min() < 120


def test_transparent_parts_are_white():
    image = Image.new("RGBA", (100, 100), (0, 0, 0, 0))
    with PictureFile(saved(image, "PNG"), "p") as file:
        assert (file.render(1, 0.1) == 255).all()


@pytest.mark.parametrize(
    ("dpi", "size"),
    [(None, (842, 421)), (72, (842, 421)), (96, (842, 421)), (200, (72, 36)), (5000, (842, 421))],
)
def test_the_size_follows_the_resolution_where_that_is_plausible(dpi: int | None, size: tuple):
    options = {"dpi": (dpi, dpi)} if dpi else {}
    with PictureFile(saved(marked(), "PNG", **options), "p") as file:
        assert file.size(1) == pytest.approx(size, rel=0.01)


@pytest.mark.parametrize("orientation", [1, 2, 3, 4, 5, 6, 7, 8])
def test_the_camera_orientation_is_applied(orientation: int):
    exif = Image.Exif()
    exif[0x0112] = orientation
    with PictureFile(saved(marked(), "JPEG", exif=exif, quality=95), "photo.jpg") as file:
        width, height = file.size(1)
        assert (width > height) == (orientation in (1, 2, 3, 4))
        picture = file.render(1, 0.5)
        assert (picture.shape[1] > picture.shape[0]) == (orientation in (1, 2, 3, 4))
        rows, columns = np.nonzero(picture[:, :, 0] < 128)  # the red quarter
        red = (columns.mean() < picture.shape[1] / 2, rows.mean() < picture.shape[0] / 2)
        assert red == {
            1: (True, True), 2: (False, True), 3: (False, False), 4: (True, False),
            5: (True, True), 6: (False, True), 7: (False, False), 8: (True, False),
        }[orientation]  # fmt: skip


def test_a_tiff_of_several_pages():
    pages = [marked(200, 100), marked(100, 200), marked(300, 300)]
    data = saved(pages[0], "TIFF", save_all=True, append_images=pages[1:], dpi=(150, 150))
    with PictureFile(data, "scan.tif") as file:
        assert file.page_count == 3
        assert [file.size(n) for n in (1, 2, 3)] == [
            pytest.approx(s) for s in ((96, 48), (48, 96), (144, 144))
        ]  # fmt: skip
        assert file.render(2, 1.0).shape == (96, 48, 3)
        with pytest.raises(PageFailed, match=r"scan.tif, page 4"):
            file.render(4, 1.0)


def test_an_animation_is_one_page():
    data = saved(marked(), "GIF", save_all=True, append_images=[marked(mode="L")])
    with PictureFile(data, "move.gif") as file:
        assert file.page_count == 1


def test_pictures_have_no_text_layer_no_outline_no_paths():
    with PictureFile(saved(marked(), "PNG"), "p.png") as file:
        assert len(file.characters(1)) == 0
        assert file.bookmarks() == ()
        assert len(file.rulings(1).horizontal) == 0
        assert (file.rotation(1), file.drawing_count(1), file.picture_coverage(1)) == (0, 0, 1.0)


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes whose header announces a huge picture."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [13_400, 60_000, 2**31 - 1])
def test_a_decompression_bomb_is_refused_by_its_header(side: int):
    assert side * side > MAX_SOURCE_PIXELS
    with pytest.raises(PictureTooLarge, match=r"bomb\.png: "):
        PictureFile(bomb(side, side), "bomb.png")


def test_unreadable_pictures_are_named():
    with pytest.raises(EmptyFile):
        PictureFile(b"", "p.png")
    with pytest.raises(DamagedFile, match=r"p\.png: "):
        PictureFile(b"no picture", "p.png")
    with pytest.raises(DamagedFile):
        PictureFile(b"%!PS-Adobe-3.0 EPSF-3.0", "p.eps")  # only the listed formats are tried
    cut = saved(marked(800, 800), "PNG")[:300]
    with PictureFile(cut, "cut.png") as file, pytest.raises(PageFailed, match=r"cut\.png, page 1"):
        file.render(1, 1.0)


def test_a_picture_beyond_all_bounds_is_refused_before_it_is_made():
    with PictureFile(saved(marked(), "PNG"), "p.png") as file, pytest.raises(PageFailed, match="too large"):
        file.render(1, 100.0)


def test_a_tiff_whose_second_page_has_no_dimensions_is_damaged():
    target = io.BytesIO()
    page = Image.new("L", (40, 20))
    page.save(target, "TIFF", save_all=True, append_images=[page])
    data = bytearray(target.getvalue())
    width = max(data.rfind(struct.pack("<HH", 256, kind)) for kind in (3, 4))
    assert width > 0
    data[width : width + 2] = b"\xfe\xfe"  # no tag that anyone knows
    with pytest.raises(DamagedFile):
        PictureFile(bytes(data), "a.tif")
