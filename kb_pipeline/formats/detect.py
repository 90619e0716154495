"""A file's type by its content, and the check that its name agrees.

Binary types are told by magic bytes and, inside containers, by their members. Text types hold no magic: their
extension names them, and the content only tells that they are text.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from kb_pipeline.errors import DamagedFile, EmptyFile, EncryptedFile, MismatchedType, UnsupportedType
from kb_pipeline.formats.archive import Archive
from kb_pipeline.formats.charset import is_text
from kb_pipeline.formats.registry import FORMATS, named, readable_as

MIMETYPE = 80  # bytes of a member that names the type; the longest of OpenDocument has 71
HEAD = 4096  # bytes looked at for HTML
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def detect(data: bytes, name: str) -> str:
    """The type of a file's content: a key of FORMATS.

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
    by_name = named(extension(name))
    if by_name and FORMATS[by_name].text:
        return by_name
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
    content, promised = FORMATS[kind], named(extension(name))
    both_text = content.text and bool(promised) and FORMATS[promised].text
    if promised and promised != kind and not both_text and not _same_family(promised, kind):
        right = content.extensions[0] if content.extensions else ""
        remedy = f"rename it to end in .{right}" if right else f"give it the extension of its content ({kind})"
        if not content.reader:
            remedy += f", and convert it: what can be read is {readable_as()}"
        raise MismatchedType(
            f"the name ends in .{extension(name)}, the content is {_spoken(kind)}", document=name, remedy=remedy
        )
    if not content.reader:
        raise UnsupportedType(
            f"{_spoken(kind)} cannot be read", document=name, remedy=f"convert it; what can be read is {readable_as()}"
        )


def _same_family(named: str, kind: str) -> bool:
    """Whether a name promises no more than the content keeps: containers whose own type could not be told."""
    return kind == "ole" and bool(FORMATS[named].streams)


def _spoken(kind: str) -> str:
    one = FORMATS[kind]
    return kind if one.reader else one.family


def _by_magic(data: bytes, name: str) -> str:
    """The type of binary bytes; those that begin with a mark are told before those that hold one further in."""
    if data.startswith(ZIP):
        return _by_members(data, name)
    if data.startswith(OLE):
        streams = ((stream, kind) for kind, one in FORMATS.items() for stream in one.streams)
        return next((kind for stream, kind in streams if stream.encode("utf-16-le") in data), "ole")
    for kind, one in FORMATS.items():
        if one.starts and data.startswith(one.starts) and (one.looks is None or one.looks(data)):
            return kind
    return next((kind for kind, one in FORMATS.items() if one.looks and not one.starts and one.looks(data)), "")


def _by_members(data: bytes, name: str) -> str:
    """The type of a zip by what it holds; a damaged one is told by the names in its bytes."""
    packages = [(one.members, kind) for kind, one in FORMATS.items() if one.members]
    try:
        archive = Archive(data, name)
        names = archive.names
        mimetype = archive.bytes("mimetype", MIMETYPE) if "mimetype" in archive else b""
    except DamagedFile:
        return next((kind for folder, kind in packages if folder.encode() in data), "zip")
    for kind, one in FORMATS.items():
        if one.mimetype and mimetype.startswith(one.mimetype):
            return kind
    for folder, kind in packages:
        if "[Content_Types].xml" in names and any(name.startswith(folder) for name in names):
            return kind
    return "zip"


def _looks_like_html(data: bytes) -> bool:
    head = data[:HEAD].lower().lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith((b"<!doctype html", b"<html")) or b"<body" in head
