"""Hybrid retrieval, answers with citations, and source tracing; `KnowledgeBase` is the face of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kb_pipeline.query.knowledge_base import KnowledgeBase

__all__ = ["KnowledgeBase"]


def __getattr__(name: str) -> Any:
    """Load the face on first use: importing this package costs nothing."""
    if name != "KnowledgeBase":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kb_pipeline.query.knowledge_base import KnowledgeBase

    return KnowledgeBase
