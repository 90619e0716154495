"""embeddings: a vector for every chunk, each text sent to the model once only."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from kb_pipeline.chunking.passage import passage
from kb_pipeline.settings import Settings
from kb_pipeline.stages.chunks import read_chunks, tokenizer_models
from kb_pipeline.stages.stage import Models, Output, Stage, Work
from kb_pipeline.stages.tables_of_rows import from_parquet, to_parquet

if TYPE_CHECKING:
    import numpy as np


def compute(work: Work) -> Output:
    """Vectors of a document's chunks, from the cache where the same text was embedded before."""
    import numpy as np
    import pandas

    from kb_pipeline.embedding.cache import VectorCache, embed_cached
    from kb_pipeline.embedding.choose import embedder

    model = embedder(work.settings.embedding)
    texts = [passage(chunk) for chunk in read_chunks(work)]
    vectors, hits = embed_cached(
        model, texts, VectorCache(work.artefacts.objects, f"documents/{work.document.id}/vectors")
    )
    frame = pandas.DataFrame(
        {
            "ordinal": np.arange(len(texts)),
            "text_hash": [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts],
            "vector": list(np.asarray(vectors, dtype=np.float32)),
        }
    )
    facts = {"vectors": len(texts), "from cache": hits, "model": model.model_id, "dimension": model.dimension}
    return Output({"vectors.parquet": to_parquet(frame)}, facts)


def read_vectors(work: Work) -> np.ndarray:
    """Vectors [chunks, dimension] in ordinal order, for the stage after."""
    import numpy as np

    frame = from_parquet(work.read("embeddings", "vectors.parquet"))
    if not len(frame):
        return np.zeros((0, 0), np.float32)
    return np.stack(frame["vector"].to_numpy()).astype(np.float32)


def models(settings: Settings) -> Models:
    """Weight files in use."""
    return tokenizer_models(settings)


STAGE = Stage(
    "embeddings",
    ("chunks", "llm_enrichments"),
    "1",
    "A vector for every chunk, by text hash.",
    settings=("embedding.provider", "embedding.base_url", "embedding.model", "embedding.dimension",
              "embedding.query_prefix", "embedding.passage_prefix"),
    models=models,
    compute=compute,
)  # fmt: skip
