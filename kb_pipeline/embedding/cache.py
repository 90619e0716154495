"""Vectors kept by (model, hash of the text), so that a text is sent to a model once only.

Vectors are kept in segments: one immutable object for a batch of new vectors, named by the hash of its bytes. Two
processes that write at the same time therefore write different objects (or the same bytes under the same name), nothing
is read, changed and written back, and a store needs no more than whole-object writes. Shards that are merged would need
a lock, which S3 has not; one object a vector would make ten thousand small objects of a larger document.

A lookup lists a folder and reads the segments that it has not read yet. Give each document a folder of its own (and
remove the folder with the document): lookups then cost what the document holds, not what the collection holds.
"""

from __future__ import annotations

import hashlib
import re
import struct
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kb_pipeline.errors import DimensionMismatch

if TYPE_CHECKING:
    from kb_pipeline.embedding.choose import Embedder

MAGIC = b"KBV1"
HEADER = struct.Struct("<4sII")  # magic, dimension, count; then the text hashes, then the vectors as float32
HASH_BYTES = 32
SAVE_EVERY = 64  # texts; more where more go to an endpoint in one request


class VectorStore(Protocol):
    """What the cache needs of a store of byte objects under `/`-separated names."""

    def read(self, name: str) -> bytes | None: ...

    def write(self, name: str, data: bytes) -> None: ...

    def names(self, folder: str) -> list[str]: ...


class VectorCache:
    """Cached vectors under a folder of a store; safe to use from many threads and processes.

    A segment that is damaged counts as absent.
    """

    def __init__(self, store: VectorStore, folder: str = "vectors"):
        self._store, self._folder = store, folder
        self._read: set[str] = set()
        self._vectors: dict[tuple[str, bytes], np.ndarray] = {}
        self._reading = threading.Lock()

    def lookup(self, model_id: str, hashes: Sequence[bytes]) -> list[np.ndarray | None]:
        """The vector of each text hash, None where it is not kept."""
        with self._reading:
            if any((model_id, text) not in self._vectors for text in hashes):
                self._read_new(model_id)
            return [self._vectors.get((model_id, text)) for text in hashes]

    def save(self, model_id: str, hashes: Sequence[bytes], vectors: np.ndarray) -> None:
        """Keep new vectors `[N, dimension]` as one segment."""
        rows = np.ascontiguousarray(vectors, "<f4")
        data = HEADER.pack(MAGIC, rows.shape[1], len(hashes)) + b"".join(hashes) + rows.tobytes()
        self._store.write(f"{self._model_folder(model_id)}/{_segment_name(data)}", data)

    def _read_new(self, model_id: str) -> None:
        folder = self._model_folder(model_id)
        for name in self._store.names(folder):
            path = f"{folder}/{name}"
            if path in self._read:
                continue
            data = self._store.read(path)
            self._read.add(path)
            if data is not None and _segment_name(data) == name:
                for text, vector in _entries(data):
                    self._vectors.setdefault((model_id, text), vector)

    def _model_folder(self, model_id: str) -> str:
        readable = re.sub(r"[^A-Za-z0-9]+", "-", model_id).strip("-")[-40:]
        return f"{self._folder}/{readable}-{hashlib.sha256(model_id.encode()).hexdigest()[:12]}"


def text_hash(text: str) -> bytes:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _segment_name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _entries(data: bytes) -> list[tuple[bytes, np.ndarray]]:
    """Pairs of a segment whose bytes are those it was written with."""
    _, dimension, count = HEADER.unpack_from(data)
    end = HEADER.size + HASH_BYTES * count
    hashes = [data[i : i + HASH_BYTES] for i in range(HEADER.size, end, HASH_BYTES)]
    vectors = np.frombuffer(data, "<f4", dimension * count, end).reshape(count, dimension)
    return list(zip(hashes, vectors, strict=True))


def embed_cached(
    embedder: Embedder, texts: Sequence[str], cache: VectorCache, save_every: int = SAVE_EVERY
) -> tuple[np.ndarray, int]:
    """Vectors `[N, dimension]` of passages, and how many texts had theirs in the cache.

    A text that occurs several times is embedded once. Every `save_every` new vectors are kept as they come, so that a
    run that dies goes on where it was.

    Raises:
        DimensionMismatch: the model's vectors are of another length than those that are kept.
        ModelMissing, EndpointError: as the embedder.
        StorageUnavailable: as the store.
    """
    model_id, hashes = embedder.model_id, [text_hash(text) for text in texts]
    known = {h: v for h, v in zip(hashes, cache.lookup(model_id, hashes), strict=True) if v is not None}
    reused = sum(h in known for h in hashes)
    missing = {h: text for h, text in zip(hashes, texts, strict=True) if h not in known}
    order = list(missing)
    for start in range(0, len(order), save_every):
        batch = order[start : start + save_every]
        vectors = embedder.embed_passages([missing[h] for h in batch])
        cache.save(model_id, batch, vectors)
        known.update(zip(batch, vectors, strict=True))
    if not texts:
        return np.zeros((0, embedder.dimension), np.float32), 0
    if len({len(vector) for vector in known.values()}) > 1:
        raise DimensionMismatch(
            f"{model_id} gives vectors of another length than before", remedy="set embedding.dimension, then re-ingest"
        )
    return np.stack([known[h] for h in hashes]).astype(np.float32), reused
