"""Chunk mode `general`: sections packed up to a token limit, broken at the best natural boundary.

Paragraphs stay whole while they fit; a chunk that is filled by more than half is closed before a paragraph that does
not fit, any other is filled up with its sentences. Headings begin a chunk rather than end it. Tables, figures and
formulas are chunks of their own; the text around them goes on in one chunk, which then stands before them, until it
is half full or the next heading comes.
Nothing is left out or cut off: every character of every section is in exactly one chunk, overlap and repeated header
rows aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kb_pipeline.chunking.objects import KINDS, object_plans
from kb_pipeline.chunking.spans import Places, Plan, Span, compose, plan_text
from kb_pipeline.chunking.split import CountMany, halves, split_long
from kb_pipeline.records import Chunk, ParsedDocument, Section
from kb_pipeline.settings import ChunkingSettings
from kb_pipeline.tokenization.sentences import sentence_ends

FILLED = 0.5  # share of the limit from which a chunk is closed before a paragraph that does not fit, or a heading


def chunk_general(
    document: ParsedDocument, settings: ChunkingSettings, count_many: CountMany, max_tokens: int
) -> list[Chunk]:
    """Chunks of a document in reading order.

    `count_many` counts the tokens of each text; `max_tokens` is what the embedding model takes at most. No chunk is
    above it, unless a single grapheme cluster is. Locators carry ranges of the chunk's text.
    """
    sections = document.sections
    plans = plan_chunks(sections, settings, count_many, max_tokens)
    plans, counts = _within(plans, sections, count_many, max_tokens)
    places = [Places(section) for section in sections]
    return [
        compose(plan, ordinal, tokens, sections, places)
        for ordinal, (plan, tokens) in enumerate(zip(plans, counts, strict=True))
    ]


def plan_chunks(
    sections: Sequence[Section], settings: ChunkingSettings, count_many: CountMany, max_tokens: int
) -> list[Plan]:
    """Which spans of which sections make which chunk; by sums of token counts, which come near the joined text's."""
    limit = min(settings.chunk_tokens, max_tokens)
    packer = Packer(sections, limit, int(settings.overlap * limit), count_many)
    counts = count_many([section.text for section in sections]) if sections else []
    for index, (section, tokens) in enumerate(zip(sections, counts, strict=True)):
        if not section.text.strip():
            continue
        if section.role in KINDS:
            packer.add_object(index, tokens)
        elif section.level:
            packer.add_heading(index, tokens)
        else:
            packer.add_paragraph(index, tokens)
    return packer.finish()


