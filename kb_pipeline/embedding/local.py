"""The bundled embedding model: multilingual-e5-small (MIT), 4-bit, run by onnxruntime.

Loaded once per process, on first use: the tokenizer for counting, the encoder only when a vector is asked for. The
model wants "query: " and "passage: " before its texts (its model card); both are added here and never counted.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from kb_pipeline.embedding.e5_graph import encoder_session
from kb_pipeline.embedding.e5_tokens import E5Tokens
from kb_pipeline.embedding.e5_weights import E5Weights, dequantised, read_weights
from kb_pipeline.settings import EmbeddingSettings
from kb_pipeline.weights.manifest import model_for, model_hash, model_path
from kb_pipeline.weights.sessions import outputs

MODEL_ID = "multilingual-e5-small-q4"  # change it with every change of code that changes vectors
DIMENSION = 384
QUERY_PREFIX, PASSAGE_PREFIX = "query: ", "passage: "
SPECIAL_TOKENS = 2  # start and end of a run
PREFIX_TOKENS = 3  # of the longer prefix
MAX_TOKENS = 512 - SPECIAL_TOKENS - PREFIX_TOKENS
MAX_WINDOWS = 20  # of one text; what lies beyond (10,140 tokens) does not enter its vector
MAX_CHARACTERS = 16 * MAX_WINDOWS * MAX_TOKENS  # no token of the vocabulary has more than 16 characters
COSINE_WINDOW = (0.70, 1.0)  # raw cosines of this model lie in 0.70…0.95, whatever the texts
# Added to the cosine of a query in the first and a passage in the second language, near the model's mean gap between
# parallel and same-language pairs (0.097 and 0.045 on XQuAD): a little less one way, so that the own language is
# preferred where support is close, a little more the other way, where that costs nothing.
LANGUAGE_OFFSETS: Mapping[tuple[str, str], float] = MappingProxyType({("zh", "en"): 0.09, ("en", "zh"): 0.05})

_loading = threading.Lock()  # lru_cache alone would load once per thread


@lru_cache(maxsize=1)
def _weights() -> E5Weights:
    return read_weights(model_path("embedding"))


@lru_cache(maxsize=1)
def _loaded_tokens() -> E5Tokens:
    return E5Tokens(_weights())


class _Encoder:
    """Vectors of token ids."""

    def __init__(self, weights: E5Weights):
        self._start, self._end = weights.start_id, weights.end_id
        self._words = weights.blocks("emb.word", weights.words, weights.hidden)
        self._places = weights.floats("emb.pos", weights.positions, weights.hidden)
        self._places = self._places + weights.floats("emb.type", 2, weights.hidden)[0]
        self._session = encoder_session(weights, model_hash("embedding"))

    def mean(self, ids: list[int]) -> np.ndarray:
        """Mean of the last layer for one window of ids `[hidden]`, not normalised."""
        ids = [self._start, *ids, self._end]
        words = dequantised(self._words[ids]) + self._places[: len(ids)]
        return outputs(self._session, words[None].astype(np.float32))[0][0]


@lru_cache(maxsize=1)
def _loaded_encoder() -> _Encoder:
    return _Encoder(_weights())


def _tokens() -> E5Tokens:
    with _loading:
        return _loaded_tokens()


def _encoder() -> _Encoder:
    with _loading:
        return _loaded_encoder()


def local_embedder(settings: EmbeddingSettings, workers: int) -> LocalEmbedder:
    """The provider `local`."""
    return LocalEmbedder(workers)


class LocalEmbedder:
    """The bundled model as an `Embedder`. The same text gives the same bytes in any batch, order and thread.

    Args:
        workers: texts embedded at the same time, each on one core.
    """

    dimension = DIMENSION
    max_tokens = MAX_TOKENS
    cosine_window = COSINE_WINDOW
    language_offsets = LANGUAGE_OFFSETS

    def __init__(self, workers: int = 1):
        self._workers = max(1, workers)

    @property
    def model_id(self) -> str:
        """Names the vectors' origin; another weight file dropped into its place has another id."""
        sha256 = model_hash("embedding")
        return MODEL_ID if sha256 == model_for("embedding").sha256 else f"{MODEL_ID}+{sha256[:8]}"

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors `[N, 384]` float32 of passages.

        A text of more than `max_tokens` is embedded in even windows whose vectors are averaged by their length.

        Raises:
            ModelMissing: the weight file is not there or damaged.
        """
        return self._embed(texts, PASSAGE_PREFIX)

    def embed_query(self, text: str) -> np.ndarray:
        """Unit vector `[384]` float32 of a question. Raises ModelMissing as above."""
        return self._embed([text], QUERY_PREFIX)[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text itself, without prefix and special tokens.

        A million tokens per second; words and clauses are counted once.
        """
        return _tokens().counts(texts)

    def _embed(self, texts: Sequence[str], prefix: str) -> np.ndarray:
        tokens, encoder = _tokens(), _encoder()
        head = tokens.ids(prefix)

        def vector(text: str) -> np.ndarray:
            ids = tokens.ids(text[:MAX_CHARACTERS])[: MAX_WINDOWS * MAX_TOKENS]
            total = np.zeros(DIMENSION, np.float32)
            for window in _windows(ids):
                total = total + encoder.mean(head + window) * (len(window) or 1)
            return total / np.linalg.norm(total)

        if self._workers == 1 or len(texts) < 2:
            found = list(map(vector, texts))
        else:
            with ThreadPoolExecutor(min(self._workers, len(texts))) as pool:
                found = list(pool.map(vector, texts))
        return np.array(found, np.float32).reshape(len(texts), DIMENSION)


def _windows(ids: list[int]) -> list[list[int]]:
    """Even parts of at most MAX_TOKENS; one empty part for no ids."""
    count = max(1, -(-len(ids) // MAX_TOKENS))
    bounds = [len(ids) * i // count for i in range(count + 1)]
    return [ids[a:b] for a, b in pairwise(bounds)]
