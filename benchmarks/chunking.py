"""Chunk modes and sizes: retrieval over question sets, and seconds a megabyte.

python benchmarks/chunking.py --data DATA --work WORK [--only general:256,manual:512] [--sets geo_zh] [--speed]

DATA holds qa/geo_zh_qa.jsonl, qa/cn_pdf_bbox_qa.jsonl and the documents that they name. WORK keeps what is slow to make
(read documents, vectors), so that another run does not make it again; documents of both sets are searched together.

Every chunk is scored, so figures are those of the chunks and not of an index: the default fusion's mean of the share of
the question's term weight that headings and text cover and the cosine within the model's window, and the share of the
question's identifiers. A child counts as its parent. A hit is a chunk of the right document that holds a quote of the
evidence (in PDFs: on its page); `page` asks for the page alone. `tokens read` are those of the first five chunks, mean.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from kb_pipeline.chunking.cut import chunk_document
from kb_pipeline.chunking.passage import passage
from kb_pipeline.embedding.cache import VectorCache, embed_cached
from kb_pipeline.embedding.local import LocalEmbedder
from kb_pipeline.evaluation.measures import mean_reciprocal_rank, recall_at
from kb_pipeline.evaluation.questions import plain
from kb_pipeline.operations.parse import parse
from kb_pipeline.query.fusion import fusion
from kb_pipeline.query.question import Question, read_question
from kb_pipeline.records import CharacterSum, Chunk, PageLocator, ParsedDocument, Section, decode, encode
from kb_pipeline.settings import ChunkingSettings, QuerySettings, Settings
from kb_pipeline.storage.objects import FolderStore
from kb_pipeline.tokenization.identifiers import ids
from kb_pipeline.tokenization.tokens import tokenizer
from kb_pipeline.tokenization.weights import coverage

TERM_WEIGHT = 1 - fusion(QuerySettings().fusion).vector_weight
DEPTH = 10
MEGABYTE = 1_000_000
VARIANTS: dict[str, dict[str, object]] = {
    "general:128": {"chunk_tokens": 128},
    "general:256": {"chunk_tokens": 256},
    "general:512": {"chunk_tokens": 512},
    "general:256 overlap 0.1": {"chunk_tokens": 256, "overlap": 0.1},
    "general:512 overlap 0.1": {"chunk_tokens": 512, "overlap": 0.1},
    "general:512 context 64": {"chunk_tokens": 512, "context_tokens": 64},
    "general:512 children": {"chunk_tokens": 512, "child_delimiters": ("。", "\n")},
    "table:512": {"mode": "table", "chunk_tokens": 512},
    "manual:256": {"mode": "manual", "chunk_tokens": 256},
    "manual:512": {"mode": "manual", "chunk_tokens": 512},
    "qa:512": {"mode": "qa", "chunk_tokens": 512},
    "sliding_window:300/120": {"mode": "sliding_window"},
}


class Asked(NamedTuple):
    """A question, where its evidence stands, and its words; `page` 0 for documents without pages."""

    question: str
    document: str
    page: int
    quotes: tuple[str, ...]


class Indexed(NamedTuple):
    """A chunk with what its score reads."""

    document: str
    chunk: Chunk
    tokens: frozenset[str]
    ids: frozenset[str]
    plain: str
    pages: frozenset[int]


def question_sets(data: Path) -> dict[str, list[Asked]]:
    """Both sets; only questions whose documents are there."""
    sets: dict[str, list[Asked]] = {"geo_zh": [], "cn_pdf": []}
    for line in (data / "qa/geo_zh_qa.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        sets["geo_zh"].append(Asked(one["question"], one["doc"], 0, (one["evidence_quote"],)))
    for line in (data / "qa/cn_pdf_bbox_qa.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        quotes = tuple(evidence["quote"] for evidence in one["evidence"] if evidence.get("quote"))
        sets["cn_pdf"].append(Asked(one["question"], one["pdf"], one["page"], quotes))
    return sets


def read_document(data: Path, work: Path, name: str, only_kept: bool) -> ParsedDocument | None:
    """The document as `kb parse` gives it, kept in the work folder."""
    kept = work / "parsed" / (name.replace("/", "__") + ".json")
    if not kept.exists():
        if only_kept:
            return None
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(encode(parse(str(data / name), Settings())))
    return decode(kept.read_bytes(), ParsedDocument)


def indexed(name: str, chunk: Chunk) -> Indexed:
    searched = "\n".join((*chunk.breadcrumb, chunk.text))
    pages = frozenset(place.page for place in chunk.locators if isinstance(place, PageLocator))
    tokens = frozenset(tokenizer().fine(searched))
    return Indexed(name, chunk, tokens, frozenset(ids(searched)), plain(chunk.text), pages)


def scores(question: Question, chunks: list[Indexed], vectors: np.ndarray, window: tuple[float, float]) -> np.ndarray:
    """The score of every chunk."""
    low, high = window
    vector = np.clip((vectors @ question.vector - low) / (high - low), 0, 1)
    term = np.array([coverage(question.weights, chunk.tokens) for chunk in chunks])
    named = np.array([len(chunk.ids.intersection(question.ids)) / max(1, len(question.ids)) for chunk in chunks])
    return TERM_WEIGHT * term + (1 - TERM_WEIGHT) * vector + named


def best(order: np.ndarray, chunks: list[Indexed], shown: dict[tuple[str, int], Indexed]) -> list[Indexed]:
    """The first chunks that a user sees, each once."""
    found: dict[tuple[str, int], Indexed] = {}
    for at in order:
        one = chunks[at]
        key = one.document, one.chunk.ordinal if one.chunk.parent < 0 else one.chunk.parent
        found.setdefault(key, shown[key])
        if len(found) == DEPTH:
            break
    return list(found.values())


def rank(hits: list[Indexed], asked: Asked, quoted: bool) -> int:
    """Rank of the first hit with the evidence, or on its page; 0 for none."""
    for number, hit in enumerate(hits, 1):
        right = hit.document == asked.document and (not asked.page or asked.page in hit.pages)
        if right and (not quoted or not asked.quotes or any(plain(quote) in hit.plain for quote in asked.quotes)):
            return number
    return 0


def retrieval(options: argparse.Namespace, names: list[str]) -> None:
    model = LocalEmbedder(options.workers)
    cache = VectorCache(FolderStore(options.work / "vectors"))
    sets = {name: asked for name, asked in question_sets(options.data).items() if name in options.sets.split(",")}
    wanted = sorted({asked.document for questions in sets.values() for asked in questions})
    read = {name: read_document(options.data, options.work, name, options.only_kept) for name in wanted}
    documents = {name: document for name, document in read.items() if document}
    sets = {name: [asked for asked in questions if asked.document in documents] for name, questions in sets.items()}
    read_questions = {a.question: read_question(a.question, model) for questions in sets.values() for a in questions}
    print(
        f"{len(documents)} documents; " + ", ".join(f"{name}: {len(asked)} questions" for name, asked in sets.items())
    )
    columns = " | ".join(f"{name} hit@1 | @5 | MRR@10" + (" | page@5" if name == "cn_pdf" else "") for name in sets)
    print(f"\n| mode:size | chunks | median tokens | {columns} | tokens read |")
    print("| --- | ---: | ---: |" + " ---: |" * (columns.count("|") + 1) + " ---: |")
    for name in names:
        settings = ChunkingSettings(**VARIANTS[name])
        chunks = [
            indexed(path, chunk)
            for path, document in documents.items()
            for chunk in chunk_document(document, settings, model.count_many, model.max_tokens)
        ]
        vectors, _ = embed_cached(model, [passage(one.chunk) for one in chunks], cache)
        shown = {(one.document, one.chunk.ordinal): one for one in chunks if one.chunk.parent < 0}
        cells, read_tokens = [], []
        for questions in sets.values():
            ranks, pages = [], []
            for asked in questions:
                question = read_questions[asked.question]
                order = np.argsort(-scores(question, chunks, vectors, model.cosine_window), kind="stable")
                hits = best(order, chunks, shown)
                ranks.append(rank(hits, asked, quoted=True))
                pages.append(rank(hits, asked, quoted=False))
                read_tokens.append(sum(hit.chunk.tokens for hit in hits[:5]))
            cells += [recall_at(ranks, 1), recall_at(ranks, 5), mean_reciprocal_rank(ranks, DEPTH)]
            cells += [recall_at(pages, 5)] if any(asked.page for asked in questions) else []
        median = statistics.median(one.chunk.tokens for one in shown.values())
        figures = " | ".join(f"{cell:.3f}" for cell in cells)
        print(f"| {name} | {len(chunks)} | {median:.0f} | {figures} | {statistics.mean(read_tokens):.0f} |", flush=True)


def speed(options: argparse.Namespace) -> None:
    """Seconds for a megabyte of Chinese paragraphs, and for the same as one section."""
    paragraphs = [
        line
        for path in sorted((options.data / "qa/geo_zh").glob("*.md"))
        for line in path.read_text("utf-8").splitlines()
        if line.strip()
    ]
    texts: list[str] = []
    size = 0
    while size < MEGABYTE:
        texts.append(paragraphs[len(texts) % len(paragraphs)])
        size += len(texts[-1].encode())
    model = LocalEmbedder()
    model.count_many(texts)
    print(
        "\n| 1 MB as | mode | chunks | seconds of CPU | of that, counting it once |\n| --- | --- | ---: | ---: | ---: |"
    )
    for form, parts in (("paragraphs", texts), ("one section", ["".join(texts)])):
        sections = tuple(Section(f"s{i}", "text", text) for i, text in enumerate(parts))
        document = ParsedDocument((), sections, (), CharacterSum(0, 0, {}))
        start = time.process_time()
        model.count_many(parts)
        counting = time.process_time() - start
        for mode in ("general", "qa", "table", "manual", "sliding_window"):
            start = time.process_time()
            chunks = chunk_document(document, ChunkingSettings(mode=mode), model.count_many, model.max_tokens)
            seconds = time.process_time() - start
            print(f"| {form} | {mode} | {len(chunks)} | {seconds:.2f} | {counting:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", default=",".join(VARIANTS), help="variants, parted by commas")
    parser.add_argument("--sets", default="geo_zh,cn_pdf")
    parser.add_argument("--workers", type=int, default=2, help="texts embedded at the same time")
    parser.add_argument("--only-kept", action="store_true", help="leave out documents that were not read yet")
    parser.add_argument("--speed", action="store_true", help="measure the speed alone")
    options = parser.parse_args()
    if options.speed:
        speed(options)
    else:
        retrieval(options, options.only.split(","))


if __name__ == "__main__":
    main()
