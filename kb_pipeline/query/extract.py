"""Answers without a language model: the best supported sentences of the best hits, quoted and cited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kb_pipeline.query.citations import Cited, cite
from kb_pipeline.query.question import Question
from kb_pipeline.query.rescore import confidence, has_tier, score_parts, total
from kb_pipeline.query.statements import Statement, statements, whole_passage
from kb_pipeline.records import Answer, Hit
from kb_pipeline.tokenization.keys import is_name
from kb_pipeline.tokenization.language import language_offset
from kb_pipeline.tokenization.term_weights import coverage
from kb_pipeline.tokenization.tokens import Tokenizer, tokenizer

if TYPE_CHECKING:
    from kb_pipeline.embedding.choose import Embedder

HITS = 5  # best hits whose sentences are read
EMBEDDED = 16  # statements whose vectors are made, about 10 ms each
FOREIGN = 12  # further ones in another language than the question
QUOTED = 3  # maximum number of sentences of an answer
ADDS = 0.1  # of the question's term weight that another sentence must cover and the ones before it do not
NEAR_BEST = 0.95  # of the best sentence's support, with which another one is quoted whatever it adds
HIT_SHARE = 0.5  # of a sentence's support comes from the hit that it stands in
OTHERS_NAMED = 0.2  # most of the identifiers' part that is lost for naming others: their share of all that are named
UNSURE = 0.3  # confidence below which the answer warns
VECTOR_WEIGHT = 0.7  # of a statement's own score; the vector of a short text says less than that of a passage
FULL_SENTENCE = 6  # distinct terms; vectors of mere headings lie near any question, so these count for less

NOTHING = {"zh": "知识库中没有找到相关内容。", "en": "Nothing in the knowledge base answers this."}
WARNING = {
    "zh": "（以下内容与问题的相关度低，可能没有回答它。）",
    "en": "(These passages match the question poorly and may not answer it.)",
}
NO_MODEL = {
    "zh": "（未设置语言模型，以上为原文摘录。）",
    "en": "(No language model is set; these are passages from the documents.)",
}


def extractive_answer(
    question: Question,
    hits: Sequence[Hit],
    embedder: Embedder,
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
    chosen = _best(question, hits[:HITS], embedder, words or tokenizer())
    sure = confidence(question, hits[0].score, has_tier(hits[0]))
    cited = Cited()
    lines = [] if sure >= UNSURE else [WARNING[question.language]]
    for one in chosen:
        number = cited.number(cite(one.hit, one.start, one.end))
        lines.append(f"{_quoted(one, question.language)} [{number}]")
    lines.append(note or NO_MODEL[question.language])
    return Answer("\n".join(lines), cited.citations, sure, "extractive")


def _best(question: Question, hits: Sequence[Hit], embedder: Embedder, words: Tokenizer) -> list[Statement]:
    """The statement with most support, and further ones that cover what it leaves open or say as much as it does (one
    of equal texts only). The best comes first; then hits in the order in which they were chosen, statements of a hit in
    reading order."""
    every = [one for rank, hit in enumerate(hits) for one in statements(hit, rank, words)]
    found = _nominated(question, every) or [whole_passage(hits[0], 0, words)]
    vectors = embedder.embed_passages([one.said for one in found])
    support = {s: _support(question, s, v, embedder) for s, v in zip(found, vectors, strict=True)}
    found.sort(key=lambda s: (-support[s], s.rank, s.start))
    best, *others = found
    chosen = [best]
    for one in sorted(others, key=lambda s: (s.rank != best.rank, -support[s], s.rank, s.start)):
        open_terms = {t: w for t, w in question.weights.items() if not any(t in s.tokens for s in chosen)}
        adds = coverage(open_terms, one.tokens) >= ADDS and one.hit.score >= NEAR_BEST * best.hit.score
        near = support[one] >= NEAR_BEST * support[best] and not _says_less(question, one, best)
        if len(chosen) < QUOTED and (adds or near):
            chosen.append(one)
    order = list(dict.fromkeys(one.rank for one in chosen))
    return sorted(chosen, key=lambda s: (s is not best, order.index(s.rank), s.start))


def _says_less(question: Question, one: Statement, best: Statement) -> bool:
    """Whether a statement in another language stands beside one in the question's own that names all it asks for."""
    return bool(question.ids) and one.language != question.language == best.language and set(question.ids) <= best.ids


def _nominated(question: Question, every: Sequence[Statement]) -> list[Statement]:
    """Statements whose vectors are made: those that cover most of the question, and the first ones in another language,
    which share no word with it."""
    ordered = sorted(every, key=lambda s: (-coverage(question.weights, s.tokens), s.rank, s.start))
    distinct = {"".join(one.said.split()): one for one in reversed(ordered)}
    ordered = [one for one in ordered if distinct["".join(one.said.split())] is one]
    first = ordered[:EMBEDDED]
    foreign = [one for one in every if one.language != question.language and one in ordered[EMBEDDED:]]
    return first + foreign[:FOREIGN]


def _support(question: Question, one: Statement, vector: np.ndarray, embedder: Embedder) -> float:
    """The statement's own score by the formula of hits, mixed with that of its hit: a sentence can rely on its context
    (the drill hole is named in the heading), but must say something itself.

    Identifiers count in their own part alone, and for less where the statement names others beside those asked for:
    "between ZK305 and ZK306" says less of ZK305 than its row of a table does."""
    parts = score_parts(
        question,
        one.tokens,
        one.ids,
        cosine=float(np.dot(question.vector, vector)),
        offset=language_offset(embedder.language_offsets, question.language, one.language, one.tokens),
        vector_weight=VECTOR_WEIGHT,
        window=embedder.cosine_window,
    )
    parts["vector"] *= min(1.0, one.terms / FULL_SENTENCE)
    asked = set(filter(is_name, question.ids))
    if asked:
        names = set(filter(is_name, one.ids))
        about = len(names & asked) / len(names) if names else 1.0
        parts["id"] *= 1 - OTHERS_NAMED * (1 - about)
    return (1 - HIT_SHARE) * total(parts) + HIT_SHARE * one.hit.score


def _quoted(one: Statement, language_of_question: str) -> str:
    said = " ".join(one.said.split())
    if one.said != one.text:
        return said
    return f"“{said}”" if language_of_question == "zh" else f'"{said}"'
