"""Read a PDF or picture by a layout-parsing service."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence

from PIL import Image

from kb_pipeline.deepdoc.files.pictures import MAX_SOURCE_PIXELS
from kb_pipeline.records import PageRender, ParsedDocument
from kb_pipeline.remote_parser.answer import RemotePage, read_result
from kb_pipeline.remote_parser.document import remote_document, without_pictures
from kb_pipeline.remote_parser.files import file_pieces
from kb_pipeline.remote_parser.service import PictureUnavailable, Service, fetch_picture, open_service, parse_file
from kb_pipeline.settings import Settings, reveal

log = logging.getLogger(__name__)

QUALITY = 88  # JPEG, of pictures that come in another form


def read_remotely(
    data: bytes, kind: str, name: str, renders: Sequence[PageRender], settings: Settings
) -> tuple[ParsedDocument, dict[str, bytes], dict[str, str]]:
    """The document of a file, its pictures (JPEG) by part name, and why pictures are missing, by part name.

    Args:
        kind: type by content, `pdf` or a picture's.
        renders: the file's pages in order: their sizes are the frame of all places.

    Raises:
        EndpointError: the service failed for good, or did not answer for every page.
        PageFailed: a page cannot be taken out of the file.
    """
    parser, password = settings.parser, reveal(settings.render.password)
    answers: list[RemotePage] = []
    with open_service(parser) as service:
        for piece in file_pieces(data, kind, name, renders, parser.pages, password):
            result = parse_file(service, piece.data, piece.file_type)
            answers += read_result(result, piece.pages, service.endpoint)
        found = remote_document(renders, answers, settings.assembly.keep)
        pictures, missing = _pictures(service, found.pictures, renders, answers)
    for part, reason in missing.items():
        log.warning("%s: picture %s is missing: %s", name, part, reason)
    return without_pictures(found.document, missing), pictures, missing


def _pictures(
    service: Service,
    wanted: dict[str, tuple[int, str]],
    renders: Sequence[PageRender],
    answers: Sequence[RemotePage],
) -> tuple[dict[str, bytes], dict[str, str]]:
    images = {render.page: answer.images for render, answer in zip(renders, answers, strict=True)}
    pictures: dict[str, bytes] = {}
    missing: dict[str, str] = {}
    for part, (page, name) in wanted.items():
        try:
            value = images[page].get(name)
            if not value:
                raise PictureUnavailable("the answer names it and does not hold it")
            pictures[part] = _jpeg(fetch_picture(service, value))
        except PictureUnavailable as error:
            missing[part] = str(error)
    return pictures, missing


def _jpeg(data: bytes) -> bytes:
    """The picture as JPEG; what is one already stays byte for byte."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            if image.width * image.height > MAX_SOURCE_PIXELS:
                raise PictureUnavailable(f"{image.width} x {image.height} pixels are too many")
            image.load()
            if image.format == "JPEG":
                return data
            buffer = io.BytesIO()
            image.convert("RGB").save(buffer, "JPEG", quality=QUALITY)
            return buffer.getvalue()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise PictureUnavailable(f"it is no picture: {error}") from error
