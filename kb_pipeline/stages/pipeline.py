"""The nine stages in order."""

from __future__ import annotations

from kb_pipeline.engine.stage import Stage
from kb_pipeline.stages import (
    chunks,
    embeddings,
    index_rows,
    layout_boxes,
    llm_enrichments,
    page_renders,
    raw_file,
    sections,
    table_grids,
)

PIPELINE: tuple[Stage, ...] = (
    raw_file.STAGE,
    page_renders.STAGE,
    layout_boxes.STAGE,
    table_grids.STAGE,
    sections.STAGE,
    chunks.STAGE,
    llm_enrichments.STAGE,
    embeddings.STAGE,
    index_rows.STAGE,
)
BY_NAME = {stage.name: stage for stage in PIPELINE}
