"""The embedding model that the settings name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from kb_pipeline.choices import EMBEDDING_PROVIDERS, loaded
from kb_pipeline.cores import usable_cores
from kb_pipeline.settings import EmbeddingSettings

if TYPE_CHECKING:
    import numpy as np


class Embedder(Protocol):
    """An embedding model.

    Attributes:
        model_id: names the origin of the vectors; another id means vectors that cannot be compared.
        dimension: length of a vector.
        max_tokens: maximum number of tokens of a text that goes into a vector whole.
        cosine_window: cosines (low, high) that count as 0 and 1 in the fused score.
        language_offsets: added to the cosine of a (question, passage) pair of languages.
    """

    @property
    def model_id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    @property
    def cosine_window(self) -> tuple[float, float]: ...

    @property
    def language_offsets(self) -> Mapping[tuple[str, str], float]: ...

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors `[N, dimension]` float32."""
        ...

    def embed_query(self, text: str) -> np.ndarray:
        """Unit vector `[dimension]` float32 of a question."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without what the model adds; much faster than text by text."""
        ...


@lru_cache(maxsize=8)
def embedder(settings: EmbeddingSettings, workers: int = 0) -> Embedder:
    """The model of these settings, the same object for the same settings; nothing is loaded before it is used.

    Args:
        workers: texts that the local model embeds at the same time; 0 for one per core of this process.

    Raises:
        EndpointError: the settings name an endpoint without address or model.
    """
    make: Callable[[EmbeddingSettings, int], Embedder] = loaded(EMBEDDING_PROVIDERS[settings.provider].target)
    return make(settings, workers or usable_cores())
