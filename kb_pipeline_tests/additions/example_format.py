"""A format: subtitles, a paragraph for each, at its lines."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from kb_pipeline.formats.charset import decode
from kb_pipeline.formats.lines import Builder, numbered
from kb_pipeline.records import ParsedDocument

TIMES = "times of a subtitle"


def read_subtitles(data: bytes, name: str, keep: Collection[str]) -> ParsedDocument:
    source, out = decode(data), Builder()
    for number, line in numbered(source.text):
        if line.strip().isdigit() or "-->" in line:
            out.drop(line, TIMES, number)
        elif line.strip():
            out.add("text", [(number, line)])
    return out.document(source)


def read_timed(data: bytes, name: str, keep: Collection[str]) -> ParsedDocument:
    """The same, at its seconds: the place is a locator of its own (example_locator.py)."""
    from kb_pipeline_tests.additions.example_locator import TimeLocator

    document = read_subtitles(data, name, keep)
    place = TimeLocator(1.0, 4.0)
    sections = [msgspec.structs.replace(section, locators=(place,)) for section in document.sections]
    return msgspec.structs.replace(document, sections=tuple(sections))
