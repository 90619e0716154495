"""One module a format: bytes in, sections out; the registry of formats, and the detection of a file's type."""

from __future__ import annotations

from collections.abc import Callable, Collection

from kb_pipeline.choices import loaded
from kb_pipeline.errors import EmptyFile, UnsupportedType
from kb_pipeline.formats.native import NativeDocument
from kb_pipeline.formats.registry import FORMATS, readable_as
from kb_pipeline.records import ParsedDocument


def read_native(kind: str, data: bytes, name: str, keep: Collection[str] = ()) -> NativeDocument:
    """A file that has no pages, by its type. `keep`: drop reasons whose text stays in the sections.

    Raises:
        UnsupportedType: no reader is there for that type.
        DamagedFile, EncryptedFile, EmptyFile, FileTooLarge: it cannot be read.
    """
    form = FORMATS[kind]
    if form.pages or not form.reader:
        remedy = f"convert it; what can be read is {readable_as()}"
        raise UnsupportedType(f"{kind} has no reader", document=name, remedy=remedy)
    read: Callable[[bytes, str, Collection[str]], NativeDocument | ParsedDocument] = loaded(form.reader)
    found = read(data, name, keep)
    native = NativeDocument(found) if isinstance(found, ParsedDocument) else found
    if not (form.blank or native.document.sections or native.document.dropped):
        raise EmptyFile("it holds no text and no picture", document=name, remedy="save or export the document again")
    return native
