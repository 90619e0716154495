"""Chunk mode `table`: as `general`, and every row of a table is found by itself, as `header: value` pairs."""

from __future__ import annotations

from kb_pipeline.chunking.source import ChunkSource
from kb_pipeline.chunking.spans import Plan


def plan_table(source: ChunkSource) -> list[Plan]:
    """Plans of a document's chunks; the rows of each part of a table are its children."""
    packer = source.packer(rows=True)
    for index in range(len(source.sections)):
        packer.add(index)
    return packer.close()
