"""Raster pictures (PNG, JPEG, TIFF, BMP, WebP, GIF) with the interface of `PdfFile`: a page is a picture.

A picture's size in points follows its own resolution where that is plausible (100…1200 dots per inch, both ways alike,
and no longer than A0); otherwise its long side counts as 842 points, the height of A4. 72 and 96 dots per inch are what
programs write that do not know. The orientation that a camera noted (EXIF) is applied before anything is measured.
"""

from __future__ import annotations

import io
import struct
import warnings
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from PIL import Image
from PIL.TiffImagePlugin import TiffImageFile

from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.files.pdf import MAX_PIXELS, MAX_SIDE, picture_size
from kb_pipeline.deepdoc.files.rulings import Rulings
from kb_pipeline.errors import DamagedFile, EmptyFile, PageFailed, PictureTooLarge
from kb_pipeline.records import Bookmark, Box

FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "WEBP", "GIF")
# Pixels of a picture, by its header, beyond which it is not decoded: an A0 sheet at 300 dots per inch has 140 million.
MAX_SOURCE_PIXELS = 178_000_000
# Resolutions that are believed, dots per inch; the two directions may differ by a hundredth.
PLAUSIBLE_DPI = (100.0, 1200.0)
# Long sides in points: A0, and A4 for pictures that do not say.
A0_SIDE = 3371.0
A4_SIDE = 842.0
MAX_PAGES = 5_000
ORIENTATION_TAG = 0x0112
# EXIF orientations that swap width and height, and what each of them asks for.
TURNED = (5, 6, 7, 8)
UPRIGHT = {
    2: lambda p: p[:, ::-1],
    3: lambda p: p[::-1, ::-1],
    4: lambda p: p[::-1],
    5: lambda p: p.swapaxes(0, 1),
    6: lambda p: p.swapaxes(0, 1)[:, ::-1],
    7: lambda p: p[::-1, ::-1].swapaxes(0, 1),
    8: lambda p: p.swapaxes(0, 1)[::-1],
}
# TIFF tag "NewSubfileType": bit 0 marks a reduced copy of another page.
SUBFILE_TAG = 254

# What Pillow raises on bytes that are not what they should be.
DAMAGE = (
    OSError, SyntaxError, ValueError, EOFError, TypeError, LookupError, ArithmeticError, struct.error,
)  # fmt: skip

# The size is checked here, against our own limit and before decoding; Pillow's warning would only repeat it.
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)


@dataclass(frozen=True)
class _Frame:
    number: int
    width: int
    height: int
    orientation: int
    points: tuple[float, float]


