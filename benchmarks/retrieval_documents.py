"""Retrieval end to end: documents in through the pipeline, questions asked, pages and highlights compared with truth.

    python benchmarks/retrieval_documents.py --data DIR --home DIR --sets geo,cn,mm

DIR/qa holds cn_pdf_bbox_qa.jsonl (Chinese PDFs), mmdocir/annotations.jsonl (English PDFs) and geo_zh_qa.jsonl (Chinese
Markdown). Each set is a knowledge base in the home, ingested with the default settings unless it is there; `--kept`
asks what is there and ingests nothing. Prints a Markdown table: hits of the evidence's page (of its passage where there
are no pages), and how much of the true boxes the places of found passages and the citations of answers cover.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

BASES = {"geo": "geo_zh_qa", "cn": "cn_pdf_bbox_qa", "mm": "mmdocir"}


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def geo(data: Path):
    """Questions whose evidence is a quote of a Markdown file."""
    from kb_pipeline.evaluation.questions import EvalQuestion

    rows = lines(data / "qa/geo_zh_qa.jsonl")
    questions = [EvalQuestion(r["question"], Path(r["doc"]).name, None, r["evidence_quote"]) for r in rows]
    return sorted((data / "qa/geo_zh").glob("*.md")), questions


def cn(data: Path):
    """Questions whose evidence is quotes with boxes on a page, in points of the displayed page."""
    from kb_pipeline.evaluation.questions import EvalQuestion

    questions = []
    for r in lines(data / "qa/cn_pdf_bbox_qa.jsonl"):
        boxes = tuple((r["page"], *box) for e in r["evidence"] for box in e["boxes"])
        quotes = tuple(e["quote"] for e in r["evidence"])
        questions.append(EvalQuestion(r["question"], Path(r["pdf"]).name, r["page"], quotes, boxes, r["type"]))
    return sorted({data / r["pdf"] for r in lines(data / "qa/cn_pdf_bbox_qa.jsonl")}), questions


def mm(data: Path):
    """Questions whose evidence is layout boxes on pages (there counted from 0)."""
    from kb_pipeline.evaluation.questions import EvalQuestion

    questions, files = [], []
    for r in lines(data / "qa/mmdocir/annotations.jsonl"):
        files.append(data / r["pdf"])
        for q in r["questions"]:
            pages = tuple(page + 1 for page in q["page_id"])
            boxes = tuple((place["page"] + 1, *place["bbox"]) for place in q["layout_mapping"])
            questions.append(EvalQuestion(q["Q"], Path(r["pdf"]).name, pages, None, boxes))
    return files, questions


def hits(report) -> list:
    """Hits of passages, and of pages where the questions name some, within 1, 5 and 10."""
    s = report.scores
    pages = [s.page_hit_at_1, s.page_hit_at_5, s.page_hit_at_10] if s.with_page else ["", "", ""]
    return [s.recall_at_1, s.recall_at_5, s.recall_at_10, *pages]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, help="keeps what was ingested; a temporary folder without it")
    parser.add_argument("--sets", default=",".join(BASES))
    parser.add_argument("--kept", action="store_true", help="ingest nothing; ask about the documents that are there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        os.environ["KB_HOME"] = str(home)
        run(options.data, options.sets.split(","), options.kept)


def run(data: Path, names: list[str], kept: bool) -> None:
    from kb_pipeline.errors import UnknownKnowledgeBase
    from kb_pipeline.evaluation.questions import ask_questions
    from kb_pipeline.evaluation.trace import trace_questions
    from kb_pipeline.index.lite_server import stop
    from kb_pipeline.operations.ingest import ingest, register
    from kb_pipeline.query import KnowledgeBase
    from kb_pipeline.settings import home
    from kb_pipeline.stages.pipeline import open_context

    head = ["set", "documents", "questions", "passage hit@1", "@5", "@10", "page hit@1", "@5", "@10"]
    head += ["cover by found hits", "by the words in them", "page of an answer's citation", "cover by citations there"]
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    try:
        for name in names:
            files, questions = {"geo": geo, "cn": cn, "mm": mm}[name](data)
            with open_context() as context:
                try:
                    entry = context.catalogue.knowledge_base(name)
                except UnknownKnowledgeBase:
                    entry = context.catalogue.create(name, {})
                if not kept:
                    found = register(context.catalogue, entry, [str(file) for file in files])
                    report = ingest(entry, found, context, lambda step: None)
                    for failure in report.failures:
                        print(f"{failure.document}: {failure.reason}", file=sys.stderr)
                documents = {d.id: d.path for d in context.catalogue.documents(entry.id)}
                seen = context.catalogue.pointers(entry.id, documents)
                there = {documents[key] for key, pointer in seen.items() if pointer.versions}
            base = KnowledgeBase.open(name)
            asked = [question for question in questions if question.document in there]
            search = lambda question, top, b=base: b.search(question, top=top)  # noqa: E731
            report = ask_questions(asked, search)
            cells = [BASES[name], len(there), len(asked), *hits(report)]
            traced = trace_questions(asked, base.ask, search)
            t = traced.scores
            if t.questions:
                cells += [t.hit_cover_on_passages, t.cover_on_passages, t.page_any, t.cover_on_hits]
            else:
                cells += ["", "", "", ""]
            print("| " + " | ".join(f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells) + " |", flush=True)
            within = {question.question: question.document for question in asked}
            ids = {path: key for key, path in documents.items()}
            alone = lambda question, top, b=base, w=within, i=ids: b.search(question, top, [i[w[question]]])  # noqa: E731
            cells = [f"{BASES[name]}, each asked of its own document", len(there), len(asked)]
            cells += [*hits(ask_questions(asked, alone)), "", "", "", ""]
            print("| " + " | ".join(f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells) + " |", flush=True)
            for one in traced.traced:
                if one.passage and one.hit_cover < 0.9:
                    print(
                        f"{name}: cover {one.hit_cover:.2f}, {one.passage_cover:.2f}: {one.question}", file=sys.stderr
                    )
            for question, one in zip(asked, report.asked, strict=True):
                if not 0 < one.rank <= 5:
                    print(f"{name}: rank {one.rank}, page {one.page_rank}: {question.question}", file=sys.stderr)
    finally:
        stop(home() / "index")


if __name__ == "__main__":
    main()
