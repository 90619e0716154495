"""One module a format: bytes in, sections out; and the detection of a file's type by its content."""

from __future__ import annotations

from kb_pipeline.errors import UnsupportedType
from kb_pipeline.records import ParsedDocument


def read_native(kind: str, data: bytes, name: str) -> ParsedDocument:
    """A file that has no pages, by its type.

    Raises:
        UnsupportedType: no reader is there for that type.
    """
    if kind == "text":
        from kb_pipeline.formats.text import read_text

        return read_text(data, name)
    if kind == "markdown":
        from kb_pipeline.formats.markdown import read_markdown

        return read_markdown(data, name)
    raise UnsupportedType(f"{kind} has no reader", document=name, remedy="convert it to PDF, txt or md")
