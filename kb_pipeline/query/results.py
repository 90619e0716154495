"""What a search gives beside its hits: what was relaxed, what just missed, which documents, which passages around."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kb_pipeline.query.rescore import Scored
from kb_pipeline.records import Added, Citation, Hit, Locator, Record

SHARED = 0.4  # of the shorter of two neighbouring chunks, with which they count as the same passage


class ChunkRow(Record, frozen=True):
    """What a hit shows of a row."""

    chunk_id: str
    document: str
    version: str
    kind: str
    text: str
    breadcrumb: tuple[str, ...]
    locators: tuple[Locator, ...]
    added: tuple[Added, ...]
    picture: str


class DocumentHits(Record, frozen=True):
    """How many chunks of a document reach the threshold, and the best score among them."""

    document: str
    document_id: str
    hits: int
    best: float


class Passage(Record, frozen=True):
    """A chunk beside a hit."""

    chunk_id: str
    text: str


class MissingKey(Record, frozen=True):
    """What a question asks for by name and no passage holds, and what comes nearest to it."""

    said: str
    nearest: tuple[str, ...] = ()


class SearchResult(Record, frozen=True):
    """Hits of one page of results.

    Attributes:
        found: chunks, of those that were scored, that reach the threshold; `hits` are a page of them.
        threshold: the minimum score that counted.
        relaxed: nothing reached the threshold that is set, so that a quarter of it was taken.
        near_misses: the best chunks below the threshold, where they were asked for; where keys are missing, the page of
            chunks that would be hits without them.
        missing: keys of the question that no passage holds, so that none is a hit.
        documents: documents of all that was found, best first.
        neighbours: chunks before and after each hit by its chunk id, where they were asked for.
        notes: what did not go as set, such as a relaxed threshold or a reranker that failed.
    """

    hits: tuple[Hit, ...]
    found: int
    threshold: float
    relaxed: bool
    near_misses: tuple[Hit, ...] = ()
    documents: tuple[DocumentHits, ...] = ()
    neighbours: dict[str, tuple[Passage, ...]] = {}
    notes: tuple[str, ...] = ()
    missing: tuple[MissingKey, ...] = ()


def gone_notes(shown: Iterable[Hit | Citation]) -> tuple[str, ...]:
    """A note for each document among hits or citations whose source is gone."""
    paths = dict.fromkeys(one.document for one in shown if one.source_gone)
    return tuple(f"the source of {path} is gone: this is what it was when it was ingested" for path in paths)


def ordinal(chunk_id: str) -> int:
    """The place of a chunk in its document."""
    return int(chunk_id.rpartition(":")[2])


def as_parents(scored: Sequence[Scored]) -> list[Scored]:
    """Chunks, best first, with each child under the id of its parent, which is what a reader sees; one parent once."""
    found: dict[str, Scored] = {}
    for one in scored:
        shown = parent_id(one.candidate.chunk_id)
        if shown not in found:
            same = shown == one.candidate.chunk_id
            found[shown] = one if same else replace(one, candidate=replace(one.candidate, chunk_id=shown))
    return list(found.values())


def parent_id(chunk_id: str) -> str:
    """The id of a child's parent (`document:version:parent.ordinal` names it); any other chunk's own."""
    head, _, number = chunk_id.rpartition(":")
    return f"{head}:{number.partition('.')[0]}"


def distinct(chunk_ids: Sequence[str], rows: Mapping[str, ChunkRow]) -> list[str]:
    """Chunk ids without those that mostly repeat a better one beside them in their document, as overlapping chunks do.

    Equal texts at different places of a document stay: they are different passages.
    """
    kept: list[str] = []
    taken: set[str] = set()
    for chunk_id in chunk_ids:
        if chunk_id not in rows:
            continue
        version, _, number = chunk_id.rpartition(":")
        beside = (f"{version}:{int(number) - 1}", f"{version}:{int(number) + 1}")
        if any(one in taken and _repeats(rows, chunk_id, one) for one in beside):
            continue
        kept.append(chunk_id)
        taken.add(chunk_id)
    return kept


def _repeats(rows: Mapping[str, ChunkRow], one: str, other: str) -> bool:
    first, second = sorted((one, other), key=ordinal)
    before, after = rows[first].text, rows[second].text
    shorter = min(len(before), len(after))
    return any(before.endswith(after[:n]) for n in range(shorter, max(1, int(SHARED * shorter)) - 1, -1))
