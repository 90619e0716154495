"""embeddings: a vector for every chunk and every question that an LLM found it to answer, each text sent to the model
once only."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from kb_pipeline.chunking.passage import passage
from kb_pipeline.engine.stage import Models, Output, Stage, Work
from kb_pipeline.records import Enrichment, decode
from kb_pipeline.settings import VECTOR_SETTINGS, Settings
from kb_pipeline.stages.chunks import read_chunks, tokenizer_models
from kb_pipeline.storage.parquet import from_parquet, to_parquet

if TYPE_CHECKING:
    import numpy as np

CONTENT = -1  # in place of a question's number: the vector is that of the chunk itself


def compute(work: Work) -> Output:
    """Vectors of a document's chunks and of the questions that they answer, from the cache where the same text was
    embedded before. Questions are embedded as passages are, so that a search compares both alike."""
    import numpy as np
    import pandas

    from kb_pipeline.embedding.cache import SAVE_EVERY, VectorCache, embed_cached
    from kb_pipeline.embedding.choose import embedder

    model = embedder(work.settings.embedding)
    chunks = [(chunk.ordinal, CONTENT, passage(chunk)) for chunk in read_chunks(work)]
    enrichments = decode(work.read("llm_enrichments", "enrichments.json"), tuple[Enrichment, ...])
    questions = [(one.ordinal, n, question) for one in enrichments for n, question in enumerate(one.questions)]
    ordinals, numbers, texts = zip(*chunks, *questions, strict=True) if chunks else ((), (), ())
    cache = VectorCache(work.artefacts.objects, f"documents/{work.document.id}/vectors")
    vectors, reused = embed_cached(model, texts, cache, max(SAVE_EVERY, work.settings.embedding.batch))
    frame = pandas.DataFrame(
        {
            "ordinal": np.array(ordinals, np.int64),
            "question": np.array(numbers, np.int64),
            "text_hash": [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts],
            "vector": list(np.asarray(vectors, dtype=np.float32)),
        }
    )
    facts = {"vectors": len(texts), "from cache": reused, "model": model.model_id, "dimension": model.dimension}
    return Output({"vectors.parquet": to_parquet(frame)}, facts)


def read_vectors(work: Work) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """Vectors [chunks, dimension] in ordinal order, and vectors [questions, dimension] by the ordinal of the chunk that
    answers them, for the stage after."""
    import numpy as np

    frame = from_parquet(work.read("embeddings", "vectors.parquet"))
    if not len(frame):
        return np.zeros((0, 0), np.float32), {}
    vectors = np.stack(frame["vector"].tolist()).astype(np.float32)
    content = (frame["question"] == CONTENT).to_numpy()
    asked = frame["ordinal"].to_numpy()[~content]
    return vectors[content], {int(ordinal): vectors[~content][asked == ordinal] for ordinal in np.unique(asked)}


def models(settings: Settings) -> Models:
    """Weight files in use."""
    return tokenizer_models(settings)


STAGE = Stage(
    "embeddings",
    ("chunks", "llm_enrichments"),
    "2",
    "A vector for every chunk and every question that it answers, by text hash.",
    settings=VECTOR_SETTINGS,
    models=models,
    compute=compute,
)
