"""table_grids: the grid of every table region: rows, columns, spans, header cells, text and box of each cell."""

from __future__ import annotations

from collections.abc import Mapping

from kb_pipeline.engine.stage import Models, PageWork, Stage
from kb_pipeline.records import PageLayout, PageRender, PageTables, decode, encode
from kb_pipeline.settings import Settings
from kb_pipeline.stages.layout_boxes import idle, read_remotely, recognition_models
from kb_pipeline.stages.page_renders import read_characters
from kb_pipeline.stages.page_source import open_pages
from kb_pipeline.weights.manifest import DEEPDOC, in_use


def compute_page(work: PageWork) -> tuple[dict[str, bytes], Mapping[str, float]]:
    """Tables of a page."""
    from kb_pipeline.deepdoc.page.read import read_tables

    name = f"{work.page:05d}"
    layout = decode(work.read("layout_boxes", f"{name}.json"), PageLayout)
    if layout.error:
        return failed_page(work.page, layout.error), {}
    if not any(region.role == "table" for region in layout.regions):
        return {f"{name}.json": encode(PageTables(work.page, ()))}, {}
    render = decode(work.read("page_renders", f"{name}.json"), PageRender)
    characters = read_characters(work.read("page_renders", f"{name}.parquet"))
    picture = work.source.picture(work.page, render.scale)
    tables = read_tables(work.source.file, layout, characters, picture, work.settings)
    facts = {"tables": len(tables.tables), "cells": sum(len(t.cells) for t in tables.tables)}
    return {f"{name}.json": encode(tables)}, facts


def failed_page(page: int, reason: str) -> dict[str, bytes]:
    """A page without tables, marked with the reason."""
    return {f"{page:05d}.json": encode(PageTables(page, (), reason))}


def models(settings: Settings) -> Models:
    """Weight files in use, a user's DeepDOC files among them."""
    if read_remotely(settings):
        return ()
    table = in_use("table")
    second = (("table second opinion", ""),) if settings.tables.second_opinion and table != DEEPDOC else ()
    return (("table", table), *second, ("orientation", ""), *recognition_models(settings))


STAGE = Stage(
    "table_grids",
    ("page_renders", "layout_boxes"),
    "3",
    "Grids of the table regions: spans, header cells, text and box of each cell.",
    settings=("parser.engine", "tables", "ocr.models"),
    models=models,
    idle=idle,
    open_pages=open_pages,
    compute_page=compute_page,
    failed_page=failed_page,
    kinds=("onnx",),
)
