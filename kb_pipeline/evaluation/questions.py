"""Question sets: questions whose evidence is known, asked, and where the evidence came out.

A set is a file of JSON lines. `question` is required; the rest says where its evidence stands, as far as it is known:

    {"question": "…", "document": "a.pdf", "page": 7, "quote": "0.47", "boxes": [[7, 336.2, 612.2, 353.8, 621.8]]}

`document`: path within the knowledge base. `page` (from 1) and `quote` may be lists: pages of which each will do,
quotes of which each will do. `boxes`: `[page, x0, top, x1, bottom]` in points of the displayed page, origin top left.
`kind` groups questions in the report. Other keys are kept out of it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from kb_pipeline.errors import UsageError
from kb_pipeline.evaluation.measures import mean_reciprocal_rank, ndcg_at, recall_at
from kb_pipeline.records import Box, Hit, PageLocator, Record
from kb_pipeline.tokenization.normalise import normalised

DEPTH = 10  # hits looked at
DIGITS = 4


class OfKind(Protocol):
    """What came of a question of some kind."""

    @property
    def kind(self) -> str: ...


Result = TypeVar("Result", bound=OfKind)
Scores = TypeVar("Scores")


class EvalQuestion(Record, frozen=True):
    """A question with what is known of its evidence."""

    question: str
    document: str = ""
    page: int | tuple[int, ...] | None = None
    quote: str | tuple[str, ...] | None = None
    boxes: tuple[tuple[int, float, float, float, float], ...] = ()
    kind: str = ""

    @property
    def pages(self) -> tuple[int, ...]:
        """Pages that hold the evidence."""
        pages = self.page if isinstance(self.page, tuple) else (self.page,)
        return tuple(page for page in pages if page) or tuple(dict.fromkeys(box[0] for box in self.boxes))

    @property
    def places(self) -> list[tuple[int, Box]]:
        """Pages and boxes where the evidence stands."""
        return [(page, (x0, top, x1, bottom)) for page, x0, top, x1, bottom in self.boxes]

    @property
    def quotes(self) -> tuple[str, ...]:
        """Words that the evidence consists of."""
        quotes = self.quote if isinstance(self.quote, tuple) else (self.quote,)
        return tuple(quote for quote in quotes if quote and quote.strip())


class Asked(Record, frozen=True):
    """A question and the ranks (from 1, 0 for none) of the first hit that holds its evidence, and that is on its
    page."""

    question: str
    kind: str
    rank: int
    page_rank: int
    seconds: float


class QuestionScores(Record, frozen=True):
    """Figures over a question set: of passages that hold the evidence, and of its page (over questions that name
    one); `seconds` is the median of a search."""

    questions: int
    recall_at_1: float
    recall_at_5: float
    recall_at_10: float
    mrr_at_10: float
    ndcg_at_10: float
    page_hit_at_1: float
    page_hit_at_5: float
    page_hit_at_10: float
    with_page: int
    seconds: float


class QuestionReport(Record, frozen=True):
    """Scores of a set, by kind where it names kinds, and every question."""

    scores: QuestionScores
    by_kind: dict[str, QuestionScores]
    asked: tuple[Asked, ...]


def read_questions(path: Path) -> list[EvalQuestion]:
    """The questions of a file of JSON lines.

    Raises:
        UsageError: the file or a line of it cannot be read; the message names the line.
    """
    found = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}", remedy="give a file of JSON lines") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(msgspec.json.decode(line, type=EvalQuestion))
            except (msgspec.DecodeError, msgspec.ValidationError) as error:
                remedy = 'each line is an object such as {"question": "…", "document": "a.pdf", "page": 7}'
                raise UsageError(f"{path}, line {number}: {error}", remedy=remedy) from error
    if not found:
        raise UsageError(f"{path} holds no question", remedy="give a file of JSON lines")
    return found


def ask_questions(questions: Iterable[EvalQuestion], search: Callable[[str, int], Sequence[Hit]]) -> QuestionReport:
    """Search for every question and say where its evidence came out.

    Args:
        search: from a question and a number of hits to hits, best first.
    """
    asked = []
    for question in questions:
        start = time.perf_counter()
        hits = search(question.question, DEPTH)
        seconds = time.perf_counter() - start
        rank = first_rank(hits, lambda hit, q=question: holds_evidence(hit, q))
        page_rank = first_rank(hits, lambda hit, q=question: on_page(hit, q)) if question.pages else -1
        asked.append(Asked(question.question, question.kind, rank, page_rank, round(seconds, DIGITS)))
    return QuestionReport(_scores(asked), by_kind(asked, _scores), tuple(asked))


def by_kind(results: Sequence[Result], scores: Callable[[Sequence[Result]], Scores]) -> dict[str, Scores]:
    """Scores of the questions of each kind, where kinds are named."""
    kinds = sorted({one.kind for one in results if one.kind})
    return {kind: scores([one for one in results if one.kind == kind]) for kind in kinds}


def first_rank(hits: Sequence[Hit], is_right: Callable[[Hit], bool]) -> int:
    """Rank from 1 of the first hit that is right, 0 for none."""
    return next((rank for rank, hit in enumerate(hits, 1) if is_right(hit)), 0)


def holds_evidence(hit: Hit, question: EvalQuestion) -> bool:
    """Whether a hit holds the evidence: one of the quotes, white space, bars between cells and width of characters
    aside; where there is none, whether it is on the page, or else of the document."""
    if question.document and hit.document != question.document:
        return False
    if question.quotes:
        text = plain(hit.text)
        return any(plain(quote) in text for quote in question.quotes)
    return on_page(hit, question) if question.pages else True


def on_page(hit: Hit, question: EvalQuestion) -> bool:
    """Whether part of a hit stands on a page that holds the evidence."""
    if question.document and hit.document != question.document:
        return False
    return any(isinstance(place, PageLocator) and place.page in question.pages for place in hit.locators)


def plain(text: str) -> str:
    """Text in one spelling, without white space and the bars between cells."""
    return "".join(normalised(text).lower().replace("|", "").split())


def _scores(asked: Sequence[Asked]) -> QuestionScores:
    ranks = [one.rank for one in asked]
    pages = [one.page_rank for one in asked if one.page_rank >= 0]
    return QuestionScores(
        questions=len(asked),
        recall_at_1=round(recall_at(ranks, 1), DIGITS),
        recall_at_5=round(recall_at(ranks, 5), DIGITS),
        recall_at_10=round(recall_at(ranks, 10), DIGITS),
        mrr_at_10=round(mean_reciprocal_rank(ranks, 10), DIGITS),
        ndcg_at_10=round(ndcg_at(ranks, 10), DIGITS),
        page_hit_at_1=round(recall_at(pages, 1), DIGITS),
        page_hit_at_5=round(recall_at(pages, 5), DIGITS),
        page_hit_at_10=round(recall_at(pages, 10), DIGITS),
        with_page=len(pages),
        seconds=statistics.median(one.seconds for one in asked) if asked else 0.0,
    )
