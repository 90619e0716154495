"""Search by the names that users know: documents by path, dates by day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_pipeline.query.results import SearchResult


def search(
    name: str,
    question: str,
    top: int = 10,
    page: int = 1,
    documents: Sequence[str] = (),
    kinds: Sequence[str] = (),
    headings: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    fusion: str = "",
    near_misses: int = 0,
    neighbours: int = 0,
) -> SearchResult:
    """A page of hits of the knowledge base `name`.

    Args:
        page: from 1, of `top` hits each.
        documents: paths or ids to keep to, all for none.
        kinds, headings: see `Filters`.
        since, until: keep to documents that were added from the one on and before the other (local time).

    Raises:
        UsageError: an unknown knowledge base, document, kind or preset, or an empty question.
        IndexUnavailable, IndexRequestFailed, EndpointError.
    """
    from kb_pipeline.query import KnowledgeBase
    from kb_pipeline.query.filters import Filters

    kept = _documents(name, documents, since, until)
    filters = Filters(kept, tuple(kinds), tuple(headings))
    base = KnowledgeBase.open(name)
    return base.find(question, top, (page - 1) * top, filters, fusion, near_misses, neighbours)


def _documents(
    name: str, documents: Sequence[str], since: datetime | None, until: datetime | None
) -> tuple[str, ...] | None:
    """Ids of the documents that count, None for all."""
    if not documents and since is None and until is None:
        return None
    from kb_pipeline.stages.pipeline import open_context

    with open_context() as context:
        kb = context.catalogue.knowledge_base(name).id
        if documents:
            found = [context.catalogue.find(kb, document) for document in documents]
        else:
            found = context.catalogue.documents(kb)
    after = since.timestamp() if since else float("-inf")
    before = until.timestamp() if until else float("inf")
    return tuple(dict.fromkeys(entry.id for entry in found if after <= entry.added < before))
