"""Documents whose sources are gone: found, told, and removed when that is asked for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from kb_pipeline.engine.context import Context
from kb_pipeline.operations.remove import remove_documents
from kb_pipeline.stages import raw_file
from kb_pipeline.storage import sources
from kb_pipeline.storage.catalogue import DocumentEntry, KnowledgeBaseEntry
from kb_pipeline.text.credentials import hide_credentials

LOOKERS = 16  # sources that are looked at at the same time: most of the time is waiting for a server


def gone_documents(kb: KnowledgeBaseEntry, locations: Sequence[str], context: Context) -> list[DocumentEntry]:
    """Documents of a knowledge base at these locations, or all where none are given, whose sources are gone. The
    catalogue notes it, for those who search."""
    there = [
        entry
        for entry in context.catalogue.documents(kb.id)
        if not locations or any(sources.is_inside(entry.source, location) for location in locations)
    ]
    with ThreadPoolExecutor(LOOKERS, "source") as pool:
        gone = list(pool.map(sources.is_gone, [entry.source for entry in there]))
    for entry, is_gone in zip(there, gone, strict=True):
        context.catalogue.mark_gone(entry, is_gone)
    return [entry for entry, is_gone in zip(there, gone, strict=True) if is_gone]


def renamed_documents(
    gone: Sequence[DocumentEntry], documents: Sequence[DocumentEntry], context: Context
) -> dict[str, DocumentEntry]:
    """The documents that have the content of gone ones and came after them, by the gone one's id: renamed files."""
    if not gone:
        return {}
    lost = {entry.id for entry in gone}
    later = [d for d in documents if d.id not in lost and d.added >= min(entry.added for entry in gone)]
    by_hash = {_hash_of(document, context): document for document in later}
    found = {entry.id: by_hash.get(_hash_of(entry, context)) for entry in gone}
    return {name: document for name, document in found.items() if document}


def _hash_of(document: DocumentEntry, context: Context) -> str:
    """SHA-256 of what was last read of a document; its id, which is like no other, where nothing was."""
    folder = f"documents/{document.id}/{raw_file.STAGE.name}"
    names = [name.removesuffix(".json") for name in context.artefacts.objects.names(folder) if name.endswith(".json")]
    records = [context.artefacts.artefact(document.id, raw_file.STAGE.name, name) for name in names]
    newest = max((one for one in records if one), key=lambda one: one.at, default=None)
    return newest.metadata["sha256"] if newest else document.id


def told(document: DocumentEntry, renamed: Mapping[str, DocumentEntry]) -> str:
    """What a user is told of a document whose source is gone."""
    now = f"; {renamed[document.id].path} has the same content" if document.id in renamed else ""
    place = hide_credentials(document.source)
    return f"its source {place} is gone{now}; searches find it until `kb ingest` is given --prune"


def prune_documents(
    gone: Sequence[DocumentEntry], renamed: Mapping[str, DocumentEntry], failed: Collection[str], context: Context
) -> list[str]:
    """Remove documents whose sources are gone, and return their paths. One that was renamed hands its boost on, and
    stays as long as the document of its new name is among the `failed`, by id.

    Raises:
        IndexUnavailable: their rows cannot be deleted; pruning again goes on.
    """
    removed = []
    for document in gone:
        now = renamed.get(document.id)
        if now and now.id in failed:
            continue
        pointer = context.catalogue.pointer(document.kb, document.id)
        if now and pointer and pointer.boost != 1.0:
            context.catalogue.boost(now, pointer.boost)
        removed.append(document)
    if removed:
        remove_documents(removed, context)
    return [document.path for document in removed]
