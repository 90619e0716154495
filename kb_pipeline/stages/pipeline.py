"""The stages in order, and what a process needs to run them."""

from __future__ import annotations

from collections.abc import Callable

from kb_pipeline.engine.context import Context, Progress
from kb_pipeline.engine.stage import Stage
from kb_pipeline.settings import Settings, load_settings
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
from kb_pipeline.storage.artefacts import Artefacts
from kb_pipeline.storage.catalogue import Catalogue
from kb_pipeline.storage.objects import home_store

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


def open_context(
    settings: Settings | None = None,
    listen: Callable[[Progress], None] | None = None,
    pipeline: tuple[Stage, ...] | None = None,
) -> Context:
    """The context of the installation that has these settings, by default that of `KB_HOME`, for these stages, by
    default `PIPELINE`."""
    settings = settings or load_settings()
    objects = home_store(settings)
    context = Context(
        settings, Artefacts(objects, settings.storage.keep_versions), Catalogue(objects), pipeline or PIPELINE
    )
    if listen:
        context.listen = listen
    return context
