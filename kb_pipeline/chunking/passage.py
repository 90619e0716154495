"""The text that stands for a chunk in vector space, and the headings that it has room for."""

from __future__ import annotations

from collections.abc import Callable

from kb_pipeline.records import Chunk, crumb_line

CRUMBS_SHARE = 0.3  # of what the embedding model reads that headings above a chunk may take


def passage(chunk: Chunk) -> str:
    """A chunk's headings and its text; the text alone where it begins with its headings."""
    if chunk.breadcrumb and chunk.text.startswith(crumb_line(chunk.breadcrumb)):
        return chunk.text
    return "\n".join((*chunk.breadcrumb, chunk.text))


def fitting(crumbs: tuple[str, ...], max_tokens: int, count: Callable[[tuple[str, ...]], int]) -> tuple[str, ...]:
    """The headings that leave room for the text: outer ones are left out where they are too long together."""
    while crumbs and count(crumbs) > CRUMBS_SHARE * max_tokens:
        crumbs = crumbs[1:]
    return crumbs
