"""Chunk mode `general`: sections in reading order by the general rule (packing.py)."""

from __future__ import annotations

from kb_pipeline.chunking.source import ChunkSource
from kb_pipeline.chunking.spans import Plan


def plan_general(source: ChunkSource) -> list[Plan]:
    """Plans of a document's chunks."""
    packer = source.packer()
    for index in range(len(source.sections)):
        packer.add(index)
    return packer.close()
