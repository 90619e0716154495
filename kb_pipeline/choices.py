"""What can be chosen by name: one line here names what does it, and settings and the command line know the name.

A target is `module:name`, imported when it is first used: a command that needs none of them starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

CHUNK_MODES: dict[str, str] = {
    "general": "kb_pipeline.chunking.general:plan_general",
    "qa": "kb_pipeline.chunking.qa:plan_qa",
    "table": "kb_pipeline.chunking.table:plan_table",
    "manual": "kb_pipeline.chunking.manual:plan_manual",
    "sliding_window": "kb_pipeline.chunking.window:plan_windows",
}
"""Ways to cut a document: functions from a ChunkSource to Plans."""


class EmbeddingProvider(NamedTuple):
    """`target`: a function from EmbeddingSettings and a number of workers to an Embedder. `weights`: roles of the
    weight files that it uses."""

    target: str
    weights: tuple[str, ...] = ()


EMBEDDING_PROVIDERS: dict[str, EmbeddingProvider] = {
    "local": EmbeddingProvider("kb_pipeline.embedding.local:local_embedder", ("embedding",)),
    "openai": EmbeddingProvider("kb_pipeline.embedding.endpoint:endpoint_embedder"),
}


class Reranker(NamedTuple):
    """`target`: a function from a Question, Scored hits, their texts and RerankSettings to score parts for each hit,
    of which `rerank` (0…1) is one. `weight`: of that beside the fused score, where none is set."""

    target: str
    weight: float


RERANKERS: dict[str, Reranker] = {
    "rules": Reranker("kb_pipeline.query.rerank_rules:rule_parts", 1.0),
    "endpoint": Reranker("kb_pipeline.query.rerank_endpoint:endpoint_parts", 0.7),
    "onnx": Reranker("kb_pipeline.query.rerank_onnx:onnx_parts", 0.7),
}


def loaded(target: str) -> Any:
    """What `module:name` stands for."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)
