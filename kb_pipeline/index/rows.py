"""Rows of a document, written by version so that readers never see half a document.

Primary keys are `document:version:ordinal`, of children `document:version:parent.ordinal`. A new version is written
beside the old one and waited for; then the caller moves the document's pointer, by which readers tell rows that count
from rows that don't; then old versions are deleted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from pymilvus import MilvusClient

from kb_pipeline.errors import ChunkTooLong, DimensionMismatch, IndexRequestFailed
from kb_pipeline.index.collections import has_collection, load_collection, row_count
from kb_pipeline.index.connect import CALL_S, milvus_errors
from kb_pipeline.index.locators import stored_list, stored_locators
from kb_pipeline.index.schema import (
    IDENTIFIER_BYTES,
    IDENTIFIERS,
    JSON_BYTES,
    PHRASE_BYTES,
    PHRASES,
    SECTIONS,
    TEXT_BYTES,
)
from kb_pipeline.records import Chunk, Enrichment, IndexRows, PageLocator
from kb_pipeline.tokenization.identifiers import ids
from kb_pipeline.tokenization.language import language
from kb_pipeline.tokenization.tokens import Tokenizer, tokenizer

BATCH_ROWS = 256
BATCH_BYTES = 8_000_000  # of 64 MiB that one gRPC message may hold
VISIBLE_S = 60.0  # how long new rows may take to be seen
POLL_S = 0.05
NO_TOKEN = "kbnotoken"  # stands for a chunk without any: BM25 divides by the mean length of a collection's texts

_identifier = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")
_version = re.compile(r"[0-9a-z]+")
_unstorable = re.compile("[\0\ud800-\udfff]")


def write_document(
    client: MilvusClient,
    collection: str,
    document_id: str,
    version: str,
    chunks: Sequence[Chunk],
    enrichments: Sequence[Enrichment],
    vectors: np.ndarray,
    words: Tokenizer | None = None,
) -> IndexRows:
    """Write all rows of a new version and wait until they are seen. Readers see them once the caller moves the pointer.

    A version whose rows are all there already is left alone: an upsert shows readers a gap.

    Args:
        version: letters and digits that name the content, the same content the same version.
        enrichments: matched to chunks by ordinal; chunks without one are written without.
        vectors: `[chunks, dimension]` float32, in the order of `chunks`.
        words: the knowledge base's tokenizer, the default one for none.

    Raises:
        ChunkTooLong: a text of more than 65,535 bytes.
        DimensionMismatch: not one vector a chunk. (`ensure_collection` compares their length with the collection's.)
        IndexUnavailable, IndexRequestFailed.
    """
    where = _filter(document_id, f'version == "{_checked(_version, version)}"')
    keys = tuple(_row_id(document_id, version, chunk) for chunk in chunks)
    if len(vectors) != len(chunks):
        raise DimensionMismatch(f"{len(vectors)} vectors for {len(chunks)} chunks", document=document_id)
    load_collection(client, collection)
    if row_count(client, collection, where) != len(chunks):
        by_ordinal = {enrichment.ordinal: enrichment for enrichment in enrichments}
        rows = (
            _row(document_id, version, chunk, by_ordinal.get(chunk.ordinal) or Enrichment(chunk.ordinal), vector, words)
            for chunk, vector in zip(chunks, vectors, strict=True)
        )
        with milvus_errors(f"writing {document_id}"):
            for batch in _batches(rows):
                client.upsert(collection, batch, timeout=CALL_S)
            client.flush(collection, timeout=CALL_S)
        _wait_until_visible(client, collection, where, len(chunks), document_id)
    return IndexRows(collection, version, keys)


def delete_versions(client: MilvusClient, collection: str, document_id: str, keep: str | None) -> None:
    """Delete a document's rows of all versions but `keep`; all of them for None. May be repeated.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    others = f'version != "{_checked(_version, keep)}"' if keep else ""
    where = _filter(document_id, others)
    if not has_collection(client, collection):
        return
    load_collection(client, collection)
    with milvus_errors(f"deleting rows of {document_id}"):
        client.delete(collection, filter=where, timeout=CALL_S)


def _wait_until_visible(client: MilvusClient, collection: str, where: str, rows: int, document: str) -> None:
    end = time.monotonic() + VISIBLE_S
    while (seen := row_count(client, collection, where)) != rows:
        if time.monotonic() > end:
            raise IndexRequestFailed(
                f"{seen} of {rows} rows are seen {VISIBLE_S:.0f} s after writing them",
                document=document,
                remedy="ingest the document again; see whether Milvus is overloaded",
            )
        time.sleep(POLL_S)


# ---------------------------------------------------------------- one row


def _row(
    document: str, version: str, chunk: Chunk, enrichment: Enrichment, vector: np.ndarray, words: Tokenizer | None
) -> dict[str, Any]:
    text = _storable(chunk.text)
    if len(text.encode()) > TEXT_BYTES:
        raise ChunkTooLong(
            f"chunk {chunk.ordinal} has {len(text.encode()):,} bytes, the index takes {TEXT_BYTES:,}",
            document=document,
            page=_page(chunk),
            remedy="set chunking.chunk_tokens lower",
        )
    words = words or tokenizer()
    searched = "\n".join(searched_text(chunk, enrichment))
    terms = words.terms(searched)
    return {
        "id": _row_id(document, version, chunk),
        "document": document,
        "version": version,
        "ordinal": chunk.ordinal,
        "kind": chunk.kind,
        "lang": language(chunk.text),
        "page": _page(chunk),
        "tokens": chunk.tokens,
        "text": text,
        "summary": _clipped(enrichment.summary, TEXT_BYTES),
        "breadcrumb": stored_list([_storable(heading) for heading in chunk.breadcrumb], JSON_BYTES),
        "locators": stored_locators(chunk.locators, JSON_BYTES),
        "section_ids": list(chunk.section_ids[:SECTIONS]),
        "ids": [found for found in ids(searched) if len(found) <= IDENTIFIER_BYTES][:IDENTIFIERS],
        "keywords": _phrases(enrichment.keywords),
        "questions": _phrases(enrichment.questions),
        "tags": _phrases(enrichment.tags),
        "coarse": _token_field([term.token for term in terms]),
        "fine": _token_field([token for term in terms for token in (term.token, *term.parts)]),
        "dense": np.asarray(vector, np.float32),
    }


def _row_id(document: str, version: str, chunk: Chunk) -> str:
    """The primary key; that of a child names its parent, which is shown where the child is found."""
    number = f"{chunk.parent}.{chunk.ordinal}" if chunk.parent >= 0 else str(chunk.ordinal)
    return f"{document}:{version}:{number}"


def searched_text(chunk: Chunk, enrichment: Enrichment) -> Iterator[str]:
    """What full-text search looks through: headings, the text, and what an LLM added."""
    yield from chunk.breadcrumb
    yield chunk.text
    yield from enrichment.keywords
    yield from enrichment.questions
    yield enrichment.summary
    yield enrichment.description


def _page(chunk: Chunk) -> int:
    return next((place.page for place in chunk.locators if isinstance(place, PageLocator)), 0)


def _token_field(tokens: Sequence[str]) -> str:
    """Tokens joined by spaces, cut between tokens at the limit in bytes; the text itself is stored elsewhere."""
    return _clipped(" ".join(tokens) or NO_TOKEN, TEXT_BYTES, " ")


def _phrases(phrases: Sequence[str]) -> list[str]:
    return [_clipped(phrase, PHRASE_BYTES) for phrase in phrases[:PHRASES]]


def _clipped(text: str, limit: int, boundary: str = "") -> str:
    """The longest head of at most `limit` bytes, cut between characters, or at `boundary` where one is given."""
    data = _storable(text).encode()
    if len(data) <= limit:
        return data.decode()
    head = data[:limit].decode("utf-8", "ignore")
    return head.rpartition(boundary)[0] or head if boundary else head


def _storable(text: str) -> str:
    """NUL and lone surrogates replaced, one for one: Milvus stores neither, and ranges must keep their meaning."""
    return _unstorable.sub("\ufffd", text)


# ---------------------------------------------------------------- batches and filters


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        bytes_of_row = sum(len(row[name].encode()) for name in ("text", "coarse", "fine", "summary"))
        bytes_of_row += row["dense"].nbytes + JSON_BYTES
        if batch and (len(batch) == BATCH_ROWS or size + bytes_of_row > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += bytes_of_row
    if batch:
        yield batch


def _filter(document_id: str, condition: str) -> str:
    """A filter on one document. Ids and versions are checked, so nothing in it needs escaping."""
    where = f'document == "{_checked(_identifier, document_id)}"'
    return f"{where} and {condition}" if condition else where


def _checked(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.fullmatch(text):
        raise ValueError(f"{text!r} is no id: it must match {pattern.pattern}")
    return text
