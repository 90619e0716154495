"""What a hit says, piece by piece: sentences of its text, rows of its table, each with what it relies on.

A sentence is read together with the head of its paragraph ("ZK305: …" is said once and meant for all of it), a row of a
table together with caption and headers. What is quoted is the sentence or the row alone; a question is quoted with
what answers it, since it says nothing by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb_pipeline.query.table_rows import headings_end, table_rows
from kb_pipeline.records import Hit
from kb_pipeline.tokenization.keys import ids, is_name
from kb_pipeline.tokenization.language import Language, language
from kb_pipeline.tokenization.sentences import sentences
from kb_pipeline.tokenization.tokens import Tokenizer

MIN_CHARACTERS = 4  # of a sentence that says anything
ANSWER = 200  # characters up to which sentences after a question are quoted with it, the first one in any case
QUESTION = ("?", "？")


@dataclass(frozen=True, eq=False)
class Statement:
    """`text[start:end]` of a hit.

    Attributes:
        rank: the hit's place, from 0.
        said: what is scored and shown: the sentence itself, or a table row with caption and headers.
        ids: keys that it holds; where it names nothing, the names of its paragraph's head too.
        terms: how many distinct terms `said` has.
        tokens: fine tokens of `said`.
    """

    hit: Hit
    rank: int
    start: int
    end: int
    said: str
    ids: frozenset[str]
    terms: int
    tokens: frozenset[str]
    language: Language

    @property
    def text(self) -> str:
        return self.hit.text[self.start : self.end]


def statements(hit: Hit, rank: int, words: Tokenizer) -> Iterator[Statement]:
    """Statements of a hit in reading order."""
    rows = table_rows(hit) if hit.kind == "table" else []
    if rows:
        yield from (_read(hit, rank, row.start, row.end, row.statement, words) for row in rows)
    text = hit.text[: rows[0].start] if rows else hit.text
    own = headings_end(hit)
    head, line_end = frozenset[str](), own
    found = [(max(start, own), end) for start, end in sentences(text) if end > own]
    for start, end in _with_answers(text, found):
        if end - start < MIN_CHARACTERS:
            continue
        said = text[start:end]
        if "\n" in text[line_end:start]:
            head = frozenset()
        line_end = end
        statement = _read(hit, rank, start, end, said, words, head)
        head = frozenset(filter(is_name, statement.ids))
        yield statement


def _with_answers(text: str, found: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Sentences, each question with those that follow it."""
    for place, (start, end) in enumerate(found):
        if text[start:end].endswith(QUESTION):
            for first, last in found[place + 1 :]:
                if text[first:last].endswith(QUESTION) or (end > found[place][1] and last - start > ANSWER):
                    break
                end = last
        yield start, end


def whole_passage(hit: Hit, rank: int, words: Tokenizer) -> Statement:
    """The hit as one statement."""
    return _read(hit, rank, 0, len(hit.text), hit.text, words)


def _read(
    hit: Hit, rank: int, start: int, end: int, said: str, words: Tokenizer, head: frozenset[str] = frozenset()
) -> Statement:
    terms, found = set(words.terms(said)), ids(said)
    return Statement(
        hit=hit,
        rank=rank,
        start=start,
        end=end,
        said=said,
        ids=frozenset(found) | (frozenset() if any(map(is_name, found)) else head),
        terms=len(terms),
        tokens=frozenset(token for term in terms for token in (term.token, *term.parts)),
        language=language(said),
    )
