"""Chunk mode `general`: sections in reading order by the general rule (packing.py)."""

from __future__ import annotations

from kb_pipeline.chunking.source import Reading
from kb_pipeline.chunking.spans import Plan


def plan_general(reading: Reading) -> list[Plan]:
    """Plans of a document's chunks."""
    packer = reading.packer()
    for index in range(len(reading.sections)):
        packer.add(index)
    return packer.close()
