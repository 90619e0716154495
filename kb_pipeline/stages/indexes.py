"""Which index a knowledge base's rows belong into, and the switch of its readers to another one.

Rows whose vectors come from another model, or that lie in another Milvus, cannot be mixed with those that readers see.
They go into a collection beside it. Readers see the old one until every document that it shows is in the new one too;
then they see the new one, all of it at once, and the old one is dropped.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from kb_pipeline.engine.keys import stage_basis
from kb_pipeline.errors import KbError
from kb_pipeline.settings import Settings
from kb_pipeline.stages import embeddings
from kb_pipeline.storage.catalogue import Catalogue, KnowledgeBaseIndex
from kb_pipeline.storage.fingerprints import value_hash
from kb_pipeline.storage.names import beside_collection_name

SCHEMA_VERSION = "3"  # raise it when rows of before cannot be searched together with new ones: schema, language offsets

log = logging.getLogger(__name__)


def target_index(kb: str, settings: Settings, catalogue: Catalogue) -> KnowledgeBaseIndex:
    """The index into which rows under these settings go: the one that readers see, or one beside it.

    Raises:
        ModelMissing: the embedding model's weight file is not there.
    """
    uri, basis = settings.index.uri, stage_basis(embeddings.STAGE, settings)
    key = value_hash(SCHEMA_VERSION, uri, basis)
    served = catalogue.served_index(kb)
    if served and served.key == key:
        return served
    collection = beside_collection_name(kb, key) if served else kb
    return KnowledgeBaseIndex(collection, key, uri, settings.slice(("embedding",)), basis["weights"])


def knowledge_base_indexes(kb: str, settings: Settings, catalogue: Catalogue) -> list[KnowledgeBaseIndex]:
    """Indexes that may hold rows of a knowledge base: the one that readers see, and the one that grows beside it."""
    served, target = catalogue.served_index(kb), target_index(kb, settings, catalogue)
    return [target] if served in (None, target) else [served, target]


def missing_documents(kb: str, target: KnowledgeBaseIndex, catalogue: Catalogue) -> Iterator[str]:
    """Ids of documents that readers see and the target lacks, which keep readers from it; none where they see it.

    They come as they are found. Ids end in a hash and are gone through by it, which has nothing to do with the order
    of ingestion: a missing one is found soon as long as many are missing.
    """
    served = catalogue.served_index(kb)
    if served is None or served == target:
        return
    for document in sorted(catalogue.document_ids(kb), key=lambda name: name[::-1]):
        pointer = catalogue.pointer(kb, document)
        if pointer and served.collection in pointer.versions and target.collection not in pointer.versions:
            yield document


def switch_when_complete(kb: str, target: KnowledgeBaseIndex, settings: Settings, catalogue: Catalogue) -> bool:
    """Let readers see the target as soon as it lacks no document, and drop the index that they saw before.

    Returns:
        Whether readers see the target now.
    """
    served = catalogue.served_index(kb)
    if served == target:
        return True
    if any(True for _ in missing_documents(kb, target, catalogue)):
        return False
    catalogue.serve(kb, target)
    if served:
        log.info("%s: readers see the index %s", kb, target.collection)
        forget_index(kb, served, settings, catalogue)
    return True


def forget_index(kb: str, index: KnowledgeBaseIndex, settings: Settings, catalogue: Catalogue) -> None:
    """Drop an index that nobody reads: first what points into it, then its collection. An index whose Milvus does not
    answer is left where it is, with a warning."""
    from kb_pipeline.index.collections import drop_collection
    from kb_pipeline.index.connect import connect

    for document in catalogue.document_ids(kb):
        entry = catalogue.document(document)
        if entry:
            catalogue.point(entry, index.collection, "")
    try:
        drop_collection(connect(settings.index, settings.home / "index", index.uri), index.collection)
    except KbError as error:
        log.warning("the old index %s could not be dropped: %s", index.collection, error)
