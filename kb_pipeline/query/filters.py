"""Filters of a search: which documents, kinds of chunks and headings count.

Names of files and headings are data, never parts of an expression: documents are looked up by name and filtered by
their ids; a heading goes into the expression as one JSON string, so quotes, %, _ and backslashes in it mean themselves.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from kb_pipeline.errors import UsageError
from kb_pipeline.records import ChunkKind

KINDS = get_args(ChunkKind)
_DOCUMENT = re.compile(r"[a-z0-9-]+")


@dataclass(frozen=True)
class Filters:
    """What a search is kept to; everything where nothing is named.

    Attributes:
        documents: ids; None for all, empty for none.
        kinds: `text`, `table`, `figure`, `equation`.
        headings: exact texts of headings, at any level above a chunk; one of them is enough.
    """

    documents: tuple[str, ...] | None = None
    kinds: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()

    def expression(self) -> str:
        """The filter in Milvus' language, empty for everything.

        Raises:
            UsageError: a kind that is none.
        """
        parts = []
        if self.documents is not None:
            parts.append(f"document in {any_of(self.documents, _DOCUMENT)}")
        for kind in self.kinds:
            if kind not in KINDS:
                raise UsageError(f"no kind {kind!r}", remedy=f"one of {', '.join(KINDS)}")
        if self.kinds:
            parts.append(f"kind in {json.dumps(list(self.kinds))}")
        if self.headings:
            names = json.dumps([_spelt(heading) for heading in self.headings], ensure_ascii=False)
            parts.append(f'json_contains_any(breadcrumb["l"], {names})')
        return " and ".join(parts)


EVERYTHING = Filters()


def any_of(items: Iterable[str], allowed: re.Pattern[str]) -> str:
    """A list literal of checked items: no character that an expression reads can be in it.

    Raises:
        ValueError: an item that does not match.
    """
    checked = list(items)
    for item in checked:
        if not allowed.fullmatch(item):
            raise ValueError(f"{item!r} does not match {allowed.pattern}")
    return json.dumps(checked)


def _spelt(heading: str) -> str:
    """A heading without control characters, which no heading holds and Milvus Lite cannot read."""
    return "".join(c for c in heading if unicodedata.category(c) not in ("Cc", "Cs"))
