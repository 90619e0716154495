"""PDF files through PDFium: geometry, bookmarks, characters, rulings and pictures, all in one frame.

The frame is the displayed page: after CropBox, /Rotate and UserUnit, points, origin top left. PDFium itself knows
nothing of UserUnit, so the unit is read from the page dictionary here and applied to everything that leaves the module.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

import numpy as np
import pypdfium2.raw as raw

from kb_pipeline.deepdoc.files import pdfium
from kb_pipeline.deepdoc.files.characters import Characters, mark_ground_colour
from kb_pipeline.deepdoc.files.geometry import coverage
from kb_pipeline.deepdoc.files.painted import mark_unpainted
from kb_pipeline.deepdoc.files.pdf_outline import read_outline
from kb_pipeline.deepdoc.files.pdf_page import (
    MAX_SIDE,
    Geometry,
    display_geometry,
    flattened,
    is_flat,
    mentions_user_unit,
    picture_size,
    read_user_unit,
    render_scale,
    repaired_crop,
)
from kb_pipeline.deepdoc.files.pdf_text import read_characters
from kb_pipeline.deepdoc.files.rulings import Rulings, path_rulings, walk
from kb_pipeline.errors import DamagedFile, EmptyFile, EncryptedFile, FileClosed, PageFailed
from kb_pipeline.records import Bookmark, Box

# No picture beyond this is ever allocated, whatever the scale that was asked for; pixels.
MAX_PIXELS = 400_000_000
# Attachments that are told of, and bytes of a name; a file can claim any number.
MAX_ATTACHMENTS = 1000
MAX_NAME = 2048
# Scale of the small grey picture in which text is looked for that does not show; pixels per point.
GROUND_SCALE = 1.5
PAINTED_SCALE = 1.0
GROUND_PIXELS = 8_000_000


class PdfFile:
    """An open PDF; a context manager. Safe to use from several threads (calls take turns).

    Args:
        data: the file's bytes.
        name: what errors call the document.
        password: tried when the file is encrypted.

    Raises:
        EmptyFile: no bytes or no page. EncryptedFile: the password is missing or wrong. DamagedFile: anything else
            that keeps PDFium from opening it.
    """

    def __init__(self, data: bytes, name: str, password: str = ""):
        self.name = name
        self._data = data  # PDFium reads from this buffer for as long as the document is open
        self._document = None
        self._open_number, self._open_page, self._open_text, self._open_paths = 0, None, None, None
        if not data:
            raise EmptyFile("the file holds no bytes", document=name, remedy="upload it again")
        with pdfium.LOCK:
            # A password is offered only where one is asked for: a file that needs none refuses a wrong one.
            self._document = raw.FPDF_LoadMemDocument64(data, len(data), None)
            if not self._document and password and raw.FPDF_GetLastError() == pdfium.ERROR_PASSWORD:
                for encoded in _password_forms(password):
                    self._document = self._document or raw.FPDF_LoadMemDocument64(data, len(data), encoded)
            if not self._document:
                raise self._open_error(raw.FPDF_GetLastError(), bool(password))
            self._count = raw.FPDF_GetPageCount(self._document)
            self._has_units = mentions_user_unit(self._document, data)
        self._units: dict[int, float] = {}
        self._geometries: dict[int, Geometry] = {}
        if self._count < 1:
            self.close()
            raise EmptyFile("the file holds no page", document=name, remedy="check that it opens in a viewer")

    def _open_error(self, code: int, had_password: bool) -> Exception:
        if code == pdfium.ERROR_PASSWORD:
            problem = "the password is wrong" if had_password else "the file needs a password"
            return EncryptedFile(problem, document=self.name, remedy="set render.password")
        if code == pdfium.ERROR_SECURITY:
            return EncryptedFile(
                "its protection is of a kind that cannot be opened", document=self.name, remedy="save it without"
            )
        return DamagedFile(
            "it is not a readable PDF", document=self.name, remedy="open it in a viewer and save it again"
        )

    def __enter__(self) -> PdfFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees PDFium's memory; may be called twice."""
        with pdfium.LOCK:
            self._close_page()
            if self._document:
                raw.FPDF_CloseDocument(self._document)
                self._document = None

    @property
    def page_count(self) -> int:
        return self._count

    def bookmarks(self) -> tuple[Bookmark, ...]:
        """The outline in reading order, flattened; empty where there is none."""
        with pdfium.LOCK:
            return read_outline(self._document, self._target_top)

    def attachments(self) -> tuple[str, ...]:
        """Names of the files that are attached to the document, in its order."""
        with pdfium.LOCK:
            count = max(0, raw.FPDFDoc_GetAttachmentCount(self._document)) if self._document else 0
            return tuple(_attachment_name(self._document, index) for index in range(min(count, MAX_ATTACHMENTS)))

    def size(self, page: int) -> tuple[float, float]:
        """Width and height of the displayed page in points."""
        geometry = self._geometry(page)
        return (geometry.width, geometry.height)

    def rotation(self, page: int) -> int:
        """The page's /Rotate: 0, 90, 180 or 270 degrees clockwise, already applied to everything else."""
        return self._geometry(page).rotation

    def characters(self, page: int) -> Characters:
        """The page's characters, those that a reader cannot see marked as dropped.

        Raises:
            PageFailed: the page cannot be read.
        """
        geometry = self._geometry(page)
        with self._page(page):
            text = pdfium.address(self._text_page(page))
            layer = read_characters(text, geometry.matrix, geometry.width, geometry.height)
        characters, pale = layer.characters, layer.pale
        if not characters.seen.any():
            return characters
        scale = render_scale(geometry.width, geometry.height, GROUND_SCALE * 72, GROUND_PIXELS)
        if (pale & characters.seen).any():
            characters = mark_ground_colour(characters, pale, self._grey(page, scale), scale)
        with self._page(page) as handle:
            walked = walk(pdfium.address(handle), geometry.matrix)
            texts = [item for item, _ in walked if pdfium.object_type(item) == raw.FPDF_PAGEOBJ_TEXT]
            scale = render_scale(geometry.width, geometry.height, PAINTED_SCALE * 72, GROUND_PIXELS)
            return mark_unpainted(layer._replace(characters=characters), texts, lambda: self._grey(page, scale), scale)

    def render(self, page: int, scale: float) -> np.ndarray:
        """The displayed page as BGR, uint8 [H, W, 3], `scale` pixels per point; annotations are drawn.

        Raises:
            PageFailed: the page cannot be read, or the picture would be beyond all bounds.
        """
        return self._rendered(page, scale, 3, raw.FPDFBitmap_BGR)

    def rulings(self, page: int) -> Rulings:
        """Horizontal and vertical line segments of the page's vector paths; none on scans."""
        return self._paths(page)[0]

    def drawing_count(self, page: int) -> int:
        """Number of vector paths that show; text that was turned into outlines shows up here."""
        return self._paths(page)[1]

    def picture_boxes(self, page: int) -> list[Box]:
        """Places of the images of the page."""
        geometry = self._geometry(page)
        with self._page(page) as handle:
            images = [
                matrix
                for item, matrix in walk(pdfium.address(handle), geometry.matrix)
                if pdfium.object_type(item) == raw.FPDF_PAGEOBJ_IMAGE
            ]
        boxes = []
        for matrix in images:  # an image fills the unit square of its own space
            corners = [pdfium.applied(matrix, x, y) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1))]
            xs, ys = [x for x, _ in corners], [y for _, y in corners]
            boxes.append((min(xs), min(ys), max(xs), max(ys)))
        return boxes

    def picture_coverage(self, page: int) -> float:
        """Share of the displayed page that images cover, 0…1."""
        return coverage(self.picture_boxes(page), *self.size(page))

    # ------------------------------------------------------------ pages

    @contextlib.contextmanager
    def _page(self, page: int) -> Iterator[object]:
        """The loaded page, with the lock held. The last page stays loaded: its readers mostly come one by one."""
        with pdfium.LOCK:
            if not self._document:
                raise FileClosed("the file was closed", document=self.name, page=page)
            if self._open_number != page:
                self._close_page()
                if not 1 <= page <= self._count:
                    raise PageFailed("there is no such page", document=self.name, page=page)
                self._open_page = self._loaded(page)
                self._open_number = page
            yield self._open_page

    def _loaded(self, page: int) -> object:
        handle = raw.FPDF_LoadPage(self._document, page - 1)
        if handle and (repaired_crop(handle) + flattened(handle)):
            raw.FPDF_ClosePage(handle)
            handle = raw.FPDF_LoadPage(self._document, page - 1)
        if not handle or is_flat(handle):
            if handle:
                raw.FPDF_ClosePage(handle)
            raise PageFailed(
                "the page cannot be read", document=self.name, page=page, remedy="the other pages are not touched"
            )
        return handle

    def _text_page(self, page: int) -> object:
        if not self._open_text:
            self._open_text = raw.FPDFText_LoadPage(self._open_page) or None
            if not self._open_text:
                raise PageFailed("its text cannot be read", document=self.name, page=page)
        return self._open_text

    def _paths(self, page: int) -> tuple[Rulings, int]:
        with self._page(page) as handle:
            if self._open_paths is None:
                self._open_paths = path_rulings(pdfium.address(handle), self._geometry(page).matrix)
            return self._open_paths

    def _close_page(self) -> None:
        if self._open_text:
            raw.FPDFText_ClosePage(self._open_text)
        if self._open_page:
            raw.FPDF_ClosePage(self._open_page)
        self._open_number, self._open_page, self._open_text, self._open_paths = 0, None, None, None

    def _geometry(self, page: int) -> Geometry:
        if page not in self._geometries:
            with self._page(page) as handle:
                box = raw.FS_RECTF()
                raw.FPDF_GetPageBoundingBox(handle, box)
                rotation = raw.FPDFPage_GetRotation(handle) % 4 * 90
                unit = self._user_unit(page)
            self._geometries[page] = display_geometry(box.left, box.bottom, box.right, box.top, rotation, unit)
        return self._geometries[page]

    def _user_unit(self, page: int) -> float:
        if not self._has_units:
            return 1.0
        if page not in self._units:
            self._units[page] = read_user_unit(self._document, page - 1)
        return self._units[page]

    def _target_top(self, page: int, x: float, y: float) -> float:
        """Displayed height of a point of user space; 0 where the page cannot be read."""
        try:
            geometry = self._geometry(page)
        except PageFailed:
            return 0.0
        top = pdfium.applied(geometry.matrix, x, y)[1]
        return round(min(max(top, 0.0), geometry.height), 3)

    # ------------------------------------------------------------ pictures

    def _grey(self, page: int, scale: float) -> np.ndarray:
        return self._rendered(page, scale, 1, raw.FPDFBitmap_Gray)[:, :, 0]

    def _rendered(self, page: int, scale: float, channels: int, kind: int) -> np.ndarray:
        geometry = self._geometry(page)
        width, height = picture_size(geometry.width, geometry.height, scale)
        if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
            raise PageFailed(
                f"a picture of {width} x {height} pixels is too large", document=self.name, page=page,
                remedy="lower render.dpi or render.pixel_budget",
            )  # fmt: skip
        picture = np.full((height, width, channels), 255, dtype=np.uint8)
        with self._page(page) as handle:
            bitmap = raw.FPDFBitmap_CreateEx(
                width, height, kind, ctypes.c_void_p(picture.ctypes.data), width * channels
            )
            if not bitmap:
                raise PageFailed("no memory for its picture", document=self.name, page=page)
            raw.FPDF_RenderPageBitmap(bitmap, handle, 0, 0, width, height, 0, raw.FPDF_ANNOT)
            raw.FPDFBitmap_Destroy(bitmap)
        return picture


def _attachment_name(document: object, index: int) -> str:
    attachment = raw.FPDFDoc_GetAttachment(document, index)
    length = raw.FPDFAttachment_GetName(attachment, None, 0) if attachment else 0
    if length < 2 or length > MAX_NAME:
        return f"attachment {index + 1}"
    buffer = (ctypes.c_ushort * (length // 2))()
    raw.FPDFAttachment_GetName(attachment, buffer, length)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0") or f"attachment {index + 1}"


def _password_forms(password: str) -> list[bytes]:
    """The bytes that a password may stand for: UTF-8 in new files, one byte a letter in old ones."""
    forms = [password.encode()]
    with contextlib.suppress(UnicodeEncodeError):
        forms.append(password.encode("latin-1"))
    return forms
