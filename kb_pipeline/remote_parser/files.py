"""A file in the pieces that a layout-parsing service takes: PDFs in runs of pages, pictures one page each."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import cv2
import pypdfium2

from kb_pipeline.deepdoc.files import pdfium
from kb_pipeline.deepdoc.files.pictures import PictureFile
from kb_pipeline.errors import PageFailed
from kb_pipeline.records import PageRender
from kb_pipeline.remote_parser.service import PDF, PICTURE

AS_THEY_ARE = ("png", "jpeg", "bmp")  # picture types that every service reads


class FilePiece(NamedTuple):
    """Bytes to post, the service's file type, and how many pages they hold."""

    data: bytes
    file_type: int
    pages: int


def file_pieces(
    data: bytes, kind: str, name: str, renders: Sequence[PageRender], max_pages: int, password: str = ""
) -> Iterator[FilePiece]:
    """The pieces of a file in the order of its pages.

    A PDF of at most `max_pages` pages, and a picture of a usual type, goes as it is. Longer PDFs, and encrypted ones,
    are written anew; pictures of other types, and each page of a picture file of several, become PNG.

    Raises:
        PageFailed: a page cannot be taken out of the file.
    """
    if kind == "pdf":
        yield from _pdf_pieces(data, name, len(renders), max_pages, password)
    elif kind in AS_THEY_ARE and len(renders) == 1:
        yield FilePiece(data, PICTURE, 1)
    else:
        with PictureFile(data, name) as file:
            for render in renders:
                if render.error:
                    raise PageFailed(render.error, document=name, page=render.page, remedy="use parser.engine=local")
                picture = file.render(render.page, render.scale)
                yield FilePiece(cv2.imencode(".png", picture)[1].tobytes(), PICTURE, 1)


def _pdf_pieces(data: bytes, name: str, pages: int, max_pages: int, password: str) -> Iterator[FilePiece]:
    if pages <= max_pages and _opens(data):
        yield FilePiece(data, PDF, pages)
        return
    for first in range(0, pages, max_pages):
        numbers = list(range(first, min(first + max_pages, pages)))
        try:
            yield FilePiece(_cut(data, numbers, password), PDF, len(numbers))
        except pypdfium2.PdfiumError as error:
            raise PageFailed(
                f"pages {numbers[0] + 1} to {numbers[-1] + 1} cannot be taken out of the file: {error}",
                document=name, page=numbers[0] + 1, remedy="save the file anew, or use parser.engine=local",
            ) from error  # fmt: skip


def _opens(data: bytes) -> bool:
    """Whether the PDF can be read without a password."""
    with pdfium.LOCK:
        try:
            pypdfium2.PdfDocument(data).close()
        except pypdfium2.PdfiumError:
            return False
    return True


def _cut(data: bytes, numbers: list[int], password: str) -> bytes:
    """Those pages (from 0) as a PDF of their own."""
    buffer = io.BytesIO()
    with pdfium.LOCK:
        whole = pypdfium2.PdfDocument(data, password=password or None)
        part = pypdfium2.PdfDocument.new()
        try:
            part.import_pages(whole, numbers)
            part.save(buffer)
        finally:
            part.close()
            whole.close()
    return buffer.getvalue()
