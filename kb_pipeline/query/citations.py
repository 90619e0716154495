"""Citations of an answer, numbered in order of appearance."""

from __future__ import annotations

from msgspec.structs import replace

from kb_pipeline.query.quotes import find_quote, places_of
from kb_pipeline.records import Citation, Hit


class Cited:
    """The citations of one answer. A passage and quote that come again keep their number."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Citation] = {}

    @property
    def citations(self) -> tuple[Citation, ...]:
        return tuple(self._found.values())

    def number(self, citation: Citation) -> int:
        """The number of a citation, counted from 1."""
        key = (citation.chunk_id, citation.quote)
        return self._found.setdefault(key, replace(citation, n=len(self._found) + 1)).n


def cite(hit: Hit, start: int, end: int) -> Citation:
    """A citation, without a number yet, of `hit.text[start:end]`: verified by how it is made."""
    places = places_of(hit.text, hit.locators, start, end)
    return Citation(0, hit.chunk_id, hit.document, hit.text[start:end], True, places, hit.source_gone)


def cite_quote(hit: Hit, quote: str) -> Citation:
    """A citation, without a number yet, of words that are said to stand in a hit.

    Where they do, white space aside, the quote is given as it stands there, with its places; where they don't, it is
    not verified and points at the whole passage.
    """
    found = find_quote(hit.text, quote)
    if found:
        return cite(hit, *found)
    places = places_of(hit.text, hit.locators, 0, len(hit.text))
    return Citation(0, hit.chunk_id, hit.document, quote, False, places, hit.source_gone)
