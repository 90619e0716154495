"""Chunk mode `sliding_window`: windows of so many characters over the Markdown of the text, each beginning inside the
one before (Paddle-ERNIE-RAG cuts so: 300 characters, 120 of overlap).

Windows end and begin at sentence, clause or word boundaries, run over page breaks, and leave nothing out. They end at
tables and figures, which are chunks of their own.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from kb_pipeline.chunking.objects import KINDS, has_text, is_seen, object_plans
from kb_pipeline.chunking.packing import FORMULA
from kb_pipeline.chunking.source import ChunkSource
from kb_pipeline.chunking.spans import Plan, Span
from kb_pipeline.chunking.split import Boundaries
from kb_pipeline.records import AddedKind, Section
from kb_pipeline.tokenization.graphemes import between_clusters
from kb_pipeline.tokenization.sentences import sentence_ends

FILLED = 0.6  # share of a window after which it may end at the best boundary
PARAGRAPH = "\n\n"  # between two blocks of Markdown


def plan_windows(source: ChunkSource) -> list[Plan]:
    """Plans of a document's chunks."""
    plans: list[Plan] = []
    run: list[int] = []
    for index, section in enumerate(source.sections):
        if section.role in KINDS and (section.role != FORMULA or not has_text(section)):
            lead = []
            while run and source.sections[run[-1]].level:
                lead.insert(0, run.pop())
            plans += _windows(source, run)
            run = []
            spans = [Span(i, 0, len(source.sections[i].text)) for i in lead]
            if is_seen(section):
                room = source.rooms[index]
                plans += object_plans(source.sections, index, spans, min(source.soft, room), room, source.counts)
            else:
                run = lead
        elif section.text.strip():
            run.append(index)
    return plans + _windows(source, run)


def _windows(source: ChunkSource, run: Sequence[int]) -> list[Plan]:
    """Windows over sections that follow each other; formulas among them are chunks of their own besides."""
    if not run:
        return []
    text, starts = _markdown(source.sections, run)
    size, overlap = source.settings.window, min(source.settings.window_overlap, source.settings.window // 2)
    sentence = sentence_ends(text)
    plans: list[Plan] = []
    begin = own = 0
    while own < len(text):
        end = _end(text, sentence, begin, own, size)
        plans.append(Plan("text", _spans(source.sections, run, starts, begin, own, end)))
        for k in range(bisect_left(starts, own), bisect_left(starts, end)):
            if source.sections[run[k]].role == FORMULA:
                plans.append(Plan("equation", [Span(run[k], 0, len(source.sections[run[k]].text), "formula")]))
        own, begin = end, _begin(text, sentence, begin, end, overlap)
    return [plan for plan in plans if plan.spans]


def _markdown(sections: Sequence[Section], run: Sequence[int]) -> tuple[str, list[int]]:
    """The blocks as one text, and where each block's own text starts in it."""
    blocks = [f"{'#' * s.level} {s.text}" if s.level else s.text for s in (sections[i] for i in run)]
    ends = accumulate(len(block) + len(PARAGRAPH) for block in blocks)
    starts = [end - len(PARAGRAPH) - len(sections[i].text) for end, i in zip(ends, run, strict=True)]
    return PARAGRAPH.join(blocks), starts


def _end(text: str, sentence: Sequence[int], begin: int, own: int, size: int) -> int:
    """Where a window ends: the last boundary of the best rank in its last part, else any word's end, else a cut."""
    if len(text) - begin <= size:
        return len(text)
    low, high = max(own, begin + int(FILLED * size)), begin + size
    found = _last(sentence, low, high)
    if found:
        return found
    reach = min(len(text), own + 2 * size)
    inside = Boundaries(text, own, min(high + 1, reach), reach)
    found = _last(inside.clauses, low, high) or inside.last_fine(low, high)
    found = found or inside.last_fine(own, high) or _last(inside.words, own, high)
    if found:
        return found
    words = Boundaries(text, own, reach).words
    following = words[0] if words else len(text)
    if following - own <= size:  # one word is longer than what is left: it may have a window of its own
        return following
    place = own + size
    while place > own + 1 and not between_clusters(text, place):
        place -= 1
    return place if between_clusters(text, place) else following


def _last(places: Sequence[int], low: int, high: int) -> int:
    """The last of the places that is above `low` and not above `high`, 0 for none."""
    at = bisect_right(places, high)
    return places[at - 1] if at and places[at - 1] > low else 0


def _begin(text: str, sentence: Sequence[int], begin: int, end: int, overlap: int) -> int:
    """Where the next window begins: at the first boundary of the best rank within the overlap before `end`."""
    low = max(begin + 1, end - overlap)
    at = bisect_left(sentence, low)
    if at < len(sentence) and sentence[at] < end:
        return sentence[at]
    for places in Boundaries(text, low - 1, end) if low < end else ():
        if places:
            return places[0]
    return end


def _spans(
    sections: Sequence[Section], run: Sequence[int], starts: Sequence[int], begin: int, own: int, end: int
) -> list[Span]:
    """Spans of `text[begin:end]`; what lies before `own` is overlap."""
    found: list[Span] = []
    halves: tuple[tuple[int, int, AddedKind | None], ...] = ((begin, own, "overlap"), (own, end, None))
    for k in range(max(0, bisect_right(starts, begin) - 1), bisect_left(starts, end)):
        section = sections[run[k]]
        mark = f"{'#' * section.level} " if section.level else ""
        for low, high, added in halves:
            a, b = max(low - starts[k], 0), min(high - starts[k], len(section.text))
            if a < b:
                found.append(Span(run[k], a, b, added, PARAGRAPH + mark if a == 0 else None))
    return found
