"""chunks: sections cut into texts to index, each with its places."""

from __future__ import annotations

from collections import Counter

from kb_pipeline.records import Chunk, ParsedDocument, decode, encode
from kb_pipeline.settings import Settings
from kb_pipeline.stages.stage import Models, Output, Stage, Work


def compute(work: Work) -> Output:
    """Chunks of a document, counted by the embedding model's own tokenizer."""
    from kb_pipeline.chunking.general import chunk_general
    from kb_pipeline.embedding.choose import embedder

    document = decode(work.read("sections", "document.json"), ParsedDocument)
    model = embedder(work.settings.embedding)
    chunks = chunk_general(document, work.settings.chunking, model.count_many, model.max_tokens)
    kinds = Counter(chunk.kind for chunk in chunks)
    facts = {"chunks": len(chunks), "tokens": sum(chunk.tokens for chunk in chunks)}
    return Output(
        {"chunks.json": encode(chunks)}, {**facts, **{f"{kind} chunks": n for kind, n in sorted(kinds.items())}}
    )


def read_chunks(work: Work) -> tuple[Chunk, ...]:
    """A document's chunks, for the stages after."""
    return decode(work.read("chunks", "chunks.json"), tuple[Chunk, ...])


def tokenizer_models(settings: Settings) -> Models:
    """The embedding model's file, where it is a local one."""
    return (("embedding", ""),) if settings.embedding.provider == "local" else ()


STAGE = Stage(
    "chunks",
    ("sections",),
    "1",
    "Texts to index, with kind, breadcrumb, tokens and places.",
    settings=("chunking", "embedding.provider", "embedding.model", "embedding.max_tokens"),
    models=tokenizer_models,
    compute=compute,
)
