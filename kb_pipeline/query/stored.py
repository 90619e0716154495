"""Knowledge bases of this installation: the store's documents, the index and the models that settings name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pymilvus import MilvusClient

from kb_pipeline.embedding.choose import embedder
from kb_pipeline.errors import UnknownChunk, UnknownDocument
from kb_pipeline.index.collections import check_dimension, has_collection, load_collection
from kb_pipeline.index.connect import connect
from kb_pipeline.query.reader import SearchedIndex
from kb_pipeline.settings import VECTOR_SETTINGS, EmbeddingSettings, Settings, setting_names
from kb_pipeline.storage import sources
from kb_pipeline.storage.artefacts import Artefacts
from kb_pipeline.storage.catalogue import Catalogue, KnowledgeBaseIndex
from kb_pipeline.storage.objects import home_store
from kb_pipeline.storage.pictures import FIGURE_PICTURES, PAGE_PICTURES, page_picture_part
from kb_pipeline.text.credentials import hide_credentials
from kb_pipeline.tokenization.tokens import tokenizer
from kb_pipeline.weights.manifest import model_hash

OTHER_WEIGHTS = "the embedding model's weight file is not the one that made the vectors: ingest again"


def stored_parts(name: str, installation: Settings) -> dict[str, Any]:
    """What a `KnowledgeBase` of an installation is made of, by the names of its arguments, with its own settings.

    Raises:
        UnknownKnowledgeBase: there is none.
    """
    objects = home_store(installation)
    catalogue = Catalogue(objects)
    entry = catalogue.knowledge_base(name)
    settings = installation.with_stored(entry.settings)
    chat = None
    if settings.llm.base_url:
        from kb_pipeline.llm.client import ChatClient

        chat = ChatClient(settings.llm)
    return {
        "name": entry.name,
        "settings": settings.query,
        "index": lambda: _served(catalogue, entry.id, settings),
        "connect": lambda index: _loaded(settings, index),
        "documents": StoredDocuments(catalogue, Artefacts(objects, installation.storage.keep_versions), entry.id),
        "chat": chat,
        "words": tokenizer(settings.index.user_words),
        "rerank": settings.rerank,
    }


def _served(catalogue: Catalogue, kb: str, settings: Settings) -> SearchedIndex:
    """The index that readers see, with the model that made its vectors: not always the one that is set, whose index may
    still grow beside it. Secrets are those that are set."""
    served = catalogue.served_index(kb)
    if served is None:
        return SearchedIndex(kb, embedder(settings.embedding), settings.index.uri)
    made_with = _made_with(served, settings)
    changed = any(model_hash(role) != known for role, known in served.weights.items())
    return SearchedIndex(served.collection, embedder(made_with), served.uri, OTHER_WEIGHTS if changed else "")


def _made_with(served: KnowledgeBaseIndex, settings: Settings) -> EmbeddingSettings:
    """The settings that are set, if they name the model that made the vectors, wherever it runs now; else those that it
    was reached with, and the secrets that are set."""
    then = {**Settings().slice(VECTOR_SETTINGS), **served.embedding}
    now = settings.slice(VECTOR_SETTINGS)
    if all(then[key] == value for key, value in now.items()):
        return settings.embedding
    known = {key.partition(".")[2]: value for key, value in then.items() if key in setting_names()}
    if hide_credentials(settings.embedding.base_url) == known.get("base_url"):
        known["base_url"] = settings.embedding.base_url
    return settings.embedding.model_copy(update=known)


def _loaded(settings: Settings, index: SearchedIndex) -> MilvusClient:
    client = connect(settings.index, settings.home / "index", index.uri)
    if has_collection(client, index.collection):
        check_dimension(client, index.collection, index.embedder.dimension)
        load_collection(client, index.collection)
    return client


class StoredDocuments:
    """Documents of a knowledge base as the store holds them."""

    def __init__(self, catalogue: Catalogue, artefacts: Artefacts, kb: str):
        self._catalogue, self._artefacts, self._kb = catalogue, artefacts, kb
        self._boosts: dict[str, float] = {}

    def active_versions(self, document_ids: Iterable[str], collection: str) -> dict[str, str]:
        """Version that readers of a collection see, by document id; a document that is not visible is left out."""
        found = self._catalogue.pointers(self._kb, sorted(document_ids))
        self._boosts |= {document: pointer.boost for document, pointer in found.items()}
        return {document: p.versions[collection] for document, p in found.items() if collection in p.versions}

    def boosts(self, document_ids: Iterable[str]) -> dict[str, float]:
        """Boosts as the last reading of these documents' pointers found them: a search reads each pointer once."""
        return {document: self._boosts.get(document, 1.0) for document in document_ids}

    def without_source(self, document_ids: Iterable[str]) -> set[str]:
        """Those whose source is gone: by what the last ingest or doctor saw, and by a look at files of this machine."""
        found = self._catalogue.documents_by_id(sorted(document_ids))
        return {name for name, entry in found.items() if entry.gone_since or sources.is_deleted_here(entry.source)}

    def document_path(self, document_id: str) -> str:
        """The readable path; the id where the document was removed a moment ago."""
        pointer = self._catalogue.pointer(self._kb, document_id)
        return pointer.path if pointer else document_id

    def page_picture(self, document_id: str, page: int, version: str) -> bytes:
        """JPEG of a displayed page of that version of a document.

        Raises:
            UnknownDocument: the document or the page's picture is not there.
        """
        return self._part(document_id, version, PAGE_PICTURES, page_picture_part(page), page)

    def figure_picture(self, document_id: str, picture: str, version: str) -> bytes:
        """The crop of a figure of that version of a document, by its part name.

        Raises:
            UnknownDocument: the document or the picture is not there.
        """
        return self._part(document_id, version, FIGURE_PICTURES, picture)

    def _part(self, document_id: str, version: str, stage: str, part: str, page: int = 0) -> bytes:
        pointer = self._catalogue.pointer(self._kb, document_id)
        if pointer and version not in pointer.versions.values():
            raise UnknownChunk(
                "that version of the document is gone: it was ingested again since", document=document_id, page=page,
                remedy="ask again",
            )  # fmt: skip
        fingerprint = (pointer.artefacts if pointer else {}).get(version, {}).get(stage, "")
        seen = self._artefacts.artefact(document_id, stage, fingerprint) if fingerprint else None
        artefact = seen or self._artefacts.current(document_id, stage)
        if not artefact or part not in artefact.parts:
            raise UnknownDocument(
                f"no picture of the {'page' if page else 'figure'} is kept",
                document=document_id,
                page=page,
                remedy="ingest the document again",
            )
        return self._artefacts.part(artefact, part)
