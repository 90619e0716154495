"""Chunks of a file or document as they would come out, and the mode in which a document is cut."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec

from kb_pipeline.engine.context import Context
from kb_pipeline.errors import UnknownDocument, UpstreamMissing, UsageError
from kb_pipeline.operations.parse import parse
from kb_pipeline.records import Chunk, ParsedDocument, Record
from kb_pipeline.settings import matches
from kb_pipeline.stages.chunks import cut
from kb_pipeline.stages.sections import read_document
from kb_pipeline.storage import sources
from kb_pipeline.storage.catalogue import DocumentEntry, KnowledgeBaseEntry


class ChunkPreview(Record, frozen=True):
    """Chunks of a document in a mode; nothing of it is stored."""

    document: str
    mode: str
    chunks: tuple[Chunk, ...]


def preview_chunks(
    source: str, kb: KnowledgeBaseEntry | None, mode: str, overrides: Mapping[str, Any], context: Context
) -> ChunkPreview:
    """Chunks of an ingested document (id or path), or of a file or address that is read for it.

    Args:
        kb: where to look for the document, and whose settings hold; None for a file or any document's id.
        mode: empty for the one that the settings give the document.
        overrides: settings by dotted key, on top of those of the knowledge base.

    Raises:
        KbError: it is neither, or cannot be read.
    """
    entry = _document(source, kb, context)
    if entry and not kb:
        kb = context.catalogue.knowledge_base_by_id(entry.kb)
    settings = context.settings.with_stored(kb.settings if kb else {}, overrides)
    path = entry.path if entry else sources.single(source)[0]
    chunking = settings.chunking.for_document(path)
    if mode:
        chunking = chunking.model_copy(update={"mode": mode})
    document = _sections(entry, context) if entry else parse(source, settings)
    chunks = cut(document, settings.model_copy(update={"chunking": chunking}))
    return ChunkPreview(path, chunking.mode, tuple(chunks))


def _document(source: str, kb: KnowledgeBaseEntry | None, context: Context) -> DocumentEntry | None:
    """The ingested document of that name; None where it is a file or address."""
    if kb is None:
        found = None if "/" in source or os.path.exists(source) else context.catalogue.document(source)
        if found is None and "://" not in source and not os.path.exists(source):
            raise UsageError(f"{source!r} is no file and no document's id", remedy="name the knowledge base with --kb")
        return found
    try:
        return context.catalogue.find(kb.id, source)
    except UnknownDocument:
        if "://" in source or os.path.exists(source):
            return None
        raise


def _sections(document: DocumentEntry, context: Context) -> ParsedDocument:
    found = read_document(document.id, context.artefacts)
    if found is None:
        raise UpstreamMissing("its sections are not there", document=document.path, remedy="ingest it first")
    return found


def set_mode(pattern: str, mode: str, kb: KnowledgeBaseEntry, context: Context) -> tuple[KnowledgeBaseEntry, list[str]]:
    """Cut the documents of a pattern (id, path, or path with wildcards) in a mode; `default` takes its rule back.

    Returns:
        The knowledge base with the rule first in its `chunking.modes`, and the paths of documents it holds for.
    """
    with suppress(UnknownDocument):  # else a path to come, or a pattern
        pattern = context.catalogue.find(kb.id, pattern).path
    kept = [rule for rule in kb.settings.get("chunking.modes", ()) if rule.rpartition("=")[0] != pattern]
    rules = kept if mode == "default" else [f"{pattern}={mode}", *kept]
    entry = msgspec.structs.replace(kb, settings={**kb.settings, "chunking.modes": rules})
    context.settings.merged({"chunking.modes": rules})  # refuses an unknown mode
    context.catalogue.save(entry)

    paths = [document.path for document in context.catalogue.documents(kb.id)]
    return entry, [path for path in paths if matches(path, pattern)]
