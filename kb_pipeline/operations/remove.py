"""Remove documents and knowledge bases: rows, artefacts, partition, entries. A removal cut short can be repeated."""

from __future__ import annotations

from collections.abc import Sequence

from kb_pipeline.settings import home
from kb_pipeline.stages.context import Context
from kb_pipeline.storage.catalogue import DocumentEntry, KnowledgeBaseEntry


def remove_documents(documents: Sequence[DocumentEntry], context: Context) -> None:
    """Remove documents; readers lose sight of each at once, before its rows go.

    Raises:
        IndexUnavailable: rows cannot be deleted; the documents stay hidden, and removing them again goes on.
    """
    from kb_pipeline.index.connect import connect
    from kb_pipeline.index.rows import delete_versions

    for document in documents:
        context.catalogue.hide(document)
        client = connect(context.settings_of(document.kb).index, home() / "index")
        delete_versions(client, document.kb, document.id, keep=None)
        context.artefacts.remove(document.id)
    _delete_partitions([document.id for document in documents])


def remove_knowledge_base(kb: KnowledgeBaseEntry, context: Context) -> int:
    """Remove a knowledge base with its documents and its collection.

    Returns:
        How many documents it had.

    Raises:
        IndexUnavailable: the collection cannot be dropped; deleting the knowledge base again goes on.
    """
    from kb_pipeline.index.collections import drop_collection
    from kb_pipeline.index.connect import connect

    ids = context.catalogue.document_ids(kb.id)
    drop_collection(connect(context.settings_of(kb.id).index, home() / "index"), kb.id)
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
