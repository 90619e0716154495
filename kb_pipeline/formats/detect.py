"""A file's type by its content, and the check that its name agrees.

Binary types are told by magic bytes and, inside containers, by their members. Text types hold no magic: their
extension names them, and the content only tells that they are text.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from kb_pipeline.errors import DamagedFile, EmptyFile, EncryptedFile, MismatchedType, UnsupportedType
from kb_pipeline.formats.archive import Archive
from kb_pipeline.formats.charset import is_text

PDF_HEADER_WITHIN = 1024  # bytes of junk that readers allow before a PDF's header
MIMETYPE = 80  # bytes of a member that names the type; the longest of OpenDocument has 71
HEAD = 4096  # bytes looked at for magic and for HTML
OLE_STREAMS = (  # stream names, UTF-16, in the directory of an OLE file
    ("WordDocument", "doc"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("PowerPoint Document", "ppt"),
    ("EncryptedPackage", "encrypted office"),
)
OOXML = (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx"))

EXTENSIONS = {
    "pdf": ("pdf",),
    "png": ("png",),
    "jpeg": ("jpg", "jpeg", "jpe", "jfif"),
    "tiff": ("tif", "tiff"),
    "bmp": ("bmp", "dib"),
    "webp": ("webp",),
    "gif": ("gif",),
    "docx": ("docx", "docm"),
    "xlsx": ("xlsx", "xlsm"),
    "pptx": ("pptx", "pptm"),
    "doc": ("doc", "dot"),
    "xls": ("xls", "xlt", "et"),
    "ppt": ("ppt", "pps"),
    "epub": ("epub",),
    "odf": ("odt", "ods", "odp"),
    "zip": ("zip",),
    "rtf": ("rtf",),
    "gzip": ("gz", "tgz"),
    "html": ("html", "htm", "xhtml"),
    "markdown": ("md", "markdown", "mdown", "mkd"),
    "csv": ("csv", "tsv"),
    "json": ("json", "jsonl"),
    "xml": ("xml",),
    "text": ("txt", "text", "log"),
}
TEXT_KINDS = ("html", "markdown", "csv", "json", "xml", "text")
READABLE = ("pdf", "png", "jpeg", "tiff", "bmp", "webp", "gif", "docx", "xlsx", "xls", "csv", "text", "markdown")
READABLE_AS = (
    "PDF, pictures (png, jpg, tif, bmp, webp, gif), Word (docx), Excel (xlsx, xls), csv, tsv, plain text (txt), "
    "Markdown (md)"
)

_BY_EXTENSION = {extension: kind for kind, extensions in EXTENSIONS.items() for extension in extensions}


def detect(data: bytes, name: str) -> str:
    """The type of a file's content: a key of EXTENSIONS, or `ole`, `encrypted office`, `unknown`.

    `name` decides between text types only.

    Raises:
        EmptyFile: there are no bytes.
        FileTooLarge: an archive holds more members than is safe.
    """
    if not data:
        raise EmptyFile("the file holds no bytes", document=name, remedy="save or export the document again")
    kind = _by_magic(data, name)
    if kind:
        return kind
    if not is_text(data):
        return "unknown"
    named = _BY_EXTENSION.get(extension(name), "")
    if named in TEXT_KINDS:
        return named
    return "html" if _looks_like_html(data) else "text"


def extension(name: str) -> str:
    """A name's extension, lower case, without the dot."""
    return PurePosixPath(name.replace("\\", "/")).suffix.lower().removeprefix(".")


def check_name(kind: str, name: str) -> None:
    """Raise where a file of that type cannot be read, or its name claims another type.

    Raises:
        MismatchedType: the extension names one type and the content is another.
        EncryptedFile: an Office document that needs a password.
        UnsupportedType: the content is of no type that can be read; the remedy lists those that can.
    """
    if kind == "encrypted office":
        raise EncryptedFile("the Office document needs a password", document=name, remedy="save it without one")
    named = _BY_EXTENSION.get(extension(name), "")
    both_text = named in TEXT_KINDS and kind in TEXT_KINDS
    if named and named != kind and not both_text and not _same_family(named, kind):
        right = EXTENSIONS.get(kind, ("",))[0]
        remedy = f"rename it to end in .{right}" if right else f"give it the extension of its content ({kind})"
        if kind not in READABLE:
            remedy += f", and convert it: what can be read is {READABLE_AS}"
        raise MismatchedType(
            f"the name ends in .{extension(name)}, the content is {_spoken(kind)}", document=name, remedy=remedy
        )
    if kind not in READABLE:
        raise UnsupportedType(
            f"{_spoken(kind)} cannot be read", document=name, remedy=f"convert it; what can be read is {READABLE_AS}"
        )


def _same_family(named: str, kind: str) -> bool:
    """Whether a name promises no more than the content keeps: containers whose own type could not be told."""
    return kind == "ole" and named in ("doc", "xls", "ppt")


def _spoken(kind: str) -> str:
    named = {
        "unknown": "of an unknown binary type",
        "ole": "an OLE container (an old Office document?)",
        "doc": "an old Word document (doc)",
        "xls": "an old Excel workbook (xls)",
        "ppt": "an old PowerPoint presentation (ppt)",
    }
    return named.get(kind, kind)


def _by_magic(data: bytes, name: str) -> str:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith((b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+")):
        return "tiff"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "webp"
    if (
        data.startswith(b"BM")
        and len(data) > 26
        and data[14:18] in (b"\x28\0\0\0", b"\x0c\0\0\0", b"\x6c\0\0\0", b"\x7c\0\0\0")
    ):
        return "bmp"
    if data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        return _by_members(data, name)
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return next((kind for stream, kind in OLE_STREAMS if stream.encode("utf-16-le") in data), "ole")
    if data.startswith(b"{\\rtf"):
        return "rtf"
    if data.startswith(b"\x1f\x8b"):
        return "gzip"
    return "pdf" if data.startswith(b"%PDF-") or (b"%PDF-" in data[:PDF_HEADER_WITHIN] and b"startxref" in data) else ""


def _by_members(data: bytes, name: str) -> str:
    """The type of a zip by what it holds; a damaged one is told by the names in its bytes."""
    try:
        archive = Archive(data, name)
        names = archive.names
        mimetype = archive.bytes("mimetype", MIMETYPE) if "mimetype" in archive else b""
    except DamagedFile:
        names, mimetype = [], b""
        for folder, kind in OOXML:
            if folder.encode() in data:
                return kind
    if mimetype.startswith(b"application/epub"):
        return "epub"
    if mimetype.startswith(b"application/vnd.oasis.opendocument"):
        return "odf"
    for folder, kind in OOXML:
        if "[Content_Types].xml" in names and any(name.startswith(folder) for name in names):
            return kind
    return "zip"


def _looks_like_html(data: bytes) -> bool:
    head = data[:HEAD].lower().lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith((b"<!doctype html", b"<html")) or b"<body" in head