class Packer:
    """Fills chunks one after the other. `limit` and `overlap` in tokens."""

    def __init__(self, sections: Sequence[Section], limit: int, overlap: int, count_many: CountMany):
        self.sections, self.limit, self.overlap, self.count_many = sections, limit, overlap, count_many
        self.plans: list[Plan] = []
        self.waiting: list[Plan] = []  # objects inside the text of the open chunk
        self.spans: list[Span] = []
        self.used = 0

    def add_heading(self, index: int, tokens: int) -> None:
        full = self.used > FILLED * self.limit or self.used + tokens >= self.limit
        if full or self.waiting:  # text around an object ends with the object's own heading
            self._close(overlap=False)
        for span in self._pieces(index, tokens):
            self._place(span)

    def add_paragraph(self, index: int, tokens: int) -> None:
        whole = Span(index, 0, len(self.sections[index].text), tokens)
        if self.used + tokens <= self.limit:
            self._take(whole)
        elif tokens <= self.limit and self.used > FILLED * self.limit:
            self._close(overlap=True)
            self._place(whole)
        else:
            for span in self._sentences(whole):
                self._place(span)

    def add_object(self, index: int, tokens: int) -> None:
        headings = self._trailing_headings()
        if headings:
            self._forget(len(headings))
        if self.used > FILLED * self.limit:
            self._close(overlap=False)
        plans = object_plans(self.sections, index, tokens, headings, self.limit, self.count_many)
        if self.spans:
            self.waiting += plans
        else:
            self.plans += plans

    def finish(self) -> list[Plan]:
        self._close(overlap=False)
        self._close(overlap=False)  # headings that nothing follows were carried
        return [plan for plan in self.plans if plan.own]

    def _place(self, span: Span) -> None:
        """Append a span that alone is within the limit, in a new chunk where it must be."""
        if self.used + span.tokens > self.limit and self.spans:
            self._close(overlap=not self.sections[span.section].level)
            if self.used + span.tokens > self.limit:  # the overlap and carried headings leave too little room
                self._drop_overlap()
        self._take(span)

    def _take(self, span: Span) -> None:
        self.spans.append(span)
        self.used += span.tokens + 1

    def _close(self, overlap: bool) -> None:
        """End the open chunk; headings at its end begin the next, and so does the overlap."""
        carried = self._trailing_headings()
        if len(carried) == len(self.spans):
            carried = []
        self._forget(len(carried))
        closed = self.spans
        if closed:
            self.plans.append(Plan("text", closed))
        self.plans += self.waiting
        self.waiting, self.spans, self.used = [], [], 0
        if overlap and self.overlap and not carried:
            for span in self._tail(closed):
                self._take(span)
        for span in carried:
            self._take(span)

    def _trailing_headings(self) -> list[Span]:
        count = 0
        while count < len(self.spans) and self.sections[self.spans[-1 - count].section].level:
            count += 1
        return self.spans[len(self.spans) - count :]

    def _forget(self, count: int) -> None:
        for span in self.spans[len(self.spans) - count :]:
            self.used -= span.tokens + 1
        self.spans = self.spans[: len(self.spans) - count]

    def _drop_overlap(self) -> None:
        self.spans = [span for span in self.spans if not span.repeated]
        self.used = sum(span.tokens + 1 for span in self.spans)

    def _tail(self, spans: Sequence[Span]) -> list[Span]:
        """Last sentences of a chunk, within the overlap."""
        found: list[Span] = []
        room = self.overlap
        for span in reversed([span for span in spans if not span.repeated]):
            if self.sections[span.section].level:
                break
            for sentence in reversed(self._cut(span)):
                if sentence.tokens > room:
                    return found
                room -= sentence.tokens
                found.insert(0, replace(sentence, repeated=True))
        return found

    def _cut(self, span: Span) -> list[Span]:
        """Sentences of a span."""
        text = self.sections[span.section].text
        ends = sentence_ends(text, span.start, span.end)
        return self._counted(span.section, list(zip([span.start, *ends[:-1]], ends, strict=True)))

    def _sentences(self, span: Span) -> list[Span]:
        """Sentences of a span, those above the limit parted."""
        text = self.sections[span.section].text
        return self._counted(span.section, split_long(text, span.start, span.end, self.limit, self.count_many))

    def _pieces(self, index: int, tokens: int) -> list[Span]:
        whole = Span(index, 0, len(self.sections[index].text), tokens)
        return [whole] if tokens <= self.limit else self._sentences(whole)

    def _counted(self, index: int, ranges: Sequence[tuple[int, int]]) -> list[Span]:
        text = self.sections[index].text
        counts = self.count_many([text[a:b] for a, b in ranges])
        return [Span(index, a, b, n) for (a, b), n in zip(ranges, counts, strict=True)]


def _within(
    plans: Sequence[Plan], sections: Sequence[Section], count_many: CountMany, max_tokens: int
) -> tuple[list[Plan], list[int]]:
    """Plans with the token counts of their joined texts, those above `max_tokens` parted until none is."""
    done: list[tuple[Plan, int]] = []
    todo = [plan for plan in plans if plan_text(plan, sections)]
    counts = count_many([plan_text(plan, sections) for plan in todo]) if todo else []
    for plan, tokens in zip(todo, counts, strict=True):
        stack = [(plan, tokens)]
        while stack:
            current, count = stack.pop()
            parts = _smaller(current, sections) if count > max_tokens else [current]
            parts = [part for part in parts if plan_text(part, sections)]
            if parts == [current] or not parts:
                done.append((current, count))
                continue
            recount = count_many([plan_text(part, sections) for part in parts])
            stack += reversed(list(zip(parts, recount, strict=True)))
    return [plan for plan, _ in done], [count for _, count in done]


def _smaller(plan: Plan, sections: Sequence[Section]) -> list[Plan]:
    """A plan made smaller: repeated spans left out, else parted between spans, else within its one span."""
    own = plan.own
    if len(own) < len(plan.spans):
        return [Plan(plan.kind, own)]
    if len(own) > 1:
        middle = len(own) // 2
        return [Plan(plan.kind, own[:middle]), Plan(plan.kind, own[middle:])]
    span = own[0]
    parts = halves(sections[span.section].text, span.start, span.end)
    return [Plan(plan.kind, [replace(span, start=a, end=b)]) for a, b in parts] if len(parts) > 1 else [plan]
