"""Quality and latency of retrieval, every preset of fusion beside the others, through the product's own code.

    python benchmarks/retrieval.py --data DIR --home DIR --sets xquad,mixed,cmrc,drcd,ids
    python benchmarks/retrieval.py --data DIR --home DIR --sets ids,latency --others 100000

DIR/qa holds xquad/xquad.{zh,en}.half.json, cmrc2018_trial.json and DRCD_test_25.json (SQuAD form). Paragraphs are
chunks of documents in Milvus Lite, questions go through `KnowledgeBase.find`. The home keeps vectors and collections
between runs. Prints Markdown tables: nDCG@10 of each set and preset; recall@10 across languages; first hits of fifty
passages
that differ in an identifier only; latency beside the bare hybrid request on the same rows.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

PRESETS = ("windowed", "weighted", "rrf", "rrf-4-1", "vector", "full-text")
RULES = ("windowed + rules", "rrf-4-1 + rules")
SEED = 7
DEPTH = 10


class Model:
    """The product's embedding model; a question's vector is made once, whatever presets are asked."""

    def __init__(self, home: Path):
        from kb_pipeline.embedding.cache import VectorCache
        from kb_pipeline.embedding.local import LocalEmbedder
        from kb_pipeline.storage.objects import FolderStore

        self.inner = LocalEmbedder(len(os.sched_getaffinity(0)))
        self.dimension, self.cosine_window = self.inner.dimension, self.inner.cosine_window
        self.language_offsets, self.max_tokens = self.inner.language_offsets, self.inner.max_tokens
        self.cache = VectorCache(FolderStore(home / "vectors"), "passages")
        self.asked: dict[str, np.ndarray] = {}

    @property
    def model_id(self) -> str:
        return self.inner.model_id

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        from kb_pipeline.embedding.cache import embed_cached

        return np.asarray(embed_cached(self.inner, list(texts), self.cache)[0], np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        if text not in self.asked:
            self.asked[text] = self.inner.embed_query(text)
        return self.asked[text]


class Base:
    """A knowledge base whose pointers are kept in memory."""

    def __init__(self, home: Path, name: str, model: Model):
        from kb_pipeline.index.collections import ensure_collection
        from kb_pipeline.index.connect import connect
        from kb_pipeline.settings import IndexSettings

        self.home, self.name, self.model = home, f"kbn_{name}", model
        self.connect = lambda: connect(IndexSettings(), home / "index")
        self.client = self.connect()
        self.versions: dict[str, str] = {}
        ensure_collection(self.client, self.name, model.dimension)

    def put(self, document: str, texts: Sequence[str], vectors: np.ndarray | None = None) -> list[str]:
        """Write a document's chunks, unless they are there; returns their ids."""
        from kb_pipeline.index.rows import write_document
        from kb_pipeline.index.vectors import Vectors
        from kb_pipeline.records import Chunk

        chunks = [Chunk(i, "text", text, (), 0, (), ()) for i, text in enumerate(texts)]
        vectors = self.model.embed_passages(texts) if vectors is None else vectors
        made = Vectors(vectors, {}, self.model.language_offsets)
        rows = write_document(self.client, self.name, document, "1", chunks, (), made)
        self.versions[document] = "1"
        return list(rows.ids)

    def face(self, preset: str, rerank: str = "none"):
        from kb_pipeline.query import KnowledgeBase
        from kb_pipeline.query.reader import SearchedIndex
        from kb_pipeline.settings import QuerySettings, RerankSettings

        settings = QuerySettings(fusion=preset)
        second = RerankSettings(provider=rerank)
        index = SearchedIndex(self.name, self.model)
        return KnowledgeBase(self.name, settings, lambda: index, lambda index: self.connect(), self, rerank=second)

    def active_versions(self, documents: Iterable[str], collection: str) -> dict[str, str]:
        return {document: self.versions[document] for document in documents if document in self.versions}

    def boosts(self, documents: Iterable[str]) -> dict[str, float]:
        return {}

    def without_source(self, documents: Iterable[str]) -> set[str]:
        return set()

    def document_path(self, document: str) -> str:
        return document


def ranks(base: Base, way: str, questions: Sequence[tuple[str, str]]) -> list[int]:
    """Rank of each question's chunk in the way's first ten hits, 0 for none."""
    preset, _, rules = way.partition(" + ")
    face = base.face(preset, rules or "none")
    found = []
    for question, chunk in questions:
        ids = [hit.chunk_id for hit in face.find(question, top=DEPTH).hits]
        found.append(ids.index(chunk) + 1 if chunk in ids else 0)
    return found


