"""raw_file: the source's bytes as they are, with their type by content."""

from __future__ import annotations

import hashlib

import msgspec

from kb_pipeline.engine.stage import Output, Stage, Work
from kb_pipeline.records import Record, decode, encode
from kb_pipeline.storage import sources


class RawFile(Record, frozen=True):
    """What is known of a file before it is read: `kind` is its type by content."""

    name: str
    kind: str
    bytes: int
    sha256: str


def compute(work: Work) -> Output:
    """Copy the source's bytes and tell their type.

    Raises:
        SourceMissing, EmptyFile, UnsupportedType, MismatchedType.
    """
    from kb_pipeline.formats.detect import check_name, detect

    data = sources.read(work.document.source)
    name = work.document.path
    typed_name = sources.file_name(name, work.document.source)
    kind = detect(data, typed_name)
    check_name(kind, typed_name)
    file = RawFile(name, kind, len(data), hashlib.sha256(data).hexdigest())
    return Output({"content": data, "file.json": encode(file)}, msgspec.to_builtins(file))


def raw_file(work: Work) -> RawFile:
    """The facts of a document's file, for the stages after."""
    return decode(work.read("raw_file", "file.json"), RawFile)


STAGE = Stage("raw_file", (), "1", "The source's bytes by content, with their type.", compute=compute)
