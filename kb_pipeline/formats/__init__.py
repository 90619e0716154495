"""One module a format: bytes in, sections out; and the detection of a file's type by its content."""

from __future__ import annotations

from collections.abc import Collection

from kb_pipeline.errors import EmptyFile, UnsupportedType
from kb_pipeline.formats.native import NativeDocument


def read_native(kind: str, data: bytes, name: str, keep: Collection[str] = ()) -> NativeDocument:
    """A file that has no pages, by its type. `keep`: drop reasons whose text stays in the sections.

    Raises:
        UnsupportedType: no reader is there for that type.
        DamagedFile, EncryptedFile, EmptyFile, FileTooLarge: it cannot be read.
    """
    if kind == "text":
        from kb_pipeline.formats.text import read_text

        return NativeDocument(read_text(data, name))
    if kind == "markdown":
        from kb_pipeline.formats.markdown import read_markdown

        return NativeDocument(read_markdown(data, name))
    found = _read_office(kind, data, name, keep)
    if not (found.document.sections or found.document.dropped):
        raise EmptyFile("it holds no text and no picture", document=name, remedy="save or export the document again")
    return found


def _read_office(kind: str, data: bytes, name: str, keep: Collection[str]) -> NativeDocument:
    if kind == "csv":
        from kb_pipeline.formats.delimited import read_delimited

        return NativeDocument(read_delimited(data, name))
    if kind == "xlsx":
        from kb_pipeline.formats.spreadsheet.read import read_xlsx_file

        return read_xlsx_file(data, name, keep)
    if kind == "xls":
        from kb_pipeline.formats.spreadsheet.read import read_xls_file

        return read_xls_file(data, name, keep)
    if kind == "docx":
        from kb_pipeline.formats.docx.read import read_docx

        return read_docx(data, name, keep)
    raise UnsupportedType(
        f"{kind} has no reader", document=name, remedy="convert it to PDF, docx, xlsx, csv, txt or md"
    )