class PictureFile:
    """An open picture file; a context manager. Safe to use from several threads.

    Args:
        data: the file's bytes.
        name: what errors call the document.
        password: pictures have none; files with pages are opened alike.

    Raises:
        EmptyFile: no bytes. DamagedFile: no picture that can be read. PictureTooLarge: more pixels than are safe.
    """

    def __init__(self, data: bytes, name: str, password: str = ""):
        self.name = name
        self._data = data
        if not data:
            raise EmptyFile("the file holds no bytes", document=name, remedy="upload it again")
        self._frames = self._read_frames()

    def __enter__(self) -> PictureFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is held open."""

    @property
    def page_count(self) -> int:
        return len(self._frames)

    def attachments(self) -> tuple[str, ...]:
        """A picture has none."""
        return ()

    def bookmarks(self) -> tuple[Bookmark, ...]:
        """None: pictures have no outline."""
        return ()

    def size(self, page: int) -> tuple[float, float]:
        """Width and height in points, by the rule of the module."""
        return self._frame(page).points

    def rotation(self, page: int) -> int:
        """0: the orientation noted in the file is applied already."""
        return 0

    def characters(self, page: int) -> Characters:
        """None: pictures have no character layer."""
        return Characters.empty()

    def rulings(self, page: int) -> Rulings:
        """None drawn as vectors; see `picture_rulings`."""
        return Rulings()

    def drawing_count(self, page: int) -> int:
        return 0

    def picture_boxes(self, page: int) -> list[Box]:
        width, height = self.size(page)
        return [(0.0, 0.0, width, height)]

    def picture_coverage(self, page: int) -> float:
        """1.0: the page is a picture."""
        return 1.0

    def render(self, page: int, scale: float) -> np.ndarray:
        """The picture as BGR, uint8 [H, W, 3], `scale` pixels per point, transparent parts on white.

        Raises:
            PageFailed: the pixels cannot be decoded, or the result would be beyond all bounds.
        """
        frame = self._frame(page)
        width, height = picture_size(*frame.points, scale)
        if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
            raise PageFailed(
                f"a picture of {width} x {height} pixels is too large", document=self.name, page=page,
                remedy="lower render.dpi or render.pixel_budget",
            )  # fmt: skip
        try:
            with self._open() as image:
                image.seek(frame.number)
                if image.format == "JPEG":
                    turned = frame.orientation in TURNED
                    image.draft(None, (height, width) if turned else (width, height))  # decodes no more than it needs
                pixels = _upright(_pixels(image), frame.orientation)
        except DAMAGE as error:
            raise PageFailed(f"its pixels cannot be decoded ({error})", document=self.name, page=page) from error
        shrinks = width <= pixels.shape[1] and height <= pixels.shape[0]
        if (width, height) != (pixels.shape[1], pixels.shape[0]):
            pixels = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
        return cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR) if pixels.ndim == 2 else pixels

    def _frame(self, page: int) -> _Frame:
        if not 1 <= page <= len(self._frames):
            raise PageFailed("there is no such page", document=self.name, page=page)
        return self._frames[page - 1]

    def _open(self) -> Image.Image:
        try:
            return Image.open(io.BytesIO(self._data), formats=FORMATS)
        except Image.DecompressionBombError as error:
            raise self._too_large() from error
        except DAMAGE as error:
            raise DamagedFile(
                "it is no picture that can be read", document=self.name, remedy="open it in a viewer and save it again"
            ) from error

    def _read_frames(self) -> list[_Frame]:
        """The pages by their headers alone. Frames of an animation are no pages, nor are the thumbnails of a TIFF."""
        frames = []
        with self._open() as image:
            try:
                count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
            except DAMAGE as error:
                raise self._broken() from error
            for number in range(min(count, MAX_PAGES)):
                try:
                    image.seek(number)
                    thumbnail = isinstance(image, TiffImageFile) and image.tag_v2.get(SUBFILE_TAG, 0) & 1
                    width, height = image.size
                    if width * height > MAX_SOURCE_PIXELS:
                        raise self._too_large()
                    orientation = _orientation(image)
                except DAMAGE as error:
                    raise self._broken() from error
                if thumbnail and frames:
                    continue
                if orientation in TURNED:
                    width, height = height, width
                points = _points(width, height, image.info.get("dpi"))
                frames.append(_Frame(number, width, height, orientation, points))
        return frames

    def _broken(self) -> DamagedFile:
        return DamagedFile("the list of its pages is broken", document=self.name, remedy="save it again")

    def _too_large(self) -> PictureTooLarge:
        return PictureTooLarge(
            f"its header announces more than {MAX_SOURCE_PIXELS:,} pixels", document=self.name,
            remedy="scale it down",
        )  # fmt: skip


def _points(width: int, height: int, dpi: Any) -> tuple[float, float]:
    try:
        across, down = (float(value) for value in dpi)
    except (TypeError, ValueError, ZeroDivisionError):
        across = down = 0.0
    low, high = PLAUSIBLE_DPI
    if low <= across <= high and abs(across - down) <= 0.01 * across:
        size = (width * 72 / across, height * 72 / across)
        if max(size) <= A0_SIDE:
            return size
    factor = A4_SIDE / max(width, height)
    return (width * factor, height * factor)


def _orientation(image: Image.Image) -> int:
    """The noted orientation, 1…8. A PNG may have it behind its pixels, where looking for it would decode them."""
    if image.format == "PNG" and "exif" not in image.info:
        return 1
    return int(image.getexif().get(ORIENTATION_TAG, 1))


def _upright(pixels: np.ndarray, orientation: int) -> np.ndarray:
    return np.ascontiguousarray(UPRIGHT[orientation](pixels)) if orientation in UPRIGHT else pixels


def _pixels(image: Image.Image) -> np.ndarray:
    """Grey [H, W] or BGR [H, W, 3], uint8."""
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        values = np.asarray(image).astype(np.float32)
        top = 65535.0 if image.mode.startswith("I;16") else max(float(values.max()), 1.0)
        return np.clip(values * (255.0 / top), 0, 255).astype(np.uint8)
    if "A" in image.getbands() or "transparency" in image.info:
        layered = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", layered.size, "white"), layered).convert("RGB")
    if image.mode in ("1", "L"):
        return np.array(image.convert("L"))
    return np.ascontiguousarray(np.array(image.convert("RGB"))[:, :, ::-1])
