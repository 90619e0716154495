"""Text around tables, figures and formulas, at the end of their chunks and marked as such."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kb_pipeline.chunking.objects import KINDS
from kb_pipeline.chunking.source import ChunkSource
from kb_pipeline.chunking.spans import Plan, Span

MARK = "\n[context] "
MARK_TOKENS = 4


def add_context(plans: Sequence[Plan], source: ChunkSource) -> None:
    """Give every chunk of an object the sentences before and after it, up to `chunking.context_tokens` each, as far as
    its heading reaches and the chunk has room."""
    limit = source.settings.context_tokens
    if not limit:
        return
    for plan in plans:
        if plan.kind == "text":
            continue
        members = {span.section for span in plan.spans}
        objects = [i for i in members if source.sections[i].role == plan.kind]
        room = source.rooms[objects[0]] - source.counts.spans(plan.spans) - 2 * MARK_TOKENS
        preceding = (i for i in range(min(objects) - 1, -1, -1) if i not in members or source.sections[i].level)
        before = _sentences(source, preceding, min(limit, room), backwards=True)
        room -= source.counts.spans(before)
        following = range(max(objects) + 1, len(source.sections))
        after = _sentences(source, following, min(limit, room), backwards=False)
        for spans in (before, after):
            if spans:
                plan.spans += [spans[0]._replace(before=plan.tail + MARK), *spans[1:]]
                plan.tail = ""


def _sentences(source: ChunkSource, sections: Iterable[int], room: int, backwards: bool) -> list[Span]:
    """Sentences next to an object within `room` tokens, up to a heading or another object."""
    found: list[Span] = []
    for index in sections:
        section = source.sections[index]
        if section.level or section.role in KINDS:
            break
        ranges = source.counts.sentences(index, 0, len(section.text))
        for start, end in reversed(ranges) if backwards else ranges:
            tokens = source.counts.of(index, start, end) + 1
            if tokens > room:
                return found
            room -= tokens
            found.insert(0 if backwards else len(found), Span(index, start, end, "context"))
    return found
