"""page_renders: every page's geometry, characters, verdict and display picture; the outline of the document."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING

from kb_pipeline.engine.stage import Output, PageWork, Stage, Work
from kb_pipeline.errors import DocumentError
from kb_pipeline.records import PageRender, Verdict, encode
from kb_pipeline.stages.page_source import open_pages, without_pages
from kb_pipeline.storage.parquet import from_parquet, to_parquet
from kb_pipeline.storage.pictures import PAGE_PICTURES, page_picture_part

if TYPE_CHECKING:
    from kb_pipeline.deepdoc.files.paged_file import PagedFile

THUMBNAIL_WIDTH = 160  # pixels; every event is stored twice in the event log, so it stays small
THUMBNAIL_QUALITY = 60

ATTACHMENTS = "attachments.json"  # part of documents that have some: their names


def compute_page(work: PageWork) -> tuple[dict[str, bytes], Mapping[str, float]]:
    """Render a page and read its characters.

    The full picture is not kept: it is a function of the file and `scale`, and `picture_digest` stands for it in the
    fingerprints of the stages after. It stays in the worker's memory for them.
    """
    from kb_pipeline.deepdoc.page.read import render_page

    render, characters, picture, display = render_page(work.source.file, work.page, work.settings)
    work.source.keep(work.page, render.scale, picture)
    parts = {
        f"{work.page:05d}.json": encode(render),
        f"{work.page:05d}.parquet": to_parquet(characters.to_frame()),
        page_picture_part(work.page): display,
    }
    return parts, {"characters": render.characters, f"pages {render.verdict.label}": 1}


def failed_page(page: int, reason: str) -> dict[str, bytes]:
    """A page that could not be read: no size, no characters, no picture."""
    render = PageRender(page, 0.0, 0.0, 0, 0.0, "", 0, Verdict("blank", {}), reason)
    return {f"{page:05d}.json": encode(render)}


def read_characters(data: bytes):
    """The characters of a page from its part."""
    from kb_pipeline.deepdoc.files.characters import Characters

    return Characters.from_frame(from_parquet(data))


def finish(work: Work) -> Output:
    """The outline of the document, names of the files attached to it, and its first page as a thumbnail for the
    listing."""
    file = work.pages.file
    parts = {"bookmarks.json": encode(file.bookmarks())}
    if attached := file.attachments():
        parts[ATTACHMENTS] = encode(attached)
    return Output(parts, {"preview": _thumbnail(file)})


def _thumbnail(file: PagedFile) -> str:
    """The first page as a Markdown picture of a few kilobytes; empty where that page cannot be rendered."""
    import cv2

    try:
        picture = file.render(1, THUMBNAIL_WIDTH / file.size(1)[0])
    except DocumentError:
        return ""
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, THUMBNAIL_QUALITY])[1].tobytes()
    return f"![page 1](data:image/jpeg;base64,{base64.b64encode(data).decode()})"


STAGE = Stage(
    PAGE_PICTURES,
    ("raw_file",),
    f"5 pypdfium2 {version('pypdfium2')}",
    "Pages as pictures, with geometry, characters and the verdict on their character layer.",
    settings=("render",),
    idle=without_pages,
    open_pages=open_pages,
    compute_page=compute_page,
    failed_page=failed_page,
    finish=finish,
    display=".jpg",
    kinds=("pdf",),
)
