"""Vectors from any OpenAI-compatible /embeddings endpoint."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from kb_pipeline.embedding import counting
from kb_pipeline.endpoints.calls import Endpoint, encodable, json_call
from kb_pipeline.errors import DimensionMismatch, EndpointError
from kb_pipeline.settings import EmbeddingSettings, reveal

PROBE = "dimension"  # embedded once to learn the length of the vectors where no setting says it
BLANK = " "  # sent for an empty text, which most services refuse
# Models differ in how far apart unrelated texts lie; without a measured window the cosine is taken as it is.
COSINE_WINDOW = (0.0, 1.0)
LANGUAGE_OFFSETS: Mapping[tuple[str, str], float] = MappingProxyType({})


def endpoint_embedder(settings: EmbeddingSettings, workers: int) -> EndpointEmbedder:
    """The provider `openai`."""
    return EndpointEmbedder(settings)


class EndpointEmbedder:
    """An endpoint as an `Embedder`; safe to use from many threads. Vectors are scaled to length 1.

    Raises:
        EndpointError: embedding.base_url or embedding.model is not set.
    """

    cosine_window = COSINE_WINDOW
    language_offsets = LANGUAGE_OFFSETS

    def __init__(self, settings: EmbeddingSettings):
        if not settings.base_url or not settings.model:
            raise EndpointError(
                "no embedding endpoint is set",
                remedy="set embedding.base_url and embedding.model, or embedding.provider=local",
            )
        self._settings = settings
        self.max_tokens = settings.max_tokens
        attempts = settings.max_retries + 1
        self._endpoint = Endpoint(
            "embedding",
            settings.base_url,
            reveal(settings.api_key),
            settings.timeout_s,
            settings.timeout_s * attempts,
            settings.max_retries,
        )
        self._client = self._endpoint.client()
        self._dimension = settings.dimension

    @property
    def model_id(self) -> str:
        """Names the vectors' origin: model, revision and everything sent that changes a vector, not the address."""
        s = self._settings
        parts = ["openai", s.model]
        parts += [f"revision={s.revision}"] if s.revision else []
        parts += [f"dimension={s.dimension}"] if s.dimension else []
        parts += [f"passage={s.passage_prefix!r}"] if s.passage_prefix else []
        return " ".join(parts)

    @property
    def dimension(self) -> int:
        """Length of the vectors; asks the endpoint once where embedding.dimension is 0. Raises EndpointError."""
        if not self._dimension:
            self._request([PROBE])
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors `[N, dimension]` float32, in batches of embedding.batch texts.

        Raises:
            EndpointError: unreachable, refused, or an answer that does not fit the request.
            DimensionMismatch: vectors of another length than embedding.dimension, or than before.
        """
        sent = [self._settings.passage_prefix + text for text in texts]
        batches = [sent[i : i + self._settings.batch] for i in range(0, len(sent), self._settings.batch)]
        found = [self._request(batch) for batch in batches]
        return np.concatenate(found) if found else np.zeros((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        """Unit vector `[dimension]` float32 of a question. Raises as `embed_passages`."""
        return self._request([self._settings.query_prefix + text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Approximate tokens of each text; see embedding.counting."""
        return counting.count_many(texts)

    def _request(self, texts: list[str]) -> np.ndarray:
        request: dict[str, Any] = {
            "model": self._settings.model,
            "input": [encodable(text.replace("\x00", "")) or BLANK for text in texts],
            "encoding_format": "base64",
        }
        if self._settings.dimension:
            request["dimensions"] = self._settings.dimension
        create = self._client.embeddings.with_streaming_response.create
        data = json_call(self._endpoint, lambda: create(**request))
        vectors = self._vectors(data, len(texts))
        if not self._dimension:
            self._dimension = vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise DimensionMismatch(
                f"{self._settings.model} answers with {vectors.shape[1]} dimensions instead of {self._dimension}",
                remedy="set embedding.dimension to what the model gives, then re-ingest",
            )
        return vectors

    def _vectors(self, data: dict[str, Any], count: int) -> np.ndarray:
        rows = data.get("data")
        if not isinstance(rows, list) or len(rows) != count or not all(isinstance(row, dict) for row in rows):
            given = len(rows) if isinstance(rows, list) else "no"
            raise self._wrong(f"{given} vectors for {count} texts")
        places = [row.get("index", i) for i, row in enumerate(rows)]  # some services leave the index out
        if sorted(map(str, places)) != sorted(map(str, range(count))):
            raise self._wrong("indexes that are not those of the texts")
        ordered = sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])
        found = [self._vector(row.get("embedding")) for _, row in ordered]
        if len({len(vector) for vector in found}) != 1:
            raise self._wrong("vectors of different lengths")
        matrix = np.stack(found)
        lengths = np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise self._wrong("vectors that are no numbers or zero")
        return (matrix / lengths).astype(np.float32)

    def _vector(self, value: object) -> np.ndarray:
        try:
            if isinstance(value, str):
                found = np.frombuffer(base64.b64decode(value, validate=True), "<f4")
            else:
                found = np.asarray(value, np.float32)
        except (binascii.Error, ValueError, TypeError) as error:
            raise self._wrong("vectors that cannot be read") from error
        if found.ndim != 1 or not len(found):
            raise self._wrong("vectors that cannot be read")
        return found

    def _wrong(self, what: str) -> EndpointError:
        return self._endpoint.failed(f"answered with {what}", "check that embedding.model is an embedding model")