def squad(path: Path) -> list[tuple[list[str], list[tuple[str, int]]]]:
    """Articles of a file in SQuAD form: paragraphs, and questions with the number of their paragraph."""
    data = json.loads(path.read_text("utf-8"))
    articles = []
    for article in data["data"] if isinstance(data, dict) else data:
        paragraphs = article["paragraphs"]
        asked = [(qa["question"], i) for i, p in enumerate(paragraphs) for qa in p["qas"] if qa["question"].strip()]
        articles.append(([p["context"] for p in paragraphs], asked))
    return articles


def fill(base: Base, articles: Sequence[tuple[list[str], list[tuple[str, int]]]]) -> list[tuple[str, str]]:
    """Write articles of about fifty paragraphs as documents; returns questions with the ids of their chunks."""
    questions: list[tuple[str, str]] = []
    texts: list[str] = []
    pending: list[tuple[str, int]] = []
    count = 0

    def flush() -> None:
        nonlocal count
        ids = base.put(f"article-{count}", texts)
        questions.extend((question, ids[i]) for question, i in pending)
        texts.clear()
        pending.clear()
        count += 1

    for paragraphs, asked in articles:
        pending += [(question, len(texts) + i) for question, i in asked]
        texts += paragraphs
        if len(texts) >= 50:
            flush()
    if texts:
        flush()
    return questions


def sampled(questions: list, size: int) -> list:
    """A seeded sample, in order; all for 0."""
    if not size or size >= len(questions):
        return questions
    return [questions[i] for i in sorted(random.Random(SEED).sample(range(len(questions)), size))]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in rows:
        print("| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
    print(flush=True)


def quality(data: Path, home: Path, model: Model, names: Sequence[str], size: int, ways: Sequence[str]) -> None:
    """nDCG@10 per set and way, with the mean over the sets."""
    from kb_pipeline.evaluation.measures import ndcg_at, recall_at

    sets: dict[str, tuple[Base, list[tuple[str, str]]]] = {}
    if "xquad" in names:
        bases = {}
        for language in ("zh", "en"):
            base = Base(home, f"xquad_{language}", model)
            bases[language] = base, fill(base, squad(data / f"xquad/xquad.{language}.half.json"))
        for asked, held in (("zh", "zh"), ("en", "en"), ("zh", "en"), ("en", "zh")):
            # both files hold the same questions in the same order
            pairs = zip(bases[asked][1], bases[held][1], strict=True)
            sets[f"XQuAD {asked}→{held}"] = bases[held][0], [(q, chunk) for (q, _), (_, chunk) in pairs]
    for name, title, file in (("cmrc", "CMRC2018", "cmrc2018_trial.json"), ("drcd", "DRCD", "DRCD_test_25.json")):
        if name in names:
            base = Base(home, name, model)
            sets[title] = base, fill(base, squad(data / file))
    rows: dict[str, list[float]] = {way: [] for way in ways}
    recalls: dict[str, list[float]] = {way: [] for way in ways}
    for title, (base, questions) in sets.items():
        chosen = sampled(questions, size)
        for way in ways:
            start = time.perf_counter()
            found = ranks(base, way, chosen)
            rows[way].append(ndcg_at(found, DEPTH))
            recalls[way].append(recall_at(found, DEPTH))
            seconds = time.perf_counter() - start
            print(f"{title} {way}: {rows[way][-1]:.4f} ({len(chosen)} questions, {seconds:.0f} s)", file=sys.stderr)
    if sets:
        head = ["nDCG@10", *sets, "mean"]
        table(head, [(way, *values, sum(values) / len(values)) for way, values in rows.items()])
        table(["recall@10", *sets], [(way, *values) for way, values in recalls.items()])


def mixed(data: Path, home: Path, model: Model, size: int, ways: Sequence[str]) -> None:
    """A knowledge base of both languages, each paragraph in one of them only."""
    from kb_pipeline.evaluation.measures import ndcg_at, recall_at

    files = {language: squad(data / f"xquad/xquad.{language}.half.json") for language in ("zh", "en")}
    base = Base(home, "xquad_mixed", model)
    plain = Base(home, "xquad_mixed_plain", copy.copy(model))  # what the offsets cost in the same language
    plain.model.language_offsets = {}
    both = []
    for (zh_texts, zh_asked), (en_texts, _) in zip(files["zh"], files["en"], strict=True):
        both.append(
            ([(zh if i % 2 else en) for i, (zh, en) in enumerate(zip(zh_texts, en_texts, strict=True))], zh_asked)
        )
    placed = fill(base, both)
    fill(plain, both)
    written = ["zh" if i % 2 else "en" for _, asked in files["zh"] for _, i in asked]
    english = [question for _, asked in files["en"] for question, _ in asked]
    rows = []
    for way, held_by in [*((way, base) for way in ways), (ways[0], plain)]:
        cells: list[object] = [way if held_by is base else f"{way} without language offsets"]
        for asked in ("zh", "en"):
            questions = [
                ((zh if asked == "zh" else en), chunk, held)
                for (zh, chunk), en, held in zip(placed, english, written, strict=True)
            ]
            for same in (True, False):
                chosen = sampled([(q, c) for q, c, held in questions if (held == asked) == same], size)
                found = ranks(held_by, way, chosen)
                cells.append(ndcg_at(found, DEPTH) if same else recall_at(found, DEPTH))
        rows.append(cells)
        print(f"mixed {cells}", file=sys.stderr)
    table(["mixed", "zh→zh nDCG@10", "zh→en recall@10", "en→en nDCG@10", "en→zh recall@10"], rows)


# ---------------------------------------------------------------- identifiers


def families(offset: int) -> dict[str, list[str]]:
    """Fifty identifiers of each kind, others for another offset."""
    return {
        "ZK305": [f"ZK{300 + offset + n}" for n in range(1, 51)],
        "ZK12-3": [f"ZK{offset + 10 + n // 10}-{n % 10 + 1}" for n in range(50)],
        "HX-2023-017": [f"HX-{2023 + offset}-{n:03d}" for n in range(1, 51)],
    }


PASSAGE = (
    "{id}孔位于{line}号勘探线，开孔坐标采用GPS测定，孔深约四百米，主要穿过大理岩夹白云质灰岩，在矽卡岩带内见铜矿体，"
    "矿石以黄铜矿为主，伴生金，岩心采取率符合规范要求。{near}"
)
PHRASINGS = ("{id}孔的见矿情况如何？", "请问 {id} 的岩心采取率", "What copper ore did hole {id} meet?")


def spellings(identifier: str) -> list[str]:
    """The identifier as written, in full width, in small letters, and with a space before its digits."""
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in identifier)
    apart = identifier[:2] + " " + identifier[2:].lstrip("-") if identifier[2].isdigit() else identifier
    return [identifier, wide, identifier.lower(), apart]


