"""Traces: do the places that an answer shows cover the places where its evidence stands?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kb_pipeline.evaluation.measures import Places, cover, intersection_over_union, recall_at
from kb_pipeline.evaluation.questions import DIGITS, EvalQuestion, by_kind, first_rank, holds_evidence, on_page, plain
from kb_pipeline.query.quotes import find_quote, places_of
from kb_pipeline.records import Answer, Box, Citation, Hit, Locator, PageLocator, Record

DEPTH = 5  # hits among which a passage is looked for


class Traced(Record, frozen=True):
    """A question's answer against its evidence.

    `citation`: rank from 1 of the first citation on a page of the evidence, 0 for none. `quoted`: whether a citation
    of the document holds the evidence's words. `cover`, `iou`: of all places that the answer shows, against the true
    boxes, on the pages of these; `first_cover`: of the first citation alone. `passage`: rank of the first of five hits
    that holds the evidence on its page; `hit_cover`: of all that this hit shows; `passage_cover`, `passage_iou`: of the
    places of the evidence's words in it, where these are known. `first`: what the first citation quotes, `at` where.
    """

    question: str
    kind: str
    citation: int
    quoted: bool
    cover: float
    iou: float
    first_cover: float
    passage: int
    hit_cover: float
    passage_cover: float
    passage_iou: float
    first: str
    at: str


class TraceScores(Record, frozen=True):
    """Figures over the questions with boxes. `hits` are those with a citation on the right page, `passages` those with
    the evidence in one of five hits; figures `on_…` are means over these alone."""

    questions: int
    hits: int
    passages: int
    page_first: float
    page_any: float
    quoted: float
    cover: float
    first_cover: float
    cover_on_hits: float
    iou_on_hits: float
    hit_cover_on_passages: float
    cover_on_passages: float
    iou_on_passages: float


class TraceReport(Record, frozen=True):
    """Scores of a set, by kind where it names kinds, and every question."""

    scores: TraceScores
    by_kind: dict[str, TraceScores]
    traced: tuple[Traced, ...]


def trace_questions(
    questions: Iterable[EvalQuestion],
    ask: Callable[[str], Answer],
    search: Callable[[str, int], Sequence[Hit]],
) -> TraceReport:
    """Ask every question that has true boxes and compare what the answer, and what the found passage, shows with them.

    Args:
        search: from a question and a number of hits to hits, best first.
    """
    traced = [_traced(q, ask(q.question), search(q.question, DEPTH)) for q in questions if q.boxes]
    return TraceReport(_scores(traced), by_kind(traced, _scores), tuple(traced))


def shown_places(locators: Iterable[Locator]) -> Places:
    """Boxes that a trace marks."""
    return [(place.page, place.box) for place in locators if isinstance(place, PageLocator)]


def _traced(question: EvalQuestion, answer: Answer, hits: Sequence[Hit]) -> Traced:
    true = question.places
    ours = [citation for citation in answer.citations if question.document in ("", citation.document)]
    pages = {page for page, _ in true}
    shown = [place for citation in ours for place in shown_places(citation.locators) if place[0] in pages]
    right = (n for n, c in enumerate(answer.citations, 1) if c in ours and _on_page(c, question))
    first = answer.citations[0] if answer.citations else None
    passage = first_rank(hits, lambda hit: holds_evidence(hit, question) and on_page(hit, question))
    whole = shown_places(hits[passage - 1].locators) if passage else []
    marks = quote_places(hits[passage - 1], question) if passage and question.quotes else whole
    return Traced(
        question=question.question,
        kind=question.kind,
        citation=next(right, 0),
        quoted=any(plain(quote) in plain(citation.quote) for citation in ours for quote in question.quotes),
        cover=round(cover(shown, true), DIGITS),
        iou=round(intersection_over_union(shown, true), DIGITS),
        first_cover=round(cover(shown_places(first.locators), true), DIGITS) if first in ours else 0.0,
        passage=passage,
        hit_cover=round(cover(whole, true), DIGITS),
        passage_cover=round(cover(marks, true), DIGITS),
        passage_iou=round(intersection_over_union(marks, true), DIGITS),
        first=first.quote if first else "",
        at=f"{first.document} {sorted({page for page, _ in shown_places(first.locators)})}" if first else "",
    )


def quote_places(hit: Hit, question: EvalQuestion) -> Places:
    """Boxes of the evidence's words in a hit; a word that occurs more than once is taken where the true boxes are
    nearest, since the question means one of them."""
    true = question.places
    found: list[tuple[int, Box]] = []
    for quote in question.quotes:
        marks, start = [], 0
        while place := find_quote(hit.text[start:], quote):
            a, b = place[0] + start, place[1] + start
            marks.append(shown_places(places_of(hit.text, hit.locators, a, b)))
            start = b
        found += max(marks, key=lambda one: cover(one, true), default=[])
    return found


def _on_page(citation: Citation, question: EvalQuestion) -> bool:
    return any(page in question.pages for page, _ in shown_places(citation.locators))


def _scores(traced: Sequence[Traced]) -> TraceScores:
    hits = [one for one in traced if one.citation]
    passages = [one for one in traced if one.passage]
    ranks = [one.citation for one in traced]

    def mean(values: list[float]) -> float:
        return round(sum(values) / len(values), DIGITS) if values else 0.0

    return TraceScores(
        questions=len(traced),
        hits=len(hits),
        passages=len(passages),
        page_first=round(recall_at(ranks, 1), DIGITS),
        page_any=mean([float(rank > 0) for rank in ranks]),
        quoted=mean([float(one.quoted) for one in traced]),
        cover=mean([one.cover for one in traced]),
        first_cover=mean([one.first_cover for one in traced]),
        cover_on_hits=mean([one.cover for one in hits]),
        iou_on_hits=mean([one.iou for one in hits]),
        hit_cover_on_passages=mean([one.hit_cover for one in passages]),
        cover_on_passages=mean([one.passage_cover for one in passages]),
        iou_on_passages=mean([one.passage_iou for one in passages]),
    )
