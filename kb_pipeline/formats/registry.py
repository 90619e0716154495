"""The types of files: how each is told by its content, what names it, what reads it. One entry a type.

Types that are known and have no reader are here too, so that errors can call them by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

PDF_HEADER_WITHIN = 1024  # bytes of junk that readers allow before a PDF's header
BMP_HEADERS = (b"\x28\0\0\0", b"\x0c\0\0\0", b"\x6c\0\0\0", b"\x7c\0\0\0")  # sizes of the versions of its header


@dataclass(frozen=True)
class Format:
    """A type of file.

    Binary types are told by `starts` and `looks` (both have to hold where both are given), inside containers by
    `members`, `mimetype` or `streams`. Text types hold no magic: their extension names them.

    Attributes:
        family: what people call it, and others like it.
        extensions: its names end so; the first is the one to rename a file to.
        shown: how many of these are listed.
        reader: `module:name`, imported at first use; empty where there is none. With `pages` it opens a PagedFile from
            bytes, the document's name and a password; else it makes a NativeDocument, or a ParsedDocument where no
            pictures belong to it, from bytes, name and the drop reasons whose text is kept.
        place: where an answer points.
        pages: it is read page by page.
        blank: a file without a word is no fault.
        text: it is text.
        starts: first bytes, one of them.
        looks: whether bytes are of that type.
        members: folder of an Office Open XML package.
        mimetype: how a zip's member of that name begins.
        streams: names in the directory of an OLE file.
    """

    family: str
    extensions: tuple[str, ...] = ()
    shown: int = 1
    reader: str = ""
    place: str = ""
    pages: bool = False
    blank: bool = False
    text: bool = False
    starts: tuple[bytes, ...] = ()
    looks: Callable[[bytes], bool] | None = None
    members: str = ""
    mimetype: bytes = b""
    streams: tuple[str, ...] = ()


def _pdf(data: bytes) -> bool:
    return data.startswith(b"%PDF-") or (b"%PDF-" in data[:PDF_HEADER_WITHIN] and b"startxref" in data)


def _picture(extensions: tuple[str, ...], *starts: bytes, looks: Callable[[bytes], bool] | None = None) -> Format:
    return Format(
        "pictures", extensions, reader="kb_pipeline.deepdoc.files.pictures:PictureFile", place="boxes on the page",
        pages=True, starts=starts, looks=looks,
    )  # fmt: skip


FORMATS: dict[str, Format] = {
    "pdf": Format("PDF", ("pdf",), reader="kb_pipeline.deepdoc.files.pdf:PdfFile", place="boxes on the page",
                  pages=True, looks=_pdf),
    "png": _picture(("png",), b"\x89PNG\r\n\x1a\n"),
    "jpeg": _picture(("jpg", "jpeg", "jpe", "jfif"), b"\xff\xd8\xff"),
    "tiff": _picture(("tif", "tiff"), b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"),
    "bmp": _picture(("bmp", "dib"), b"BM", looks=lambda data: len(data) > 26 and data[14:18] in BMP_HEADERS),
    "webp": _picture(("webp",), b"RIFF", looks=lambda data: data[8:12] == b"WEBP"),
    "gif": _picture(("gif",), b"GIF87a", b"GIF89a"),
    "docx": Format("Word", ("docx", "docm"), reader="kb_pipeline.formats.docx.read:read_docx",
                   place="paragraphs under their headings, cells", members="word/"),
    "xlsx": Format("Excel", ("xlsx", "xlsm"), reader="kb_pipeline.formats.spreadsheet.read:read_xlsx_file",
                   place="sheet and cells", members="xl/"),
    # before xls: Word documents hold workbooks, and are not read
    "doc": Format("an old Word document (doc)", ("doc", "dot"), streams=("WordDocument",)),
    "xls": Format("Excel", ("xls", "xlt", "et"), reader="kb_pipeline.formats.spreadsheet.read:read_xls_file",
                  place="sheet and cells", streams=("Workbook", "Book")),
    "csv": Format("tables as text", ("csv", "tsv"), shown=2, reader="kb_pipeline.formats.delimited:read_delimited",
                  place="lines and cells", text=True),
    "markdown": Format("Markdown", ("md", "markdown", "mdown", "mkd"),
                       reader="kb_pipeline.formats.markdown.read:read_markdown", place="lines", text=True, blank=True),
    "text": Format("plain text", ("txt", "text", "log"), reader="kb_pipeline.formats.text:read_text", place="lines",
                   text=True, blank=True),
    # known, and not read
    "html": Format("html", ("html", "htm", "xhtml"), text=True),
    "json": Format("json", ("json", "jsonl"), text=True),
    "xml": Format("xml", ("xml",), text=True),
    "pptx": Format("pptx", ("pptx", "pptm"), members="ppt/"),
    "ppt": Format("an old PowerPoint presentation (ppt)", ("ppt", "pps"), streams=("PowerPoint Document",)),
    "encrypted office": Format("encrypted office", streams=("EncryptedPackage",)),
    "ole": Format("an OLE container (an old Office document?)"),
    "epub": Format("epub", ("epub",), mimetype=b"application/epub"),
    "odf": Format("odf", ("odt", "ods", "odp"), mimetype=b"application/vnd.oasis.opendocument"),
    "zip": Format("zip", ("zip",)),
    "rtf": Format("rtf", ("rtf",), starts=(b"{\\rtf",)),
    "gzip": Format("gzip", ("gz", "tgz"), starts=(b"\x1f\x8b",)),
    "unknown": Format("of an unknown binary type"),
}  # fmt: skip
"""Every type by its name, which documents keep. Order decides where two would fit."""


def named(extension: str) -> str:
    """The type that an extension names; empty for others."""
    return next((kind for kind, one in FORMATS.items() if extension in one.extensions), "")


def readable_as() -> str:
    """What can be read, in words: `PDF (pdf), pictures (png, jpg, …), …`."""
    families: dict[str, list[str]] = {}
    for one in FORMATS.values():
        if one.reader:
            families.setdefault(one.family, []).extend(one.extensions[: one.shown])
    return ", ".join(f"{family} ({', '.join(names)})" for family, names in families.items())
