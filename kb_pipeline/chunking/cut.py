"""A document cut into chunks, in any of the modes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from kb_pipeline.choices import CHUNK_MODES, loaded
from kb_pipeline.chunking.children import child, pieces
from kb_pipeline.chunking.context import MARK, add_context
from kb_pipeline.chunking.counts import CountMany
from kb_pipeline.chunking.source import ChunkSource
from kb_pipeline.chunking.spans import Counted, Places, Plan, compose, trail_of
from kb_pipeline.chunking.split import halves
from kb_pipeline.records import Chunk, ParsedDocument, crumb_line
from kb_pipeline.settings import ChunkingSettings


def chunk_document(
    document: ParsedDocument, settings: ChunkingSettings, count_many: CountMany, max_tokens: int
) -> list[Chunk]:
    """Chunks of a document in reading order by the mode of the settings, children after them.

    Nothing is left out or cut off: every character of every section is in exactly one chunk, children and what a chunk
    says was added aside. Locators carry ranges of the chunk's text.

    Args:
        count_many: counts the tokens of each text.
        max_tokens: what the embedding model takes at most. No chunk and its headings together are above it, unless a
            single grapheme cluster is.
    """
    sections = document.sections
    source = ChunkSource(sections, settings, count_many, max_tokens)
    plan: Callable[[ChunkSource], list[Plan]] = loaded(CHUNK_MODES[settings.mode])
    plans = plan(source)
    add_context(plans, source)
    fitted = _within(plans, source)
    places = [Places(section) for section in sections]
    chunks = [compose(one, i, sections, places, crumbs) for i, (one, crumbs) in enumerate(fitted)]
    for parent, (counted, _) in zip(tuple(chunks), fitted, strict=True):
        children = _within(counted.plan.children, source) if counted.plan.children else []
        for row, crumbs in children:
            chunks.append(compose(row, len(chunks), sections, places, crumbs, parent.ordinal))
    return chunks + _children(chunks, settings.child_delimiters, source)


def _children(chunks: Sequence[Chunk], delimiters: tuple[str, ...], source: ChunkSource) -> list[Chunk]:
    """Pieces of text chunks between delimiters; a chunk in one piece has none."""
    if not delimiters:
        return []
    found = []
    for chunk in chunks:
        ranges = pieces(chunk.text, delimiters) if chunk.kind == "text" and chunk.parent < 0 else []
        found += [child(chunk, a, b) for a, b in ranges if len(ranges) > 1]
    counts = source.counts.texts([chunk.text for chunk in found])
    return [
        msgspec.structs.replace(chunk, ordinal=len(chunks) + i, tokens=tokens)
        for i, (chunk, tokens) in enumerate(zip(found, counts, strict=True))
    ]


# ---------------------------------------------------------------- the cap


def _within(plans: Sequence[Plan], source: ChunkSource) -> list[tuple[Counted, tuple[str, ...]]]:
    """Plans with their token counts and headings; those above what the model reads are parted until none is.

    Plans are made by sums of counts, which come near these; so few are parted here.
    """
    done: list[tuple[Counted, tuple[str, ...]]] = []
    for whole in source.counts.plans(plans):
        stack = [whole]
        while stack:
            current = stack.pop()
            crumbs = source.fitting(trail_of(current.plan, source.sections))
            fits = current.tokens <= _room(current, crumbs, source)
            parts = [current.plan] if fits else _smaller(current.plan, source)
            if parts != [current.plan]:
                stack += reversed(source.counts.plans(parts))
            elif current.tokens or current.text(source.sections):
                done.append((current, crumbs))
    return done


def _room(counted: Counted, crumbs: tuple[str, ...], source: ChunkSource) -> int:
    """Tokens that the text of a plan can have."""
    if counted.plan.crumbs and counted.text(source.sections).startswith(crumb_line(crumbs)):
        return source.max_tokens
    return source.room(crumbs)


def _smaller(plan: Plan, source: ChunkSource) -> list[Plan]:
    """A plan made smaller: what was added for context or overlap left out, else parted between its own spans, else
    within its one span under what stands above it, else without that."""
    kept = [span for span in plan.spans if span.added not in ("context", "overlap")]
    if len(kept) < len(plan.spans):
        labels = [span.before.removesuffix(MARK) for span in plan.spans if span.added == "context" and span.before]
        return [replace(plan, spans=kept, tail=plan.tail or "".join(labels))]
    own = [i for i, span in enumerate(plan.spans) if span.added is None]
    if not own:  # a formula that stands in its text, too
        own = list(range(len(plan.spans)))
    head = plan.spans[: own[0]]
    if len(own) > 1:
        middle = own[len(own) // 2 - 1] + 1
        return [
            replace(plan, spans=plan.spans[:middle], tail=""),
            replace(plan, spans=[*head, *plan.spans[middle:]], children=[]),
        ]
    if head and source.counts.spans(head) > source.max_tokens / 2:
        return [replace(plan, spans=[span._replace(before=None) for span in plan.spans[own[0] :]])]
    span = plan.spans[own[0]]
    parts = halves(source.sections[span.section].text, span.start, span.end)
    if len(parts) == 1:
        return [replace(plan, spans=[span._replace(before=None)])] if head or plan.tail else [plan]
    first, *others = [span._replace(start=a, end=b) for a, b in parts]
    return [
        replace(plan, spans=[*head, first], tail=""),
        *(replace(plan, spans=[*head, other, *plan.spans[own[0] + 1 :]], children=[]) for other in others),
    ]
