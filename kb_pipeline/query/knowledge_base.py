"""The face of a knowledge base: search, ask, trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec
from pymilvus import MilvusClient

from kb_pipeline.errors import UnknownChunk, UsageError
from kb_pipeline.query.answer import Chat, answer_question
from kb_pipeline.query.filters import EVERYTHING, Filters
from kb_pipeline.query.index_rows import is_chunk_id
from kb_pipeline.query.places import in_words
from kb_pipeline.query.question import Question, read_question
from kb_pipeline.query.reader import Documents, Reader, SearchedIndex, key_parts
from kb_pipeline.query.results import ChunkRow, SearchResult, gone_notes, parent_id
from kb_pipeline.query.search import Page, Search
from kb_pipeline.records import Answer, Citation, Hit, Locator, PageLocator
from kb_pipeline.settings import QuerySettings, RerankSettings, Settings, load_settings
from kb_pipeline.tokenization.tokens import Tokenizer

if TYPE_CHECKING:
    from kb_pipeline.records import Box

PASSAGES = 8  # hits that an answer is made from
NO_RERANK = RerankSettings()


class KnowledgeBase:
    """One knowledge base, for reading. Safe to share between threads; not to be carried through a fork.

    Args:
        index: tells which index readers see; asked at every search, since a new one takes over while this one lives.
        connect: makes a client for an index; called at first use, and again after Milvus was lost.
        chat: a language model that writes answers; None for quoted passages only.
    """

    def __init__(
        self,
        name: str,
        settings: QuerySettings,
        index: Callable[[], SearchedIndex],
        connect: Callable[[SearchedIndex], MilvusClient],
        documents: Documents,
        chat: Chat | None = None,
        words: Tokenizer | None = None,
        rerank: RerankSettings = NO_RERANK,
    ):
        self.name = name
        self._documents, self._chat, self._words = documents, chat, words
        self._reader = Reader(index, connect, documents)
        self._search = Search(self._reader, documents, settings, rerank)

    @classmethod
    def open(cls, name: str, settings: Settings | None = None) -> KnowledgeBase:
        """The knowledge base of that name.

        Args:
            settings: of the installation that holds it; that of `KB_HOME` where none are given.

        Raises:
            UnknownKnowledgeBase: there is none; the message lists those that are there.
        """
        from kb_pipeline.query.stored import stored_parts

        return cls(**stored_parts(name, settings or load_settings()))

    # ------------------------------------------------------------ search

    def search(
        self, question: str, top: int = 10, documents: Sequence[str] | None = None, fusion: str = ""
    ) -> list[Hit]:
        """Best passages for a question, best first, with all parts of their scores and their places.

        Args:
            documents: ids of the documents to look in, None for all.
            fusion: a preset in place of the knowledge base's own.

        Raises:
            UsageError: an empty question, an unknown preset, or a `top` outside 1…1000.
            IndexUnavailable, IndexRequestFailed, EndpointError.
        """
        filters = Filters(documents=None if documents is None else tuple(documents))
        return list(self.find(question, top, filters=filters, fusion=fusion).hits)

    def find(
        self,
        question: str,
        top: int = 10,
        skip: int = 0,
        filters: Filters = EVERYTHING,
        fusion: str = "",
        near_misses: int = 0,
        neighbours: int = 0,
    ) -> SearchResult:
        """A page of hits, with what else a search knows.

        Args:
            skip: hits before the page.
            near_misses: how many of the best chunks below the threshold to give.
            neighbours: how many chunks before and after each hit to give.

        Raises:
            UsageError: an empty question, an unknown preset or kind, or a page outside the first 1000 hits.
            IndexUnavailable, IndexRequestFailed, EndpointError.
        """
        page = Page(top, skip, filters, fusion, near_misses, neighbours)
        found = self._reader.with_index(lambda index: self._search.page(index, self._read(question, index), page))
        return msgspec.structs.replace(found, notes=(*found.notes, *gone_notes((*found.hits, *found.near_misses))))

    def _read(self, question: str, index: SearchedIndex) -> Question:
        return read_question(question, index.embedder, self._words)

    # ------------------------------------------------------------ all chunks

    def chunk_ids(self) -> list[str]:
        """Ids of all chunks that readers see, sorted. Raises IndexUnavailable, IndexRequestFailed."""
        return self._reader.with_index(self._reader.chunk_ids)

    def texts(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """Text by chunk id; chunks that are gone are left out. Raises IndexUnavailable, IndexRequestFailed."""
        rows = self._reader.with_index(lambda index: self._reader.rows(index, chunk_ids))
        return {chunk_id: row.text for chunk_id, row in rows.items()}

    # ------------------------------------------------------------ answers

    def ask(self, question: str, documents: Sequence[str] | None = None) -> Answer:
        """An answer, every sentence with its citation: by the language model, else the best passages, quoted.

        Raises:
            UsageError: an empty question.
            IndexUnavailable, IndexRequestFailed.
        """
        filters = Filters(documents=None if documents is None else tuple(documents))

        def search(index: SearchedIndex) -> tuple[Question, SearchResult, SearchedIndex]:
            read = self._read(question, index)
            return read, self._search.page(index, read, Page(PASSAGES, filters=filters)), index

        read, found, index = self._reader.with_index(search)
        answer = answer_question(read, found.hits, index.embedder, self._chat, self._words, found.missing)
        return msgspec.structs.replace(answer, notes=(*found.notes, *gone_notes(answer.citations)))

    # ------------------------------------------------------------ tracing

    def trace(self, target: Citation | Hit | str) -> bytes:
        """PNG of the page with the places of a citation, a hit, or a chunk (by its id) marked; several pages stand
        one below the other.

        Raises:
            UnknownChunk: no such chunk, or its document was ingested again since.
            UsageError: its places are none on a page (a spreadsheet's cells, a text file's lines).
            PageFailed, UnknownDocument: the page's picture is not kept or cannot be read.
        """
        from kb_pipeline.query.trace import trace_pages

        chunk_id = target if isinstance(target, str) else target.chunk_id
        locators = self._chunk(target).locators if isinstance(target, str) else target.locators
        places = [place for place in locators if isinstance(place, PageLocator)]
        if not places:
            raise UsageError(f"{chunk_id} has no place on a page", remedy=_where(locators))
        pages: dict[int, tuple[tuple[float, float], list[Box]]] = {}
        for place in sorted(places, key=lambda place: place.page):
            pages.setdefault(place.page, (place.page_size, []))[1].append(place.box)
        document, version, _ = key_parts(parent_id(chunk_id))
        return trace_pages(
            [
                (self._documents.page_picture(document, page, version), size, boxes)
                for page, (size, boxes) in pages.items()
            ]
        )

    def where(self, target: Citation | Hit | str) -> str:
        """The places of a citation, a hit, or a chunk (by its id) in words, its document first.

        Raises:
            UnknownChunk: no such chunk, or its document was ingested again since.
        """
        if isinstance(target, str):
            row = self._chunk(target)
            return f"{self._documents.document_path(row.document)} {in_words(row.locators)}"
        return f"{target.document} {in_words(target.locators)}"

    def picture(self, target: Hit | str) -> bytes:
        """The picture of a figure's chunk, cut out of its page.

        Raises:
            UnknownChunk: no such chunk, or its document was ingested again since.
            UsageError: the chunk is no figure, or has no picture.
            UnknownDocument: the picture is not kept.
        """
        chunk = self._chunk(target) if isinstance(target, str) else target
        if not chunk.picture:
            raise UsageError(f"{chunk.chunk_id} has no picture", remedy="chunks of kind figure have one")
        document, version, _ = key_parts(parent_id(chunk.chunk_id))
        return self._documents.figure_picture(document, chunk.picture, version)

    def _chunk(self, chunk_id: str) -> ChunkRow:
        def read(index: SearchedIndex) -> ChunkRow | None:
            row = self._reader.rows(index, [chunk_id]).get(chunk_id)
            return row if row and self._reader.active(index)([row.document]).get(row.document) == row.version else None

        row = self._reader.with_index(read) if is_chunk_id(chunk_id) else None
        if row is None:
            raise UnknownChunk(f"no chunk {chunk_id!r}", remedy="search again: its document may have been re-ingested")
        return row


def _where(locators: Sequence[Locator]) -> str:
    """The places in words."""
    return f"it is at {in_words(locators)}" if locators else "it has no place at all"
