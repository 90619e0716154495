"""sections: the document put together: sections in reading order, what was dropped and why, the character sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kb_pipeline.engine.stage import Output, Stage, Work
from kb_pipeline.errors import DamagedFile
from kb_pipeline.formats.registry import FORMATS
from kb_pipeline.records import Bookmark, PageLayout, PageRender, PageTables, ParsedDocument, decode, encode
from kb_pipeline.stages.layout_boxes import PICTURED, figure_part
from kb_pipeline.stages.page_renders import ATTACHMENTS
from kb_pipeline.stages.raw_file import RawFile, raw_file
from kb_pipeline.storage.artefacts import Artefacts
from kb_pipeline.storage.pictures import FIGURE_PICTURES

if TYPE_CHECKING:
    from kb_pipeline.formats.native import NativeDocument

DOCUMENT = "document.json"
"""Part that holds the ParsedDocument."""

ATTACHMENTS_TOLD = 10  # names of attached files in a note


def compute(work: Work) -> Output:
    """Sections of a paged document from its lines and tables or by the remote parser, or of a native format straight
    from its bytes.

    Raises:
        DamagedFile: not one page, or no part of a native format, could be read.
        EncryptedFile, EmptyFile, FileTooLarge: a native format cannot be read.
        EndpointError: the remote parser failed.
    """
    file = raw_file(work)
    if not FORMATS[file.kind].pages:
        native = _native(work, file.kind)
        return Output({DOCUMENT: encode(native.document), **native.pictures}, facts(native.document))
    if work.settings.parser.engine == "remote":
        return _remote(work, file)
    document, pictures = _assembled(work)
    return Output({DOCUMENT: encode(document), **pictures}, facts(document))


def _remote(work: Work, file: RawFile) -> Output:
    from kb_pipeline.remote_parser.read import read_remotely

    names = [name for name in work.part_names("page_renders", ".json") if name[:5].isdecimal()]
    renders = [decode(work.read("page_renders", name), PageRender) for name in names]
    document, pictures, missing = read_remotely(
        work.read("raw_file", "content"), file.kind, file.name, renders, work.settings
    )
    told = {"pictures missing": [f"{part}: {reason}" for part, reason in missing.items()]} if missing else {}
    return Output({DOCUMENT: encode(document), **pictures}, {**facts(document), **told})


def _assembled(work: Work) -> tuple[ParsedDocument, dict[str, bytes]]:
    """The document, and the pictures of its figures and formulas by part name."""
    from kb_pipeline.deepdoc.assembly.assemble import assemble, figure_requests

    names = work.part_names("layout_boxes", ".json")
    pages = [decode(work.read("layout_boxes", name), PageLayout) for name in names]
    tables = [decode(work.read("table_grids", name), PageTables) for name in names]
    if pages and all(page.error for page in pages):
        raise DamagedFile(f"no page can be read; the first: {pages[0].error}", remedy="repair the file")
    bookmarks = decode(work.read("page_renders", "bookmarks.json"), tuple[Bookmark, ...])
    document = assemble(pages, tables, bookmarks, work.settings)
    if work.part_names("page_renders", ATTACHMENTS):
        attached = decode(work.read("page_renders", ATTACHMENTS), tuple[str, ...])
        told = f"attached files that are not read ({len(attached)}): {', '.join(attached[:ATTACHMENTS_TOLD])}"
        document = msgspec.structs.replace(document, notes=(*document.notes, told))
    crops = {
        (page.page, region.box): figure_part(page.page, index)
        for page in pages
        for index, region in enumerate(page.regions)
        if region.role in PICTURED
    }
    pictures = {
        request.part: work.read("layout_boxes", crops[request.page, request.box])
        for request in figure_requests(document)
        if (request.page, request.box) in crops
    }
    return document, pictures


def _native(work: Work, kind: str) -> NativeDocument:
    from kb_pipeline.formats import read_native

    keep = work.settings.assembly.keep
    return read_native(kind, work.read("raw_file", "content"), work.document.path, keep)


def facts(document: ParsedDocument) -> dict[str, object]:
    """Figures of a document for listings."""
    failed = [page.page for page in document.pages if page.error]
    return {
        "pages": len(document.pages),
        "sections": len(document.sections),
        "characters in": document.characters.in_,
        "characters in sections": document.characters.sections,
        "characters dropped": sum(document.characters.dropped.values()),
        "character sum balanced": document.characters.balanced,
        **({"failed pages": failed, "failure": document.pages[failed[0] - 1].error} if failed else {}),
        **({"notes": list(document.notes)} if document.notes else {}),
        "preview": preview(document),
    }


def preview(document: ParsedDocument, characters: int = 600) -> str:
    """The head of a document as Markdown."""
    blocks, length = [], 0
    for section in document.sections:
        mark = "#" * section.level + " " if section.level else ""
        blocks.append(mark + section.text[: characters - length])
        length += len(blocks[-1])
        if length >= characters:
            break
    return "\n\n".join(blocks)


def read_document(document: str, artefacts: Artefacts) -> ParsedDocument | None:
    """A document by its id as it was last put together; None where it was not."""
    artefact = artefacts.current(document, STAGE.name)
    return decode(artefacts.part(artefact, DOCUMENT), ParsedDocument) if artefact else None


STAGE = Stage(
    FIGURE_PICTURES,
    ("raw_file", "page_renders", "layout_boxes", "table_grids"),
    "7",
    "Sections in reading order, dropped text with reasons, the character sum.",
    settings=(
        "assembly",
        "parser.engine",
        "parser.revision",
        "parser.chart_recognition",
        "parser.orientation_classify",
    ),
    compute=compute,
    sums_characters=True,
)
