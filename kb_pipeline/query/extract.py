"""Answers without a language model: the best supported sentences of the best hits, quoted and cited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kb_pipeline.query.citations import Cited, cite
from kb_pipeline.query.question import Question
from kb_pipeline.query.rescore import confidence, score_parts, total
from kb_pipeline.tokenization.sentences import sentences
from kb_pipeline.records import Answer, Hit
from kb_pipeline.tokenization.identifiers import ids
from kb_pipeline.tokenization.language import language
from kb_pipeline.tokenization.tokens import Tokenizer, tokenizer
from kb_pipeline.tokenization.weights import coverage

if TYPE_CHECKING:
    from kb_pipeline.embedding.choose import Embedder

HITS = 5  # best hits whose sentences are read
EMBEDDED = 16  # sentences whose vectors are made, about 10 ms each
QUOTED = 3  # most sentences of an answer
ADDS = 0.1  # of the question's term weight that another sentence must cover and the ones before it do not
NEAR_BEST = 0.95  # of the best sentence's support, with which another one is quoted whatever it adds
HIT_SHARE = 0.5  # of a sentence's support comes from the hit that it stands in
UNSURE = 0.3  # confidence below which the answer warns
FULL_SENTENCE = 6  # distinct terms; vectors of mere headings lie near any question, so these count for less
LEAST_CHARACTERS = 4  # of a sentence that says anything

NOTHING = {"zh": "知识库中没有找到相关内容。", "en": "Nothing in the knowledge base answers this."}
WARNING = {
    "zh": "（以下内容与问题的相关度低，可能没有回答它。）",
    "en": "(These passages match the question poorly and may not answer it.)",
}
NO_MODEL = {
    "zh": "（未设置语言模型，以上为原文摘录。）",
    "en": "(No language model is set; these are passages from the documents.)",
}


@dataclass(frozen=True, eq=False)
class _Sentence:
    """A sentence `text[start:end]` of a hit; `rank` is the hit's place, `terms` how many it has, `tokens` are fine."""

    hit: Hit
    rank: int
    start: int
    end: int
    terms: int
    tokens: frozenset[str]

    @property
    def text(self) -> str:
        return self.hit.text[self.start : self.end]


def extractive_answer(
    question: Question,
    hits: Sequence[Hit],
    embedder: Embedder,
    term_weight: float,
    words: Tokenizer | None = None,
    note: str = "",
) -> Answer:
    """The sentences that say most about the question, each quoted with its citation.

    Args:
        hits: best first.
        note: why no model wrote the answer; by default, that none is set.
    """
    if not hits:
        return Answer(NOTHING[question.language], (), 0.0, "extractive")
    chosen = _best(question, hits[:HITS], embedder, term_weight, words or tokenizer())
    sure = confidence(question, hits[0].score)
    cited = Cited()
    lines = [] if sure >= UNSURE else [WARNING[question.language]]
    for sentence in chosen:
        number = cited.number(cite(sentence.hit, sentence.start, sentence.end))
        lines.append(f"{_quoted(sentence.text, question.language)} [{number}]")
    lines.append(note or NO_MODEL[question.language])
    return Answer("\n".join(lines), cited.citations, sure, "extractive")


def _best(
    question: Question, hits: Sequence[Hit], embedder: Embedder, term_weight: float, words: Tokenizer
) -> list[_Sentence]:
    """The sentence with most support, and further ones that cover what it leaves open or say as much as it does (one
    of equal texts only). Hits stand in the order in which they were chosen, sentences of a hit in reading order."""
    found = [
        _read(hit, rank, start, end, words)
        for rank, hit in enumerate(hits)
        for start, end in sentences(hit.text)
        if end - start >= LEAST_CHARACTERS
    ] or [_read(hits[0], 0, 0, len(hits[0].text), words)]
    found.sort(key=lambda s: (-coverage(question.weights, s.tokens), s.rank, s.start))
    found = _distinct(found)[:EMBEDDED]
    vectors = embedder.embed_passages([sentence.text for sentence in found])
    support = {s: _support(question, s, v, embedder, term_weight) for s, v in zip(found, vectors, strict=True)}
    found.sort(key=lambda s: (-support[s], s.rank, s.start))
    best, *others = found
    chosen = [best]
    for sentence in sorted(others, key=lambda s: (s.rank != best.rank, -support[s], s.rank, s.start)):
        open_terms = {t: w for t, w in question.weights.items() if not any(t in s.tokens for s in chosen)}
        adds = coverage(open_terms, sentence.tokens) >= ADDS and sentence.hit.score >= NEAR_BEST * best.hit.score
        if len(chosen) < QUOTED and (adds or support[sentence] >= NEAR_BEST * support[best]):
            chosen.append(sentence)
    order = list(dict.fromkeys(sentence.rank for sentence in chosen))
    return sorted(chosen, key=lambda s: (order.index(s.rank), s.start))


def _read(hit: Hit, rank: int, start: int, end: int, words: Tokenizer) -> _Sentence:
    terms = set(words.terms(hit.text[start:end]))
    return _Sentence(hit, rank, start, end, len(terms), frozenset(t for one in terms for t in (one.token, *one.parts)))


def _support(
    question: Question, sentence: _Sentence, vector: np.ndarray, embedder: Embedder, term_weight: float
) -> float:
    """The sentence's own score by the formula of hits, mixed with that of its hit: a sentence can rely on its context
    (the drill hole is named in the heading), but must say something itself."""
    parts = score_parts(
        question,
        sentence.tokens,
        frozenset(ids(sentence.text)),
        cosine=float(np.dot(question.vector, vector)),
        offset=embedder.language_offsets.get((question.language, language(sentence.text)), 0.0),
        term_weight=term_weight,
        window=embedder.cosine_window,
    )
    parts["vector"] *= min(1.0, sentence.terms / FULL_SENTENCE)
    return (1 - HIT_SHARE) * total(parts) + HIT_SHARE * sentence.hit.score


def _distinct(found: Sequence[_Sentence]) -> list[_Sentence]:
    first: dict[str, _Sentence] = {}
    for sentence in found:
        first.setdefault("".join(sentence.text.split()), sentence)
    return list(first.values())


def _quoted(text: str, language_of_question: str) -> str:
    text = " ".join(text.split())
    return f"“{text}”" if language_of_question == "zh" else f'"{text}"'
