"""Knowledge bases of this installation: the store's documents, the index and the models that settings name."""

from __future__ import annotations

from collections.abc import Iterable

from pymilvus import MilvusClient

from kb_pipeline.embedding.choose import Embedder, embedder
from kb_pipeline.errors import UnknownDocument
from kb_pipeline.index.collections import check_dimension, has_collection, load_collection
from kb_pipeline.index.connect import connect
from kb_pipeline.query.knowledge_base import KnowledgeBase
from kb_pipeline.settings import IndexSettings, home, load_settings
from kb_pipeline.storage.artefacts import Artefacts
from kb_pipeline.storage.catalogue import Catalogue
from kb_pipeline.storage.objects import home_store
from kb_pipeline.tokenization.tokens import tokenizer


def open_stored(name: str) -> KnowledgeBase:
    """The knowledge base of that name in KB_HOME, with its own settings.

    Raises:
        UnknownKnowledgeBase: there is none.
    """
    storage = load_settings().storage
    objects = home_store(storage)
    catalogue = Catalogue(objects)
    entry = catalogue.knowledge_base(name)
    settings = load_settings(entry.settings)
    chat = None
    if settings.llm.base_url:
        from kb_pipeline.llm.client import ChatClient

        chat = ChatClient(settings.llm)
    model = embedder(settings.embedding)
    return KnowledgeBase(
        name=entry.name,
        collection=entry.id,
        settings=settings.query,
        connect=lambda: _loaded(settings.index, entry.id, model),
        embedder=model,
        documents=StoredDocuments(catalogue, Artefacts(objects, storage.keep_versions), entry.id),
        chat=chat,
        words=tokenizer(settings.index.user_words),
        rerank=settings.rerank,
    )


def _loaded(settings: IndexSettings, collection: str, model: Embedder) -> MilvusClient:
    client = connect(settings, home() / "index")
    if has_collection(client, collection):
        check_dimension(client, collection, model.dimension)
        load_collection(client, collection)
    return client


class StoredDocuments:
    """Documents of a knowledge base as the store holds them."""

    def __init__(self, catalogue: Catalogue, artefacts: Artefacts, kb: str):
        self._catalogue, self._artefacts, self._kb = catalogue, artefacts, kb
        self._boosts: dict[str, float] = {}

    def active_versions(self, document_ids: Iterable[str]) -> dict[str, str]:
        """Version that readers see, by document id; a document that is not visible is left out."""
        found = self._catalogue.active_versions(self._kb, sorted(document_ids))
        self._boosts |= {document: pointer.boost for document, pointer in found.items()}
        return {document: pointer.version for document, pointer in found.items()}

    def boosts(self, document_ids: Iterable[str]) -> dict[str, float]:
        """Boosts as the last reading of these documents' pointers found them: a search reads each pointer once."""
        return {document: self._boosts.get(document, 1.0) for document in document_ids}

    def document_path(self, document_id: str) -> str:
        """The readable path; the id where the document was removed a moment ago."""
        pointer = self._catalogue.pointer(self._kb, document_id)
        return pointer.path if pointer else document_id

    def page_picture(self, document_id: str, page: int) -> bytes:
        """JPEG of a displayed page.

        Raises:
            UnknownDocument: the document or the page's picture is not there.
        """
        state = self._artefacts.state(document_id).stages.get("page_renders")
        artefact = state and self._artefacts.artefact(document_id, "page_renders", state.fingerprint)
        part = f"{page:05d}.jpg"
        if not artefact or part not in artefact.parts:
            raise UnknownDocument(
                "no picture of the page is kept", document=document_id, page=page, remedy="ingest the document again"
            )
        return self._artefacts.part(artefact, part)
