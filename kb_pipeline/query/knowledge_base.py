"""The face of a knowledge base: search, ask, trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec
from pymilvus import MilvusClient

from kb_pipeline.errors import IndexRequestFailed, IndexUnavailable, UnknownChunk, UsageError
from kb_pipeline.query.answer import Chat, answer_question
from kb_pipeline.query.filters import EVERYTHING, Filters
from kb_pipeline.query.fusion import PRESETS, Fusion
from kb_pipeline.query.fusion import fusion as fusion_of
from kb_pipeline.query.nominate import Active, nominate, shortlist
from kb_pipeline.query.places import in_words
from kb_pipeline.query.question import Question, read_question
from kb_pipeline.query.rerank import rerank
from kb_pipeline.query.rescore import Candidate, Scored, least_score, rescore
from kb_pipeline.query.results import (
    ChunkRow,
    DocumentHits,
    Passage,
    SearchResult,
    as_parents,
    distinct,
    parent_id,
)
from kb_pipeline.query.rows import ShownRows, all_chunk_ids, is_chunk_id, read_candidates, read_rows
from kb_pipeline.records import Answer, Citation, Hit, Locator, PageLocator
from kb_pipeline.settings import QuerySettings, RerankSettings
from kb_pipeline.tokenization.tokens import Tokenizer

if TYPE_CHECKING:
    from kb_pipeline.embedding.choose import Embedder
    from kb_pipeline.records import Box

MOST_HITS = 1000
ROUNDS = 3  # searches, where rows or the whole index were replaced before they were read
PASSAGES = 8  # hits that an answer is made from
CHUNKS_SCORED = 32  # of those that the legs nominate; on XQuAD, 20 give the same hits as 64
SPARE = 8  # chunks scored beyond a page, to take the place of those that overlap
NO_RERANK = RerankSettings()

T = TypeVar("T")


class Documents(Protocol):
    """What a knowledge base knows of its documents."""

    def active_versions(self, document_ids: Iterable[str], collection: str) -> dict[str, str]:
        """Version that readers of a collection see, by document id; a document that is not visible is left out."""

    def boosts(self, document_ids: Iterable[str]) -> dict[str, float]:
        """Boost by document id, for those that have one other than 1."""

    def document_path(self, document_id: str) -> str:
        """The readable path of a document within its knowledge base."""

    def page_picture(self, document_id: str, page: int) -> bytes:
        """JPEG of a displayed page. Raises UnknownDocument where none is kept."""

    def figure_picture(self, document_id: str, picture: str) -> bytes:
        """The crop of a figure, by its part name. Raises UnknownDocument where it is not kept."""


@dataclass(frozen=True)
class SearchedIndex:
    """What is searched: a collection, the model that made its vectors, and the Milvus that holds it (empty for Milvus
    Lite in KB_HOME). `note` is told with every result."""

    collection: str
    embedder: Embedder
    uri: str = ""
    note: str = ""


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
        self.name, self.settings = name, settings
        self._index, self._connect = index, connect
        self._connected: tuple[SearchedIndex, MilvusClient] | None = None
        self._documents, self._chat, self._words = documents, chat, words
        self._rerank = rerank

    @classmethod
    def open(cls, name: str) -> KnowledgeBase:
        """The knowledge base of that name in KB_HOME.

        Raises:
            UnknownKnowledgeBase: there is none; the message lists those that are there.
        """
        from kb_pipeline.query.stored import open_stored

        return open_stored(name)

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
        return self._searching(
            lambda index: self._find(
                index, self._read(question, index), top, skip, filters, fusion, near_misses, neighbours
            )
        )

    def _read(self, question: str, index: SearchedIndex) -> Question:
        return read_question(question, index.embedder, self._words)

    def _find(
        self,
        index: SearchedIndex,
        question: Question,
        top: int,
        skip: int = 0,
        filters: Filters = EVERYTHING,
        fusion: str = "",
        near_misses: int = 0,
        neighbours: int = 0,
    ) -> SearchResult:
        if top < 1 or skip < 0 or top + skip > MOST_HITS:
            raise UsageError(f"top is {top}, skip is {skip}", remedy=f"a page within the first {MOST_HITS} hits")
        preset = self._preset(fusion)
        scored, rows = self._scored(index, question, top + skip + near_misses, filters, preset)
        scored, note = self._reranked(question, scored, rows)
        least = least_score(scored, self.settings.threshold)
        good = [one for one in scored if one.score >= least]
        poor = [one for one in scored if one.score < least][:near_misses]
        kept = distinct([one.candidate.chunk_id for one in good], rows)[skip : skip + top]
        by_id = {one.candidate.chunk_id: one for one in good}
        hits = tuple(self._hit(by_id[chunk_id], rows[chunk_id]) for chunk_id in kept)
        return SearchResult(
            hits=hits,
            found=len(good),
            threshold=least,
            relaxed=bool(good) and least < self.settings.threshold,
            near_misses=tuple(self._hit(one, rows[one.candidate.chunk_id]) for one in poor),
            documents=self._per_document(good),
            neighbours=self._neighbours(index, kept, neighbours) if neighbours else {},
            notes=tuple(filter(None, (index.note, note, _relaxation(good, least, self.settings.threshold)))),
        )

    def _preset(self, name: str) -> Fusion:
        name = name or self.settings.fusion
        if name not in PRESETS:
            raise UsageError(f"no fusion {name!r}", remedy=f"one of {', '.join(PRESETS)}")
        return fusion_of(name, self.settings.vector_weight)

    def _scored(
        self, index: SearchedIndex, question: Question, wanted: int, filters: Filters, fusion: Fusion
    ) -> tuple[list[Scored], ShownRows]:
        """Chunks that can come first, best first, and what is shown of them."""
        candidates = max(self.settings.candidates, wanted)
        count = max(CHUNKS_SCORED, wanted + SPARE, self._rerank.window if self._rerank.provider != "none" else 0)
        window, active = index.embedder.cosine_window, self._active(index)

        def read(client: MilvusClient) -> tuple[list[Candidate], ShownRows]:
            for left in reversed(range(ROUNDS)):
                found = nominate(client, index.collection, question, active, candidates, filters, fusion)
                boosts = self._documents.boosts({one.document for one in found})
                chosen = shortlist(found, fusion, window, boosts, count)
                read, rows = read_candidates(client, index.collection, chosen, question.language)
                if len(read) == len(chosen) or not left:  # else some were replaced before they were read
                    break
            return [one for one in read if parent_id(one.chunk_id) in rows], rows

        found, rows = self._reaching(index, read)
        boosts = self._documents.boosts({one.document for one in found})
        return as_parents(rescore(question, found, fusion=fusion, window=window, boosts=boosts)), rows

    def _active(self, index: SearchedIndex) -> Active:
        return lambda ids: self._documents.active_versions(ids, index.collection)

    def _reranked(self, question: Question, scored: list[Scored], rows: ShownRows) -> tuple[list[Scored], str]:
        """The best hits reranked; those beyond the window are no hits then, their scores mean something else."""
        if self._rerank.provider == "none":
            return scored, ""
        window = scored[: self._rerank.window]
        texts = {one.candidate.chunk_id: rows[one.candidate.chunk_id].text for one in window}
        return rerank(question, window, texts, self._rerank)

    def _rows(self, index: SearchedIndex, chunk_ids: Iterable[str]) -> ShownRows:
        wanted = list(chunk_ids)
        return self._reaching(index, lambda client: read_rows(client, index.collection, wanted))

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
            added=row.added,
            picture=row.picture,
        )

    def _per_document(self, good: Sequence[Scored]) -> tuple[DocumentHits, ...]:
        counts = Counter(one.candidate.document for one in good)
        best: dict[str, float] = {}
        for one in good:
            best.setdefault(one.candidate.document, one.score)
        path = self._documents.document_path
        return tuple(DocumentHits(path(key), key, counts[key], score) for key, score in best.items())

    def _neighbours(self, index: SearchedIndex, chunk_ids: Sequence[str], reach: int) -> dict[str, tuple[Passage, ...]]:
        around = {chunk_id: _around(chunk_id, reach) for chunk_id in chunk_ids}
        rows = self._rows(index, dict.fromkeys(one for ids in around.values() for one in ids))
        return {
            chunk_id: tuple(Passage(one, rows[one].text) for one in ids if one in rows)
            for chunk_id, ids in around.items()
        }

    # ------------------------------------------------------------ all chunks

    def chunk_ids(self) -> list[str]:
        """Ids of all chunks that readers see, sorted. Raises IndexUnavailable, IndexRequestFailed."""
        return self._searching(self._chunk_ids)

    def _chunk_ids(self, index: SearchedIndex) -> list[str]:
        rows = self._reaching(index, lambda client: all_chunk_ids(client, index.collection))
        found = [one for one in rows if is_chunk_id(one)]  # children and questions are shown as their chunks
        versions = self._active(index)({document for document, _, _ in map(_key_parts, found)})
        return sorted(one for one in found if versions.get(_key_parts(one)[0]) == _key_parts(one)[1])

    def texts(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """Text by chunk id; chunks that are gone are left out. Raises IndexUnavailable, IndexRequestFailed."""
        rows = self._searching(lambda index: self._rows(index, chunk_ids))
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
            return read, self._find(index, read, PASSAGES, filters=filters), index

        read, found, index = self._searching(search)
        answer = answer_question(read, found.hits, index.embedder, self._chat, self._words)
        return msgspec.structs.replace(answer, notes=found.notes)

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
        return self._documents.figure_picture(chunk.chunk_id.partition(":")[0], chunk.picture)

    def _chunk(self, chunk_id: str) -> ChunkRow:
        def read(index: SearchedIndex) -> ChunkRow | None:
            row = self._rows(index, [chunk_id]).get(chunk_id)
            return row if row and self._active(index)([row.document]).get(row.document) == row.version else None

        row = self._searching(read) if is_chunk_id(chunk_id) else None
        if row is None:
            raise UnknownChunk(f"no chunk {chunk_id!r}", remedy="search again: its document may have been re-ingested")
        return row

    # ------------------------------------------------------------ Milvus

    def _searching(self, work: Callable[[SearchedIndex], T]) -> T:
        """Work with the index that readers see; again, where another one took its place in the meantime."""
        index = self._index()
        for left in reversed(range(ROUNDS)):
            try:
                done = work(index)
            except (IndexRequestFailed, IndexUnavailable):
                if not left or self._index() == index:
                    raise
            else:
                if not left or self._index() == index:
                    break
            index = self._index()
        return done

    def _reaching(self, index: SearchedIndex, read: Callable[[MilvusClient], T]) -> T:
        """Read with the client at hand; with a new one, once, where Milvus was lost (Milvus Lite restarts so)."""
        connected = self._connected
        if connected and connected[0] == index:
            try:
                return read(connected[1])
            except IndexUnavailable:
                self._connected = None
        client = self._connect(index)
        self._connected = (index, client)
        return read(client)


def _relaxation(good: Sequence[Scored], least: float, threshold: float) -> str:
    if not good or least >= threshold:
        return ""
    return f"nothing scores {threshold:g}, query.threshold: the threshold was relaxed to {least:g}"


def _key_parts(chunk_id: str) -> tuple[str, str, int]:
    """Document, version and ordinal."""
    document, version, number = chunk_id.split(":")
    return document, version, int(number)


def _around(chunk_id: str, reach: int) -> list[str]:
    """Ids of the chunks that may stand beside one."""
    document, version, number = _key_parts(chunk_id)
    numbers = range(max(0, number - reach), number + reach + 1)
    return [f"{document}:{version}:{n}" for n in numbers if n != number]


def _where(locators: Sequence[Locator]) -> str:
    """The places in words."""
    return f"it is at {in_words(locators)}" if locators else "it has no place at all"
