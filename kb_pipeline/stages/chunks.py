"""chunks: sections cut into texts to index, each with its places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kb_pipeline.choices import EMBEDDING_PROVIDERS
from kb_pipeline.engine.stage import Models, Output, Stage, Work
from kb_pipeline.records import Chunk, ParsedDocument, decode, encode
from kb_pipeline.settings import Settings

PREVIEW_CHUNKS, PREVIEW_CHARACTERS = 5, 120


def compute(work: Work) -> Output:
    """Chunks of a document, counted by the embedding model's own tokenizer."""
    document = decode(work.read("sections", "document.json"), ParsedDocument)
    chunks = cut(document, work.settings)
    own = [chunk for chunk in chunks if chunk.parent < 0]
    tokens = sum(chunk.tokens for chunk in own)
    kinds = Counter(chunk.kind for chunk in own)
    children = len(chunks) - len(own)
    facts = {"mode": work.settings.chunking.mode, "chunks": len(own), "tokens": tokens}
    by_kind = {f"{kind} chunks": count for kind, count in sorted(kinds.items())}
    found = {"children": children} if children else {}
    return Output({"chunks.json": encode(chunks)}, {**facts, **by_kind, **found, "preview": _preview(chunks)})


def cut(document: ParsedDocument, settings: Settings) -> list[Chunk]:
    """Chunks of a document in the mode of the settings."""
    from kb_pipeline.chunking.cut import chunk_document
    from kb_pipeline.embedding.choose import embedder

    model = embedder(settings.embedding)
    return chunk_document(document, settings.chunking, model.count_many, model.max_tokens)


def _preview(chunks: Sequence[Chunk]) -> str:
    """The heads of the first chunks as a Markdown list."""
    heads = [" ".join(chunk.text.split())[:PREVIEW_CHARACTERS] for chunk in chunks[:PREVIEW_CHUNKS]]
    return "".join(f"1. {head}\n" for head in heads)


def read_chunks(work: Work) -> tuple[Chunk, ...]:
    """A document's chunks, for the stages after."""
    return decode(work.read("chunks", "chunks.json"), tuple[Chunk, ...])


def tokenizer_models(settings: Settings) -> Models:
    """The embedding model's files, where it has any here."""
    return tuple((role, "") for role in EMBEDDING_PROVIDERS[settings.embedding.provider].weights)


STAGE = Stage(
    "chunks",
    ("sections",),
    "3",
    "Texts to index, with kind, breadcrumb, tokens and places.",
    settings=("chunking", "embedding.provider", "embedding.model", "embedding.max_tokens"),
    models=tokenizer_models,
    compute=compute,
)
