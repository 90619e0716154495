"""Filling chunks with sections up to a token limit, broken at the best natural boundary: the general rule.

Paragraphs stay whole while they fit; a chunk that is filled by more than half is closed before a paragraph that does
not fit, any other is filled up with its sentences. Headings begin a chunk rather than end it. Tables and figures are
chunks of their own and part the text; headings and short lines right before them go with them. A formula stays in
its text and is a chunk of its own besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kb_pipeline.chunking.counts import Counts
from kb_pipeline.chunking.objects import KINDS, has_text, is_seen, object_plans
from kb_pipeline.chunking.spans import Plan, Span
from kb_pipeline.chunking.split import split_long
from kb_pipeline.records import Section

FILLED = 0.5  # share of the limit from which a chunk is closed before a paragraph that does not fit, or a heading
LEAD = 0.08  # share of the limit up to which single sentences right before a table or figure go with it
FORMULA = "equation"


class Packer:
    """Fills chunks one after the other.

    Args:
        soft: tokens that a chunk should have at most.
        rooms: tokens that it can have at most, by section (what its headings leave).
        overlap: share of the limit that is repeated in the next chunk.
        rows: let each row of a table be found by itself.
    """

    def __init__(
        self,
        sections: Sequence[Section],
        counts: Counts,
        soft: int,
        rooms: Sequence[int],
        overlap: float = 0.0,
        rows: bool = False,
    ):
        self.sections, self.counts, self.soft, self.rooms = sections, counts, soft, rooms
        self.overlap, self.rows = overlap, rows
        self.plans: list[Plan] = []
        self.spans: list[Span] = []
        self.used = 0

    def add(self, index: int) -> None:
        """Take a whole section."""
        section = self.sections[index]
        if section.role in KINDS and (section.role != FORMULA or not has_text(section)):
            self._add_object(index)
        elif section.text.strip():
            self.add_span(Span(index, 0, len(section.text)))

    def add_span(self, span: Span) -> None:
        """Take part of a section."""
        if self.sections[span.section].level:
            self._add_heading(span)
        else:
            self._add_text(span)

    def close(self) -> list[Plan]:
        """End the open chunk; returns all plans so far."""
        self._close(overlap=False)
        self._close(overlap=False)  # headings that nothing follows were carried
        return self.plans

    def lead(self, headings: bool = False) -> list[Span]:
        """Take headings, or a short text, at the end out of the open chunk, and end what is left of it: they go with
        what comes next. `headings`: these only."""
        count = 0
        while count < len(self.spans) and self._is_heading(self.spans[-1 - count]):
            count += 1
        if self.used <= LEAD * self.soft and not headings and all(map(self._is_line, self.spans)):
            count = len(self.spans)
        found = self.spans[len(self.spans) - count :]
        self._forget(count)
        self._close(overlap=False)
        return [span for span in found if span.added is None]

    def _limit(self, index: int) -> int:
        return min(self.soft, self.rooms[index])

    def _add_heading(self, span: Span) -> None:
        tokens, limit = self._tokens(span), self._limit(span.section)
        if self.used > FILLED * limit or self.used + tokens >= limit:
            self._close(overlap=False)
        for piece, size in [(span, tokens)] if tokens <= limit else self._pieces(span, limit):
            self._place(piece, size, limit)

    def _add_text(self, span: Span) -> None:
        tokens, limit = self._tokens(span), self._limit(span.section)
        if self.used + tokens <= limit:
            self._take(span, tokens)
        elif tokens <= limit and self.used > FILLED * limit:
            self._close(overlap=True)
            self._place(span, tokens, limit)
        else:
            for piece, size in self._pieces(span, limit):
                self._place(piece, size, limit)

    def _add_object(self, index: int) -> None:
        if not is_seen(self.sections[index]):
            return
        lead = self.lead()
        limit, room = self._limit(index), self.rooms[index]
        self.plans += object_plans(self.sections, index, lead, limit, room, self.counts, self.rows)

    def _place(self, span: Span, tokens: int, limit: int) -> None:
        """Append a span that alone is within the limit, in a new chunk where it must be."""
        if self.used + tokens > limit and self.spans:
            self._close(overlap=not self._is_heading(span))
            if self.used + tokens > limit:  # the overlap and carried headings leave too little room
                self._drop_overlap()
        self._take(span, tokens)

    def _take(self, span: Span, tokens: int) -> None:
        self.spans.append(span)
        self.used += tokens + 1

    def _close(self, overlap: bool) -> None:
        """End the open chunk; headings at its end begin the next, and so does the overlap."""
        count = 0
        while count < len(self.spans) and self._is_heading(self.spans[-1 - count]):
            count += 1
        carried = self.spans[len(self.spans) - count :] if count < len(self.spans) else []
        self._forget(len(carried))
        closed = self.spans
        self.spans, self.used = [], 0
        if any(span.added is None for span in closed):
            self.plans += _with_formulas(closed, self.sections)
        if overlap and self.overlap and not carried:
            carried = self._tail(closed)
        for span in carried:
            self._take(span, self._tokens(span))

    def _forget(self, count: int) -> None:
        for span in self.spans[len(self.spans) - count :]:
            self.used -= self._tokens(span) + 1
        self.spans = self.spans[: len(self.spans) - count]

    def _drop_overlap(self) -> None:
        self.spans = [span for span in self.spans if span.added is None]
        self.used = self.counts.spans(self.spans)

    def _tail(self, spans: Sequence[Span]) -> list[Span]:
        """Last sentences of a chunk, within the overlap."""
        found: list[Span] = []
        room = int(self.overlap * self.soft)
        for span in reversed([span for span in spans if span.added is None]):
            if self._is_heading(span):
                break
            ranges = self.counts.sentences(span.section, span.start, span.end)
            for start, end in reversed(ranges):
                tokens = self.counts.of(span.section, start, end)
                if tokens > room:
                    return found
                room -= tokens
                found.insert(0, Span(span.section, start, end, "overlap"))
        return found

    def _pieces(self, span: Span, limit: int) -> list[tuple[Span, int]]:
        """Sentences of a span with their tokens, those above the limit parted."""
        section, count = span.section, partial(self.counts.many, span.section)
        ranges = self.counts.sentences(section, span.start, span.end)
        found: list[tuple[Span, int]] = []
        for (start, end), tokens in zip(ranges, count(ranges), strict=True):
            if tokens <= limit:
                found.append((Span(section, start, end), tokens))
            else:
                parts = split_long(self.sections[section].text, start, end, limit, count)
                found += [(Span(section, a, b), size) for (a, b), size in zip(parts, count(parts), strict=True)]
        return found

    def _tokens(self, span: Span) -> int:
        return self.counts.of(span.section, span.start, span.end)

    def _is_line(self, span: Span) -> bool:
        return self._is_heading(span) or len(self.counts.sentences(span.section, span.start, span.end)) == 1

    def _is_heading(self, span: Span) -> bool:
        return bool(self.sections[span.section].level)


def _with_formulas(spans: list[Span], sections: Sequence[Section]) -> list[Plan]:
    """A text chunk, and each formula in it once more as a chunk of its own; one formula alone is that chunk."""
    whole = [
        span
        for span in spans
        if sections[span.section].role == FORMULA and (span.start, span.end) == (0, len(sections[span.section].text))
    ]
    others = [span for span in spans if sections[span.section].role != FORMULA and not sections[span.section].level]
    if len(whole) == 1 and not others:
        return [Plan("equation", spans)]
    return [Plan("text", spans), *(Plan("equation", [span._replace(added="formula")]) for span in whole)]
