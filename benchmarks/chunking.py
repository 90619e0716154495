"""Chunk modes and sizes: retrieval over question sets, and seconds a megabyte.

python benchmarks/chunking.py --data DATA --work WORK [--only general:256,manual:512] [--sets geo_zh] [--speed]

DATA holds qa/geo_zh_qa.jsonl, qa/cn_pdf_bbox_qa.jsonl, the documents that they name, and XQuAD, DRCD and CMRC 2018,
whose articles are joined to long documents. WORK keeps what is slow to make (read documents, vectors), so that another
run does not make it again.

Every chunk is scored, so figures are those of the chunks and not of an index: the default fusion's mean of the share of
the question's term weight that headings and text cover and the cosine (plus language offset) within the model's window,
and the share of the question's identifiers. A child counts as its parent. A hit is a chunk of the right document that
holds every quote of the evidence, in PDFs on its page (four questions on scans have no quote: the page alone).

`in 1500` is the share of questions whose evidence stands within the first 1,500 tokens of the best chunks, as they
would be read by a language model: it asks all sizes for the same. `tokens read` are those of the first five chunks,
mean. The second table has differences to the default over all questions, each with its 95 % interval by a paired
bootstrap over questions.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from chunking_questions import Asked, QuestionSet, question_sets
from chunking_speed import speed

from kb_pipeline.chunking.cut import chunk_document
from kb_pipeline.chunking.passage import passage
from kb_pipeline.embedding.cache import VectorCache, embed_cached
from kb_pipeline.embedding.local import LocalEmbedder
from kb_pipeline.evaluation.questions import plain
from kb_pipeline.index.vectors import query_vector, row_vector
from kb_pipeline.query.fusion import fusion
from kb_pipeline.query.question import Question, read_question
from kb_pipeline.records import Chunk, PageLocator
from kb_pipeline.settings import ChunkingSettings, QuerySettings
from kb_pipeline.storage.objects import FolderStore
from kb_pipeline.tokenization.keys import ids
from kb_pipeline.tokenization.language import language
from kb_pipeline.tokenization.tokens import tokenizer

TERM_WEIGHT = 1 - fusion(QuerySettings().fusion).vector_weight
DEPTH = 50  # chunks looked at; the reciprocal rank counts to TOP
TOP = 10
BUDGET = 1500  # tokens that are read
SAMPLES = 4000  # of the bootstrap
DEFAULT = "general:512"
VARIANTS: dict[str, dict[str, object]] = {
    "general:512": {"chunk_tokens": 512},
    "general:256": {"chunk_tokens": 256},
    "manual:512": {"mode": "manual", "chunk_tokens": 512},
    "sliding_window:300/120": {"mode": "sliding_window"},
    "general:384": {"chunk_tokens": 384},
    "manual:256": {"mode": "manual", "chunk_tokens": 256},
    "qa:512": {"mode": "qa", "chunk_tokens": 512},
    "table:512": {"mode": "table", "chunk_tokens": 512},
    "general:128": {"chunk_tokens": 128},
    "table:256": {"mode": "table", "chunk_tokens": 256},
    "general:512 context 64": {"chunk_tokens": 512, "context_tokens": 64},
    "general:512 children": {"chunk_tokens": 512, "child_delimiters": ("。", ". ", "\n")},
    "general:256 overlap 0.1": {"chunk_tokens": 256, "overlap": 0.1},
    "general:512 overlap 0.1": {"chunk_tokens": 512, "overlap": 0.1},
}


class Indexed(NamedTuple):
    """A chunk with what its score reads."""

    document: str
    chunk: Chunk
    tokens: frozenset[str]
    ids: frozenset[str]
    language: str
    plain: str
    pages: frozenset[int]


class Outcome(NamedTuple):
    """Of one question: rank of the evidence (0 for none), of its page, whether it is within the budget, tokens of the
    first five chunks."""

    rank: int
    page: int
    within: bool
    read: int


class Index:
    """Chunks that are searched together, and where each token and identifier occurs."""

    def __init__(self, chunks: list[Indexed], vectors: np.ndarray, model: LocalEmbedder):
        self.chunks, self.window = chunks, model.cosine_window
        offsets = model.language_offsets
        self.vectors = np.array(
            [row_vector(v, one.language, one.tokens, offsets) for one, v in zip(chunks, vectors, strict=True)]
        )
        self.shown = {(one.document, one.chunk.ordinal): one for one in chunks if one.chunk.parent < 0}
        self.terms = _postings([one.tokens for one in chunks])
        self.ids = _postings([one.ids for one in chunks])

    def best(self, question: Question) -> list[Indexed]:
        """The first chunks that a user sees, each once."""
        found: dict[tuple[str, int], Indexed] = {}
        for at in np.argsort(-self._scores(question), kind="stable"):
            one = self.chunks[at]
            key = one.document, one.chunk.ordinal if one.chunk.parent < 0 else one.chunk.parent
            found.setdefault(key, self.shown[key])
            if len(found) == DEPTH:
                break
        return list(found.values())

    def _scores(self, question: Question) -> np.ndarray:
        low, high = self.window
        cosine = self.vectors @ np.array(query_vector(question.vector, question.language), np.float32)
        vector = np.clip((cosine - low) / (high - low), 0, 1)
        term, named = np.zeros(len(self.chunks)), np.zeros(len(self.chunks))
        for token, weight in question.weights.items():
            term[self.terms.get(token, [])] += weight
        for one in set(question.ids):
            named[self.ids.get(one, [])] += 1 / len(question.ids)
        return TERM_WEIGHT * np.minimum(term, 1) + (1 - TERM_WEIGHT) * vector + named


def _postings(held: list[frozenset[str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, tokens in enumerate(held):
        for token in tokens:
            found.setdefault(token, []).append(at)
    return found


def indexed(name: str, chunk: Chunk) -> Indexed:
    searched = "\n".join((*chunk.breadcrumb, chunk.text))
    pages = frozenset(place.page for place in chunk.locators if isinstance(place, PageLocator))
    tokens = frozenset(tokenizer().fine(searched))
    return Indexed(name, chunk, tokens, frozenset(ids(searched)), language(chunk.text), plain(chunk.text), pages)


def outcome(hits: list[Indexed], asked: Asked) -> Outcome:
    """Where the evidence of a question came out."""
    quotes = [plain(quote) for quote in asked.quotes]
    rank = page = tokens = 0
    within = False
    for number, hit in enumerate(hits, 1):
        tokens += hit.chunk.tokens
        if hit.document != asked.document or (asked.page and asked.page not in hit.pages):
            continue
        page = page or number
        if all(quote in hit.plain for quote in quotes):
            rank, within = number, tokens <= BUDGET
            break
    return Outcome(rank, page, within, sum(hit.chunk.tokens for hit in hits[:5]))


def retrieval(options: argparse.Namespace, names: list[str]) -> None:
    model = LocalEmbedder(options.workers)
    cache = VectorCache(FolderStore(options.work / "vectors"))
    sets = question_sets(options.data, options.work, options.only_kept)
    sets = {name: sets[name] for name in options.sets.split(",")}
    questions = {a.question: read_question(a.question, model) for one in sets.values() for a in one.asked}
    print(
        "; ".join(f"{name}: {len(one.asked)} questions, {len(one.documents)} documents" for name, one in sets.items())
    )
    columns = "".join(f" {name} @1 | @5 | MRR@{TOP} | in {BUDGET} |" for name in sets)
    print(f"\n| mode:size | chunks | median tokens |{columns} tokens read |")
    print("| --- | ---: | ---: |" + " ---: |" * (columns.count("|") + 1))
    found: dict[str, dict[str, list[Outcome]]] = {}
    for name in names:
        found[name], count, sizes = {}, 0, []
        known: dict[int, Index] = {}
        for title, one in sets.items():
            index = known.get(id(one.documents)) or _index(name, one, model, cache)
            if id(one.documents) not in known:
                count += len(index.chunks)
                sizes += [chunk.chunk.tokens for chunk in index.shown.values()]
            known[id(one.documents)] = index
            found[name][title] = [outcome(index.best(questions[a.question]), a) for a in one.asked]
        cells = "".join(_cells(outcomes) for outcomes in found[name].values())
        read = statistics.mean(one.read for outcomes in found[name].values() for one in outcomes)
        print(f"| {name} | {count} | {statistics.median(sizes):.0f} |{cells} {read:.0f} |", flush=True)
    if DEFAULT in found:
        differences(found)


def _index(name: str, one: QuestionSet, model: LocalEmbedder, cache: VectorCache) -> Index:
    settings = ChunkingSettings(**VARIANTS[name])
    chunks = [
        indexed(path, chunk)
        for path, document in one.documents.items()
        for chunk in chunk_document(document, settings, model.count_many, model.max_tokens)
    ]
    vectors, _ = embed_cached(model, [passage(one.chunk) for one in chunks], cache)
    return Index(chunks, vectors, model)


def _cells(outcomes: list[Outcome]) -> str:
    figures = [np.mean([m(one) for one in outcomes]) for m in (_hit_at(1), _hit_at(5), _reciprocal, _within)]
    return "".join(f" {figure:.3f} |" for figure in figures)


def _hit_at(k: int):
    return lambda one: float(0 < one.rank <= k)


def _reciprocal(one: Outcome) -> float:
    return 1 / one.rank if 0 < one.rank <= TOP else 0.0


def _within(one: Outcome) -> float:
    return float(one.within)


def differences(found: dict[str, dict[str, list[Outcome]]]) -> None:
    """Differences of every variant to the default, by set and over all questions."""
    sets = list(found[DEFAULT])
    print(f"\n| against {DEFAULT} |" + "".join(f" {name} MRR@{TOP} | in {BUDGET} |" for name in (*sets, "all")))
    print("| --- |" + " --- |" * (2 * len(sets) + 2))
    for name, outcomes in found.items():
        if name == DEFAULT:
            continue
        cells = []
        for titles in (*([title] for title in sets), sets):
            pairs = [p for title in titles for p in zip(outcomes[title], found[DEFAULT][title], strict=True)]
            for measure in (_reciprocal, _within):
                cells.append(interval(np.array([measure(a) - measure(b) for a, b in pairs])))
        print(f"| {name} | " + " | ".join(cells) + " |")


def interval(differences: np.ndarray) -> str:
    """A mean with its 95 % interval by the bootstrap."""
    drawn = np.random.default_rng(0).integers(0, len(differences), (SAMPLES, len(differences)))
    low, high = np.percentile(differences[drawn].mean(axis=1), [2.5, 97.5])
    return f"{differences.mean():+.3f} ({low:+.3f} … {high:+.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", default=",".join(VARIANTS), help="variants, parted by commas")
    parser.add_argument("--sets", default="geo_zh,cn_pdf,articles zh,articles en")
    parser.add_argument("--workers", type=int, default=2, help="texts embedded at the same time")
    parser.add_argument("--only-kept", action="store_true", help="leave out documents that were not read yet")
    parser.add_argument("--speed", action="store_true", help="measure the speed alone")
    options = parser.parse_args()
    if options.speed:
        speed(options.data)
    else:
        retrieval(options, options.only.split(","))


if __name__ == "__main__":
    main()
