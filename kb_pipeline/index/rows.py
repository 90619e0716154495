"""Rows of a document, written by version so that readers never see half a document.

Primary keys are `document:version:ordinal`, of children `document:version:parent.ordinal`, of questions that a chunk
answers `document:version:ordinal.q<number>`. A new version is written beside the old one and waited for; then the
caller moves the document's pointer, by which readers tell rows that count from rows that don't; then old versions are
deleted.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pymilvus import MilvusClient

from kb_pipeline.errors import DimensionMismatch, IndexRequestFailed
from kb_pipeline.index.collections import has_collection, load_collection, row_count
from kb_pipeline.index.connect import CALL_S, milvus_errors
from kb_pipeline.index.row import chunk_row, question_row, row_id
from kb_pipeline.index.schema import JSON_BYTES
from kb_pipeline.index.vectors import Vectors
from kb_pipeline.records import Chunk, Enrichment, IndexRows
from kb_pipeline.tokenization.tokens import Tokenizer
from kb_pipeline.waiting import told

BATCH_ROWS = 256
BATCH_BYTES = 8_000_000  # of 64 MiB that one gRPC message may hold
VISIBLE_S = 60.0  # how long new rows may take to be seen
POLL_S = 0.05

_IDENTIFIER = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")
_VERSION = re.compile(r"[0-9a-z]+")


def write_document(
    client: MilvusClient,
    collection: str,
    document_id: str,
    version: str,
    chunks: Sequence[Chunk],
    enrichments: Sequence[Enrichment],
    vectors: Vectors,
    words: Tokenizer | None = None,
) -> IndexRows:
    """Write all rows of a new version and wait until they are seen. Readers see them once the caller moves the pointer.

    A version whose rows are all there already is left alone: an upsert shows readers a gap.

    Args:
        version: letters and digits that name the content, the same content the same version.
        enrichments: matched to chunks by ordinal; chunks without one are written without.
        words: the knowledge base's tokenizer, the default one for none.

    Raises:
        ChunkTooLong: a text of more than 65,535 bytes.
        DimensionMismatch: not one vector per chunk. (`ensure_collection` compares their length with the collection's.)
        IndexUnavailable, IndexRequestFailed.
    """
    where = _filter(document_id, f'version == "{_checked(_VERSION, version)}"')
    by_ordinal = {enrichment.ordinal: enrichment for enrichment in enrichments}
    found = {chunk.ordinal: by_ordinal.get(chunk.ordinal) or Enrichment(chunk.ordinal) for chunk in chunks}
    asked = {n: list(zip(found[n].questions, rows, strict=True)) for n, rows in vectors.questions.items() if n in found}
    offsets = vectors.language_offsets
    if len(vectors.content) != len(chunks):
        raise DimensionMismatch(f"{len(vectors.content)} vectors for {len(chunks)} chunks", document=document_id)
    count = len(chunks) + sum(map(len, asked.values()))
    load_collection(client, collection)
    if row_count(client, collection, where) != count:
        rows = itertools.chain(
            (
                chunk_row(document_id, version, chunk, found[chunk.ordinal], vector, offsets, words)
                for chunk, vector in zip(chunks, vectors.content, strict=True)
            ),
            (
                question_row(document_id, version, chunk, number, question, vector, offsets, words)
                for chunk in chunks
                for number, (question, vector) in enumerate(asked.get(chunk.ordinal, ()))
            ),
        )
        with milvus_errors(f"writing {document_id}"):
            for batch in _batches(rows):
                client.upsert(collection, batch, timeout=CALL_S)
            client.flush(collection, timeout=CALL_S)
        _wait_until_visible(client, collection, where, count, document_id)
    return IndexRows(collection, version, tuple(row_id(document_id, version, chunk) for chunk in chunks), count)


def delete_versions(client: MilvusClient, collection: str, document_id: str, keep: str | None) -> None:
    """Delete a document's rows of all versions but `keep`; all of them for None. May be repeated.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    others = f'version != "{_checked(_VERSION, keep)}"' if keep else ""
    where = _filter(document_id, others)
    if not has_collection(client, collection):
        return
    load_collection(client, collection)
    with milvus_errors(f"deleting rows of {document_id}"):
        client.delete(collection, filter=where, timeout=CALL_S)


def _wait_until_visible(client: MilvusClient, collection: str, where: str, rows: int, document: str) -> None:
    end = time.monotonic() + VISIBLE_S
    with told(f"Milvus to show the rows of {document}"):
        while (seen := row_count(client, collection, where)) != rows:
            if time.monotonic() > end:
                raise IndexRequestFailed(
                    f"{seen} of {rows} rows are seen {VISIBLE_S:.0f} s after writing them",
                    document=document,
                    remedy="ingest the document again; see whether Milvus is overloaded",
                )
            time.sleep(POLL_S)


# ---------------------------------------------------------------- batches and filters


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        bytes_of_row = sum(len(row[name].encode()) for name in ("text", "coarse", "fine", "summary"))
        bytes_of_row += row["dense"].nbytes + JSON_BYTES  # an upper bound of breadcrumb, locators and what was added
        if batch and (len(batch) == BATCH_ROWS or size + bytes_of_row > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += bytes_of_row
    if batch:
        yield batch


def _filter(document_id: str, condition: str) -> str:
    """A filter on one document. Ids and versions are checked, so nothing in it needs escaping."""
    where = f'document == "{_checked(_IDENTIFIER, document_id)}"'
    return f"{where} and {condition}" if condition else where


def _checked(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.fullmatch(text):
        raise ValueError(f"{text!r} is no id: it must match {pattern.pattern}")
    return text
