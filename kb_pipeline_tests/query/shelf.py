"""A knowledge base for tests: real index, pointers in memory, vectors from words or from the real model."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from kb_pipeline.errors import UnknownDocument
from kb_pipeline.index.collections import drop_collection, ensure_collection
from kb_pipeline.index.connect import connect
from kb_pipeline.index.rows import delete_versions, write_document
from kb_pipeline.index.vectors import Vectors
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.query.reader import SearchedIndex
from kb_pipeline.records import Chunk, Enrichment
from kb_pipeline.settings import IndexSettings, QuerySettings, RerankSettings
from kb_pipeline.tokenization.tokens import fine


class WordVectors:
    """Vectors that are near where texts share words: enough for tests of everything but the model itself."""

    model_id, dimension, max_tokens = "words", 64, 512
    cosine_window = (0.0, 1.0)
    language_offsets: dict[tuple[str, str], float] = {}

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        found = np.full((len(texts), self.dimension), 0.01, np.float32)
        for row, text in zip(found, texts, strict=True):
            for token in fine(text):
                row[zlib.crc32(token.encode()) % self.dimension] += 1
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed_passages([text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


class Shelf:
    """Documents of a test: written to the index, visible by a pointer, with blank pages as pictures."""

    def __init__(self, folder: Path, collection: str, embedder=None, settings: QuerySettings | None = None):
        self.folder, self.collection = folder, collection
        self.embedder = embedder or WordVectors()
        self.settings = settings or QuerySettings()
        self.versions: dict[str, str] = {}
        self.paths: dict[str, str] = {}
        self.factors: dict[str, float] = {}
        self.rerank = RerankSettings()
        self.client = connect(IndexSettings(), folder)
        drop_collection(self.client, collection)
        ensure_collection(self.client, collection, self.embedder.dimension)

    def put(
        self,
        document: str,
        chunks: Sequence[Chunk],
        version: str = "1",
        enrichments: Sequence[Enrichment] = (),
        path: str = "",
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """Ingest a version of a document as the index_rows stage does."""
        write_document(
            self.client, self.collection, document, version, chunks, enrichments, self._vectors(chunks, enrichments)
        )
        self.paths[document] = path or f"{document}.pdf"
        self.versions[document] = version
        pause()
        delete_versions(self.client, self.collection, document, keep=version)

    def _vectors(self, chunks: Sequence[Chunk], enrichments: Sequence[Enrichment]) -> Vectors:
        content = self.embedder.embed_passages([chunk.text for chunk in chunks])
        asked = {one.ordinal: self.embedder.embed_passages(one.questions) for one in enrichments if one.questions}
        return Vectors(content, asked, self.embedder.language_offsets)

    def base(self, chat=None, settings: QuerySettings | None = None) -> KnowledgeBase:
        return KnowledgeBase(
            "test",
            settings or self.settings,
            lambda: SearchedIndex(self.collection, self.embedder),
            lambda index: connect(IndexSettings(), self.folder),
            self,
            chat,
            rerank=self.rerank,
        )

    def active_versions(self, document_ids: Iterable[str], collection: str) -> dict[str, str]:
        return {document: self.versions[document] for document in document_ids if document in self.versions}

    def boosts(self, document_ids: Iterable[str]) -> dict[str, float]:
        return {document: self.factors.get(document, 1.0) for document in document_ids}

    def without_source(self, document_ids: Iterable[str]) -> set[str]:
        return set()

    def document_path(self, document_id: str) -> str:
        return self.paths[document_id]

    def figure_picture(self, document_id: str, picture: str, version: str) -> bytes:
        return f"{document_id} {picture}".encode()

    def page_picture(self, document_id: str, page: int, version: str) -> bytes:
        if page > 9:
            raise UnknownDocument("no picture of the page is kept", document=document_id, page=page)
        return cv2.imencode(".jpg", np.full((842, 595, 3), 255, np.uint8))[1].tobytes()
