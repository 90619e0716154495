"""Question sets of benchmarks/chunking.py, and the documents that they ask of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kb_pipeline.formats.markdown.read import read_markdown
from kb_pipeline.operations.parse import parse
from kb_pipeline.records import ParsedDocument, decode, encode
from kb_pipeline.settings import Settings
from kb_pipeline.tokenization.sentences import sentences

ARTICLES = {  # reading sets: files, and how many of their paragraphs are taken
    "articles zh": (("xquad/xquad.zh.half.json", 120), ("DRCD_test_25.json", 116), ("cmrc2018_trial.json", 128)),
    "articles en": (("xquad/xquad.en.half.json", 120),),
}
PARAGRAPHS = 40  # of a document made of articles, at least
QUOTE = 120  # longest quote, in characters around the answer


class Asked(NamedTuple):
    """A question and where its evidence stands: `page` 0 for documents without pages; each quote will do."""

    question: str
    document: str
    page: int
    quotes: tuple[str, ...]


class QuestionSet(NamedTuple):
    """Questions whose documents are searched together."""

    asked: list[Asked]
    documents: dict[str, ParsedDocument]


def question_sets(data: Path, work: Path, only_kept: bool) -> dict[str, QuestionSet]:
    """All sets. Geology papers and PDFs are searched together, articles of a language by themselves, as XQuAD has the
    same text in both languages."""
    papers = [
        Asked(one["question"], one["doc"], 0, (one["evidence_quote"],)) for one in _lines(data / "qa/geo_zh_qa.jsonl")
    ]
    pdfs = [
        Asked(one["question"], one["pdf"], one["page"], tuple(e["quote"] for e in one["evidence"] if e.get("quote")))
        for one in _lines(data / "qa/cn_pdf_bbox_qa.jsonl")
    ]
    read = {name: _read(data, work, name, only_kept) for name in sorted({asked.document for asked in papers + pdfs})}
    documents = {name: document for name, document in read.items() if document}
    found = {
        name: QuestionSet([one for one in asked if one.document in documents], documents)
        for name, asked in (("geo_zh", papers), ("cn_pdf", pdfs))
    }
    for name, parts in ARTICLES.items():
        asked, texts = [], {}
        for file, paragraphs in parts:
            for number, (text, questions) in enumerate(_documents(data / "qa" / file, paragraphs), 1):
                document = f"{file}/{number}.md"
                texts[document] = read_markdown(text.encode(), document)
                asked += [Asked(question, document, 0, (quote,)) for question, quote in questions]
        found[name] = QuestionSet(asked, texts)
    return found


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _read(data: Path, work: Path, name: str, only_kept: bool) -> ParsedDocument | None:
    """The document as `kb parse` gives it, kept in the work folder."""
    kept = work / "parsed" / (name.replace("/", "__") + ".json")
    if not kept.exists():
        if only_kept:
            return None
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(encode(parse(str(data / name), Settings())))
    return decode(kept.read_bytes(), ParsedDocument)


def _documents(path: Path, paragraphs: int) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Whole articles in SQuAD's form, joined to Markdown of at least so many paragraphs, with (question, quote)."""
    blocks: list[str] = []
    questions: list[tuple[str, str]] = []
    held = 0
    for article in json.loads(path.read_text("utf-8"))["data"]:
        if paragraphs <= 0:
            break
        taken = article["paragraphs"][:paragraphs]
        paragraphs -= len(taken)
        held += len(taken)
        blocks.append(f"# {article['title'].replace('_', ' ')}")
        for paragraph in taken:
            text = " ".join(paragraph["context"].split())
            blocks.append(text)
            for one in paragraph["qas"]:
                questions.append((one["question"], _quote(text, " ".join(one["answers"][0]["text"].split()))))
        if held >= PARAGRAPHS:
            yield "\n\n".join(blocks), questions
            blocks, questions, held = [], [], 0
    if blocks:
        yield "\n\n".join(blocks), questions


def _quote(text: str, answer: str) -> str:
    """The sentence with the answer, cut to what is around it."""
    at = max(0, text.find(answer))
    start, end = next(((a, b) for a, b in sentences(text) if a <= at < b), (at, at + len(answer)))
    room = max(0, QUOTE - len(answer)) // 2
    return text[max(start, at - room) : min(max(end, at + len(answer)), at + len(answer) + room)]
