"""Read one file without keeping anything: sections, tables, positions, dropped text."""

from __future__ import annotations

import html

from kb_pipeline.engine.context import Context
from kb_pipeline.engine.run import run_document
from kb_pipeline.records import ParsedDocument, Section, decode
from kb_pipeline.settings import Settings
from kb_pipeline.stages import sections
from kb_pipeline.stages.pipeline import PIPELINE
from kb_pipeline.storage import sources
from kb_pipeline.storage.artefacts import Artefacts
from kb_pipeline.storage.catalogue import Catalogue, DocumentEntry
from kb_pipeline.storage.objects import MemoryStore


def parse(source: str, settings: Settings) -> ParsedDocument:
    """The document of a file or address, through the same stages as an ingested one.

    Raises:
        KbError: it cannot be read.
    """
    objects = MemoryStore()
    name, place = sources.single(source)
    stages = PIPELINE[: PIPELINE.index(sections.STAGE) + 1]
    document = DocumentEntry("parse", "parse", name, place, 0.0)
    with _WithoutKnowledgeBase(settings, Artefacts(objects), Catalogue(objects), PIPELINE) as context:
        last = run_document(document, stages, context)[-1]
    if last.error:
        raise last.error
    return decode(context.artefacts.part(last.made, sections.DOCUMENT), ParsedDocument)


class _WithoutKnowledgeBase(Context):
    def settings_of(self, kb: str) -> Settings:
        return self.settings


def to_markdown(document: ParsedDocument) -> str:
    """Sections as Markdown; tables stay HTML, since Markdown has no cell spans."""
    return "\n\n".join(_markdown(section) for section in document.sections) + "\n"


def _markdown(section: Section) -> str:
    if section.level:
        return f"{'#' * section.level} {section.text}"
    if section.fence:
        return _listing(section.fence, section.text)
    caption = f"{section.caption}\n\n" if section.caption and section.html else ""
    return caption + (section.html or section.text)


def _listing(fence: str, text: str) -> str:
    """A listing between its fences, made longer than any within it."""
    language = fence.lstrip("`~")
    mark = fence[: len(fence) - len(language)]
    while mark in text:
        mark += mark[0]
    return f"{mark}{language}\n{text}\n{mark}"


def to_text(document: ParsedDocument) -> str:
    """Sections as plain text."""
    return "\n\n".join(section.text for section in document.sections) + "\n"


def to_html(document: ParsedDocument) -> str:
    """Sections as one HTML page."""
    body = "\n".join(_html(section) for section in document.sections)
    return f'<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n{body}\n</body></html>\n'


def _html(section: Section) -> str:
    if section.html:
        return section.html
    tag = f"h{min(section.level, 6)}" if section.level else "pre" if section.fence else "p"
    return f"<{tag}>{html.escape(section.text)}</{tag}>"