def identifiers(data: Path, home: Path, model: Model, others: int, ways: Sequence[str]) -> None:
    """First hits of fifty passages that differ in their identifier only, beside other chunks."""
    rows = []
    base = Base(home, f"ids_{others}", model)
    add_others(base, data, others)
    placed = []
    for neighbours in (False, True):
        for number, (family, names) in enumerate(families(100 * neighbours).items()):
            texts = []
            for n, name in enumerate(names):
                near = f"与{names[n - 1]}和{names[(n + 1) % len(names)]}相邻。" if neighbours else ""
                texts.append(PASSAGE.format(id=name, line=3, near=near))
            ids = base.put(f"holes-{int(neighbours)}-{number}", texts)
            placed.append((family + (", neighbours named" if neighbours else ""), names, ids))
    for family, names, ids in placed:
        questions = [(p.format(id=name), chunk) for name, chunk in zip(names, ids, strict=True) for p in PHRASINGS]
        questions += [
            (PHRASINGS[0].format(id=spelt), chunk)
            for name, chunk in zip(names, ids, strict=True)
            for spelt in spellings(name)[1:]
        ]
        for way in ways:
            found = ranks(base, way, questions)
            rows.append((family, others, way, f"{sum(rank == 1 for rank in found)} of {len(found)}"))
            print(*rows[-1], file=sys.stderr)
    table(["50 passages", "other chunks", "fusion", "right one first"], rows)


