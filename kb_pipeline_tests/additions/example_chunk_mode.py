"""A chunk mode: each section is a chunk."""

from __future__ import annotations

from kb_pipeline.chunking.source import ChunkSource
from kb_pipeline.chunking.spans import Plan, Span


def plan_sections(source: ChunkSource) -> list[Plan]:
    return [Plan("text", [Span(i, 0, len(section.text))]) for i, section in enumerate(source.sections)]
