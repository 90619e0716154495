"""Remove documents and knowledge bases: rows, artefacts, partition, entries. A removal cut short can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kb_pipeline.engine.context import Context
from kb_pipeline.stages.indexes import knowledge_base_indexes, switch_when_complete, target_index
from kb_pipeline.storage.catalogue import DocumentEntry, KnowledgeBaseEntry, KnowledgeBaseIndex

if TYPE_CHECKING:
    from pymilvus import MilvusClient


def remove_documents(documents: Sequence[DocumentEntry], context: Context) -> None:
    """Remove documents; readers lose sight of each at once, before its rows go.

    Raises:
        IndexUnavailable: rows cannot be deleted; the documents stay hidden, and removing them again goes on.
    """
    from kb_pipeline.index.rows import delete_versions

    for document in documents:
        context.catalogue.hide(document)
        for index in knowledge_base_indexes(document.kb, context.settings_of(document.kb), context.catalogue):
            delete_versions(_client(document.kb, index, context), index.collection, document.id, keep=None)
        context.artefacts.remove(document.id)
    for kb in sorted({document.kb for document in documents}):
        settings = context.settings_of(kb)
        if context.catalogue.served_index(kb):  # these may have been all that the next index lacked
            switch_when_complete(kb, target_index(kb, settings, context.catalogue), settings, context.catalogue)
    _delete_partitions([document.id for document in documents])


def _client(kb: str, index: KnowledgeBaseIndex, context: Context) -> MilvusClient:
    from kb_pipeline.index.connect import connect

    return connect(context.settings_of(kb).index, context.settings.home / "index", index.uri)


def remove_knowledge_base(kb: KnowledgeBaseEntry, context: Context) -> int:
    """Remove a knowledge base with its documents and its collections.

    Returns:
        How many documents it had.

    Raises:
        IndexUnavailable: the collection cannot be dropped; deleting the knowledge base again goes on.
    """
    from kb_pipeline.index.collections import drop_collection

    ids = context.catalogue.document_ids(kb.id)
    for index in knowledge_base_indexes(kb.id, context.settings_of(kb.id), context.catalogue):
        drop_collection(_client(kb.id, index, context), index.collection)
    for document in ids:
        context.artefacts.remove(document)
    _delete_partitions(ids)
    _forget_scores(kb.id)
    context.catalogue.remove_knowledge_base(kb.id)
    return len(ids)


def _forget_scores(kb: str) -> None:
    from kb_pipeline.orchestration.instance import open_instance
    from kb_pipeline.orchestration.scores import forget_scores

    with open_instance() as instance:
        forget_scores(instance, kb)


def _delete_partitions(keys: Sequence[str]) -> None:
    from kb_pipeline.orchestration.instance import open_instance
    from kb_pipeline.orchestration.partitions import delete_partitions

    with open_instance() as instance:
        delete_partitions(instance, list(keys))
