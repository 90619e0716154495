"""One search: candidates are found, read, scored, reranked, and made a page of hits with all that is told beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pymilvus import MilvusClient

from kb_pipeline.errors import UsageError
from kb_pipeline.query.candidates import find_candidates, shortlist
from kb_pipeline.query.filters import EVERYTHING, Filters
from kb_pipeline.query.fusion import PRESETS, Fusion
from kb_pipeline.query.fusion import fusion as fusion_of
from kb_pipeline.query.index_rows import ShownRows, read_candidates
from kb_pipeline.query.missing_keys import holds_token, missing_keys, nearest_keys
from kb_pipeline.query.question import Question
from kb_pipeline.query.reader import Documents, Reader, SearchedIndex, key_parts
from kb_pipeline.query.rerank import rerank
from kb_pipeline.query.rescore import CandidateFeatures, Scored, least_score, rescore
from kb_pipeline.query.results import (
    ChunkRow,
    DocumentHits,
    MissingKey,
    Passage,
    SearchResult,
    as_parents,
    distinct,
    parent_id,
)
from kb_pipeline.records import Hit
from kb_pipeline.settings import QuerySettings, RerankSettings

MAX_HITS = 1000
ROUNDS = 3  # searches, where rows were replaced before they were read
CHUNKS_SCORED = 24  # of those that the legs find; on XQuAD, 20 give the same hits as 64
SPARE = 8  # chunks scored beyond a page, to take the place of those that overlap


@dataclass(frozen=True)
class Page:
    """What is asked of a search.

    Attributes:
        top, skip: hits of the page, and hits before it.
        fusion: a preset in place of the one that is set.
        near_misses: how many of the best chunks below the threshold to give.
        neighbours: how many chunks before and after each hit to give.
    """

    top: int = 10
    skip: int = 0
    filters: Filters = EVERYTHING
    fusion: str = ""
    near_misses: int = 0
    neighbours: int = 0


@dataclass(frozen=True)
class Search:
    """Searches of one knowledge base."""

    reader: Reader
    documents: Documents
    settings: QuerySettings
    rerank: RerankSettings

    def page(self, index: SearchedIndex, question: Question, page: Page) -> SearchResult:
        """A page of hits, with what else a search knows.

        Raises:
            UsageError: an unknown preset or kind, or a page outside the first 1000 hits.
            IndexUnavailable, IndexRequestFailed.
        """
        end = page.skip + page.top
        if page.top < 1 or page.skip < 0 or end > MAX_HITS:
            asked = f"top is {page.top}, skip is {page.skip}"
            raise UsageError(asked, remedy=f"a page within the first {MAX_HITS} hits")
        fusion = self._fusion(page.fusion)
        scored, rows = self._scored(index, question, end + page.near_misses, page.filters, fusion)
        scored, note = self._reranked(question, scored, rows)
        missing = self._missing(index, question, scored, page.filters, fusion)
        threshold = self.settings.threshold
        least = least_score(scored, threshold)
        good = {one.candidate.chunk_id: one for one in scored if one.score >= least}
        poor = [one for one in scored if one.score < least][: page.near_misses]
        kept = distinct(list(good), rows)[page.skip : end]
        shown = [*(rows[one].document for one in kept), *(rows[one.candidate.chunk_id].document for one in poor)]
        gone = self.documents.without_source(set(shown))
        if missing:  # what lacks what was asked for is no hit, however near it is
            near = tuple(self._hit(good[chunk_id], rows[chunk_id], gone) for chunk_id in kept)
            return SearchResult((), 0, least, False, near, missing=missing, notes=tuple(map(_told, missing)))
        return SearchResult(
            hits=tuple(self._hit(good[chunk_id], rows[chunk_id], gone) for chunk_id in kept),
            found=len(good),
            threshold=least,
            relaxed=bool(good) and least < threshold,
            near_misses=tuple(self._hit(one, rows[one.candidate.chunk_id], gone) for one in poor),
            documents=self._per_document(list(good.values())),
            neighbours=self._neighbours(index, kept, page.neighbours) if page.neighbours else {},
            notes=tuple(filter(None, (index.note, note, _relaxation(bool(good), least, threshold)))),
        )

    def _fusion(self, name: str) -> Fusion:
        name = name or self.settings.fusion
        if name not in PRESETS:
            raise UsageError(f"no fusion {name!r}", remedy=f"one of {', '.join(PRESETS)}")
        return fusion_of(name, self.settings.vector_weight)

    def _scored(
        self, index: SearchedIndex, question: Question, wanted: int, filters: Filters, fusion: Fusion
    ) -> tuple[list[Scored], ShownRows]:
        """Chunks that can come first, best first, and what is shown of them."""
        candidates = max(self.settings.candidates, wanted)
        count = max(CHUNKS_SCORED, wanted + SPARE, self.rerank.window if self.rerank.provider != "none" else 0)
        window, active = index.embedder.cosine_window, self.reader.active(index)

        def read(client: MilvusClient) -> tuple[list[CandidateFeatures], ShownRows]:
            left = ROUNDS
            while True:
                left -= 1
                found = find_candidates(client, index.collection, question, active, candidates, filters, fusion)
                boosts = self.documents.boosts({one.document for one in found})
                chosen = shortlist(found, fusion, window, boosts, count)
                read, rows = read_candidates(client, index.collection, chosen, question.language)
                if len(read) == len(chosen) or not left:  # else some were replaced before they were read
                    return [one for one in read if parent_id(one.chunk_id) in rows], rows

        found, rows = self.reader.with_client(index, read)
        boosts = self.documents.boosts({one.document for one in found})
        return as_parents(rescore(question, found, fusion=fusion, window=window, boosts=boosts)), rows

    def _reranked(self, question: Question, scored: list[Scored], rows: ShownRows) -> tuple[list[Scored], str]:
        """The best hits reranked; those beyond the window are no hits then, their scores mean something else."""
        if self.rerank.provider == "none":
            return scored, ""
        window = scored[: self.rerank.window]
        texts = {one.candidate.chunk_id: rows[one.candidate.chunk_id].text for one in window}
        return rerank(question, window, texts, self.rerank)

    def _missing(
        self, index: SearchedIndex, question: Question, scored: list[Scored], filters: Filters, fusion: Fusion
    ) -> tuple[MissingKey, ...]:
        """Keys of the question that no passage holds, with the nearest among the best passages."""
        if not fusion.identifiers or not scored:
            return ()
        active, where = self.reader.active(index), filters.expression()

        def is_anywhere(token: str) -> bool:
            return self.reader.with_client(
                index, lambda client: holds_token(client, index.collection, token, where, active)
            )

        missing = missing_keys(question, [one.candidate for one in scored], is_anywhere)
        texts = self.reader.rows(index, [one.candidate.chunk_id for one in scored]) if missing else {}
        return tuple(
            MissingKey(key.said, tuple(nearest_keys(key, [row.text for row in texts.values()]))) for key in missing
        )

    def _hit(self, scored: Scored, row: ChunkRow, gone: Collection[str]) -> Hit:
        return Hit(
            chunk_id=row.chunk_id,
            document=self.documents.document_path(row.document),
            document_id=row.document,
            kind=row.kind,
            text=row.text,
            breadcrumb=row.breadcrumb,
            score=scored.score,
            scores=scored.scores,
            locators=row.locators,
            added=row.added,
            picture=row.picture,
            source_gone=row.document in gone,
        )

    def _per_document(self, good: Sequence[Scored]) -> tuple[DocumentHits, ...]:
        counts = Counter(one.candidate.document for one in good)
        best: dict[str, float] = {}
        for one in good:
            best.setdefault(one.candidate.document, one.score)
        path = self.documents.document_path
        return tuple(DocumentHits(path(key), key, counts[key], score) for key, score in best.items())

    def _neighbours(self, index: SearchedIndex, chunk_ids: Sequence[str], reach: int) -> dict[str, tuple[Passage, ...]]:
        around = {chunk_id: _around(chunk_id, reach) for chunk_id in chunk_ids}
        rows = self.reader.rows(index, dict.fromkeys(one for ids in around.values() for one in ids))
        return {
            chunk_id: tuple(Passage(one, rows[one].text) for one in ids if one in rows)
            for chunk_id, ids in around.items()
        }


def _relaxation(any_good: bool, least: float, threshold: float) -> str:
    if not any_good or least >= threshold:
        return ""
    return f"nothing scores {threshold:g}, query.threshold: the threshold was relaxed to {least:g}"


def _told(key: MissingKey) -> str:
    return f"no passage holds {key.said!r}" + (f"; near it: {', '.join(key.nearest)}" if key.nearest else "")


def _around(chunk_id: str, reach: int) -> list[str]:
    """Ids of the chunks that may stand beside one."""
    document, version, number = key_parts(chunk_id)
    numbers = range(max(0, number - reach), number + reach + 1)
    return [f"{document}:{version}:{n}" for n in numbers if n != number]
