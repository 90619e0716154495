"""Chunk mode `table`: as `general`, and every row of a table is found by itself, as `header: value` pairs."""

from __future__ import annotations

from kb_pipeline.chunking.source import Reading
from kb_pipeline.chunking.spans import Plan


def plan_table(reading: Reading) -> list[Plan]:
    """Plans of a document's chunks; the rows of each part of a table are its children."""
    packer = reading.packer(rows=True)
    for index in range(len(reading.sections)):
        packer.add(index)
    return packer.close()
