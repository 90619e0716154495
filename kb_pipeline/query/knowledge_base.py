"""The face of a knowledge base: search, ask, trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from pymilvus import MilvusClient

from kb_pipeline.errors import IndexUnavailable, UnknownChunk, UsageError
from kb_pipeline.query.answer import Chat, answer_question
from kb_pipeline.query.question import Question, read_question
from kb_pipeline.query.rescore import Scored, above_threshold, rescore
from kb_pipeline.query.retrieve import ChunkRow, is_chunk_id, read_rows, retrieve
from kb_pipeline.records import Answer, Citation, Hit, Locator, PageLocator
from kb_pipeline.settings import QuerySettings
from kb_pipeline.tokenization.tokens import Tokenizer

if TYPE_CHECKING:
    from kb_pipeline.embedding.choose import Embedder
    from kb_pipeline.records import Box

MOST_HITS = 1000
ROUNDS = 3  # searches, where rows of chosen hits were replaced before they were read
PASSAGES = 8  # hits that an answer is made from

T = TypeVar("T")


class Documents(Protocol):
    """What a knowledge base knows of its documents."""

    def active_versions(self, document_ids: Iterable[str]) -> dict[str, str]:
        """Version that readers see, by document id; a document that is not visible is left out."""

    def document_path(self, document_id: str) -> str:
        """The readable path of a document within its knowledge base."""

    def page_picture(self, document_id: str, page: int) -> bytes:
        """JPEG of a displayed page. Raises UnknownDocument where none is kept."""


class KnowledgeBase:
    """One knowledge base, for reading. Safe to share between threads; not to be carried through a fork.

    Args:
        collection: its Milvus collection.
        connect: makes a client; called at first use, and again after Milvus was lost.
        embedder: the model that made the collection's vectors.
        chat: a language model that writes answers; None for quoted passages only.
    """

    def __init__(
        self,
        name: str,
        collection: str,
        settings: QuerySettings,
        connect: Callable[[], MilvusClient],
        embedder: Embedder,
        documents: Documents,
        chat: Chat | None = None,
        words: Tokenizer | None = None,
    ):
        self.name, self.collection, self.settings = name, collection, settings
        self._connect, self._client = connect, None
        self._embedder, self._documents, self._chat, self._words = embedder, documents, chat, words

    @classmethod
    def open(cls, name: str) -> KnowledgeBase:
        """The knowledge base of that name in KB_HOME.

        Raises:
            UnknownKnowledgeBase: there is none; the message lists those that are there.
        """
        from kb_pipeline.query.stored import open_stored

        return open_stored(name)

    # ------------------------------------------------------------ search

    def search(self, question: str, top: int = 10, documents: Sequence[str] | None = None) -> list[Hit]:
        """Best passages for a question, best first, with all parts of their scores and their places.

        Args:
            documents: ids of the documents to look in, None for all.

        Raises:
            UsageError: an empty question, or a `top` outside 1…1000.
            IndexUnavailable, IndexRequestFailed, EndpointError.
        """
        return self._search(self._read(question), top, documents)

    def _read(self, question: str) -> Question:
        return read_question(question, self._embedder, self._words)

    def _search(self, question: Question, top: int, documents: Sequence[str] | None) -> list[Hit]:
        if not 1 <= top <= MOST_HITS:
            raise UsageError(f"top is {top}", remedy=f"1 to {MOST_HITS}")
        for _ in range(ROUNDS):
            chosen = self._chosen(question, top, documents)
            ids = [one.candidate.chunk_id for one in chosen]
            rows = self._reaching(lambda client, ids=ids: read_rows(client, self.collection, ids))
            if len(rows) == len(ids):
                break
        return [self._hit(one, rows[one.candidate.chunk_id]) for one in chosen if one.candidate.chunk_id in rows]

    def _chosen(self, question: Question, top: int, documents: Sequence[str] | None) -> list[Scored]:
        candidates = max(self.settings.candidates, top)
        active = self._documents.active_versions
        found = self._reaching(
            lambda client: retrieve(client, self.collection, question, active, candidates, documents)
        )
        scored = rescore(
            question,
            found,
            term_weight=self.settings.term_weight,
            window=self._embedder.cosine_window,
            offsets=self._embedder.language_offsets,
        )
        return above_threshold(scored, self.settings.threshold)[:top]

    def _hit(self, scored: Scored, row: ChunkRow) -> Hit:
        return Hit(
            chunk_id=row.chunk_id,
            document=self._documents.document_path(row.document),
            document_id=row.document,
            kind=row.kind,
            text=row.text,
            breadcrumb=row.breadcrumb,
            score=scored.score,
            scores=scored.scores,
            locators=row.locators,
        )

    # ------------------------------------------------------------ answers

    def ask(self, question: str, documents: Sequence[str] | None = None) -> Answer:
        """An answer, every sentence with its citation: by the language model, else the best passages, quoted.

        Raises:
            UsageError: an empty question.
            IndexUnavailable, IndexRequestFailed.
        """
        read = self._read(question)
        hits = self._search(read, PASSAGES, documents)
        return answer_question(read, hits, self._embedder, self.settings.term_weight, self._chat, self._words)

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
        document = chunk_id.partition(":")[0]
        return trace_pages(
            [(self._documents.page_picture(document, page), size, boxes) for page, (size, boxes) in pages.items()]
        )

    def _chunk(self, chunk_id: str) -> ChunkRow:
        rows = {}
        if is_chunk_id(chunk_id):
            rows = self._reaching(lambda client: read_rows(client, self.collection, [chunk_id]))
        row = rows.get(chunk_id)
        if row is None or self._documents.active_versions([row.document]).get(row.document) != row.version:
            raise UnknownChunk(f"no chunk {chunk_id!r}", remedy="search again: its document may have been re-ingested")
        return row

    # ------------------------------------------------------------ Milvus

    def _reaching(self, read: Callable[[MilvusClient], T]) -> T:
        """Read with the client at hand; with a new one, once, where Milvus was lost (Milvus Lite restarts so)."""
        if self._client is not None:
            try:
                return read(self._client)
            except IndexUnavailable:
                self._client = None
        client = self._client = self._connect()
        return read(client)


def _where(locators: Sequence[Locator]) -> str:
    """The places in words."""
    return "it is at " + "; ".join(str(place) for place in locators[:3]) if locators else "it has no place at all"