def add_others(base: Base, data: Path, count: int) -> None:
    """Chunks made of real sentences of the question sets, in documents of a thousand. Their vectors are mixtures of two
    real paragraphs' vectors with noise, since a hundred thousand real ones take hours."""
    if not count:
        return
    pool = [text for file in ("xquad/xquad.zh.half.json", "xquad/xquad.en.half.json") for t, _ in squad(data / file)
            for text in t]  # fmt: skip
    vectors = model_vectors = base.model.embed_passages(pool)
    random_ = random.Random(SEED)
    numbers = np.random.default_rng(SEED)
    sentences = [[s for s in text.replace("。", "。\n").replace(". ", ".\n").split("\n") if s] for text in pool]
    for start in range(0, count, 1000):
        texts, rows = [], []
        for _ in range(min(1000, count - start)):
            # both of one language: the Chinese half comes first
            half = len(pool) // 2
            offset = random_.choice((0, half))
            a, b = (offset + random_.randrange(half) for _ in range(2))
            chosen = random_.sample(sentences[a], min(2, len(sentences[a]))) + random_.sample(sentences[b], 1)
            texts.append("".join(chosen) + f" ({random_.randrange(10**6)})")
            vector = vectors[a] + model_vectors[b] + numbers.normal(0, 0.02, vectors.shape[1])
            rows.append(vector / np.linalg.norm(vector))
        base.put(f"others-{start // 1000}", texts, np.array(rows, np.float32))
        print(f"{start + len(texts)} other chunks", file=sys.stderr)


# ---------------------------------------------------------------- latency


def latency(data: Path, home: Path, model: Model, others: int, repeats: int) -> None:
    """Milliseconds per search, beside the bare hybrid request of Milvus on the same rows."""
    from pymilvus import AnnSearchRequest, RRFRanker

    from kb_pipeline.index.schema import COARSE, DENSE, METRIC
    from kb_pipeline.index.vectors import query_vector
    from kb_pipeline.query.question import read_question

    base = Base(home, f"ids_{others}", model)
    add_others(base, data, others)
    questions = sampled([q for _, asked in squad(data / "xquad/xquad.zh.half.json") for q, _ in asked], repeats)
    face = base.face("windowed")
    times: dict[str, list[float]] = {}

    def clock(name: str, run) -> None:
        start = time.perf_counter()
        run()
        times.setdefault(name, []).append(1000 * (time.perf_counter() - start))

    def bare(question) -> None:
        vector = query_vector(question.vector, question.language)
        dense = AnnSearchRequest([vector], DENSE, {"metric_type": METRIC}, 100)
        text = AnnSearchRequest([" ".join(question.coarse)], COARSE, {"metric_type": "BM25"}, 100)
        base.client.hybrid_search(base.name, [dense, text], RRFRanker(60), limit=10, output_fields=["text", "locators"])

    for number, text in enumerate([questions[0], *questions]):
        model.asked.pop(text, None)
        clock("embedding of the question", lambda t=text: model.embed_query(t))
        read = read_question(text, model)
        ways = [
            ("bare hybrid request", lambda q=read: bare(q)),
            ("KnowledgeBase.find", lambda t=text: face.find(t, top=10)),
        ]
        for name, run in ways if number % 2 else ways[::-1]:
            clock(name, run)
        if not number:
            times.clear()  # connections and caches are warm from here on
    rows = []
    for name, values in times.items():
        p95 = statistics.quantiles(values, n=20)[-1]
        rows.append((name, others, f"{statistics.median(values):.1f}", f"{p95:.1f}"))
    table(["latency", "chunks", "p50 ms", "p95 ms"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, help="keeps vectors and collections; a temporary folder without it")
    parser.add_argument("--sets", default="xquad,mixed,cmrc,drcd,ids")
    parser.add_argument("--ways", default=",".join((*PRESETS, *RULES)))
    parser.add_argument("--sample", type=int, default=0, help="questions a set, 0 for all")
    parser.add_argument("--others", type=int, default=0, help="other chunks beside the fifty")
    parser.add_argument("--repeats", type=int, default=100, help="searches that are timed")
    options = parser.parse_args()
    from kb_pipeline.index.lite_server import stop

    names, ways = options.sets.split(","), options.ways.split(",")
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        os.environ["KB_HOME"] = str(home)
        model, data = Model(home), options.data / "qa"
        try:
            quality(data, home, model, names, options.sample, ways)
            if "mixed" in names:
                mixed(data, home, model, options.sample, ways)
            if "ids" in names:
                identifiers(data, home, model, options.others, ways)
            if "latency" in names:
                latency(data, home, model, options.others, options.repeats)
        finally:
            stop(home / "index")


if __name__ == "__main__":
    main()
