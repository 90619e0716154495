"""Places in words: page, sheet and cells, paragraphs under their headings, lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kb_pipeline.records import Locator


def in_words(locators: Iterable[Locator]) -> str:
    """Places in reading order, each once, neighbours as one."""
    groups: dict[tuple[object, ...], list[Any]] = {}
    for place in locators:
        groups.setdefault((type(place), *place.surface()), []).append(place)
    return ", ".join(places[0].words(places) for places in groups.values())
