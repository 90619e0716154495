"""Seconds that a megabyte of text takes to be cut, by language and mode, with the bundled model's tokenizer."""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from kb_pipeline.chunking.cut import chunk_document
from kb_pipeline.embedding import local
from kb_pipeline.records import CharacterSum, ParsedDocument, Section
from kb_pipeline.settings import ChunkingSettings

MEGABYTE = 1_000_000
RUNS = 5
MODES = ("general", "qa", "table", "manual", "sliding_window")
_HAN = re.compile("[\u4e00-\u9fff]")


def speed(data: Path) -> None:
    """Print CPU and wall seconds (least and median of five) for paragraphs, and for the same as one section.

    Before each run all counts that the tokenizer keeps are dropped: every text is new to it, as in a fresh process.
    """
    print("| 1 MB of | as | mode | chunks | CPU least | median | wall least | median | counting it once, CPU |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    model = local.LocalEmbedder()
    model.count_many([""])
    for name, texts in _texts(data).items():
        for form, parts in (("paragraphs", texts), ("one section", ["\n".join(texts)])):
            sections = tuple(Section(f"s{i}", "text", text) for i, text in enumerate(parts))
            document = ParsedDocument((), sections, (), CharacterSum(0, 0, {}))
            counting, _, _ = _timed(lambda parts=parts: model.count_many(parts))
            for mode in MODES:
                settings = ChunkingSettings(mode=mode)
                cpu, wall, chunks = _timed(
                    lambda d=document, s=settings: chunk_document(d, s, model.count_many, model.max_tokens)
                )
                figures = [min(cpu), statistics.median(cpu), min(wall), statistics.median(wall), min(counting)]
                cells = " | ".join(f"{figure:.2f}" for figure in figures)
                print(f"| {name} | {form} | {mode} | {len(chunks)} | {cells} |", flush=True)


def _timed(run: Callable[[], list]) -> tuple[list[float], list[float], list]:
    cpu, wall, found = [], [], []
    for _ in range(RUNS):
        local._tokens().forget()
        started = time.process_time(), time.perf_counter()
        found = run()
        cpu.append(time.process_time() - started[0])
        wall.append(time.perf_counter() - started[1])
    return cpu, wall, found


def _texts(data: Path) -> dict[str, list[str]]:
    """A megabyte of paragraphs of each kind; where there are fewer, they come again."""
    papers = [
        line
        for path in sorted((data / "qa/geo_zh").glob("*.md"))
        for line in path.read_text("utf-8").splitlines()
        if line.strip()
    ]
    chinese = [text for text in papers if 2 * len(_HAN.findall(text)) > len(text)]
    for file in ("cmrc2018_trial.json", "DRCD_test_25.json", "xquad/xquad.zh.half.json"):
        chinese += _paragraphs(data / "qa" / file)
    english = [*_paragraphs(data / "qa/xquad/xquad.en.half.json"), *(text for text in papers if not _HAN.search(text))]
    return {"Chinese": _megabyte(chinese), "English": _megabyte(english), "mixed": _megabyte(papers)}


def _paragraphs(path: Path) -> list[str]:
    articles = json.loads(path.read_text("utf-8"))["data"]
    return [paragraph["context"] for article in articles for paragraph in article["paragraphs"]]


def _megabyte(paragraphs: list[str]) -> list[str]:
    found, size = [], 0
    while size < MEGABYTE:
        found.append(paragraphs[len(found) % len(paragraphs)])
        size += len(found[-1].encode())
    return found
