"""Documents put together: reading order, text, unit tests of pages, headings, noise, tables, the character sum.

    python benchmarks/assembly.py --data DATA --metrics METRICS.py --work FOLDER [--skip NAME …] [-v]

Page layouts and tables are read once and kept in FOLDER; run again, only assembly is measured.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))

import assembly_scores as scores
import cv2

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.deepdoc.page.read import read_page, read_tables, render_page
from kb_pipeline.errors import KbError
from kb_pipeline.operations.parse import to_markdown
from kb_pipeline.records import Bookmark, PageLayout, PageTables, ParsedDocument, decode, encode
from kb_pipeline.settings import Settings
from kb_pipeline.stages.page_source import open_paged

EXAMPLES = Path(__file__).parent.parent / "examples"


class Reader:
    """Documents by path; page layouts and tables are kept in a folder."""

    def __init__(self, work: Path, settings: Settings):
        self.work, self.settings, self.seconds, self.pages = work, settings, 0.0, 0

    def read(self, path: Path) -> ParsedDocument:
        kept = self.work / path.name
        if not (kept / "done").exists():
            self._keep(path, kept)
        pages = [decode(file.read_bytes(), PageLayout) for file in sorted(kept.glob("*.l.json"))]
        tables = [decode(file.read_bytes(), PageTables) for file in sorted(kept.glob("*.t.json"))]
        bookmarks = decode((kept / "bookmarks.json").read_bytes(), tuple[Bookmark, ...])
        began = time.process_time()
        document = assemble(pages, tables, bookmarks, self.settings)
        self.seconds += time.process_time() - began
        self.pages += len(pages)
        return document

    def _keep(self, path: Path, kept: Path) -> None:
        kinds = {".jpg": "jpeg", ".png": "png"}
        file = open_paged(path.read_bytes(), kinds.get(path.suffix, "pdf"), path.name, self.settings)
        kept.mkdir(parents=True, exist_ok=True)
        (kept / "bookmarks.json").write_bytes(encode(file.bookmarks()))
        for page in range(1, file.page_count + 1):
            render, characters, picture, _ = render_page(file, page, self.settings)
            layout = read_page(file, render, characters, picture, self.settings)
            tables = read_tables(file, layout, characters, picture, self.settings)
            (kept / f"{page:05d}.l.json").write_bytes(encode(layout))
            (kept / f"{page:05d}.t.json").write_bytes(encode(tables))
        (kept / "done").write_text("")


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def score_texts(reader: Reader, data: Path, metrics, verbose: bool) -> None:
    for name, truths, strip in (
        ("PDFs with a truth text", scores.truth_texts(data), False),
        ("OmniDocBench pages", scores.page_pictures(data), True),
    ):
        order, text, blocks = [], [], []
        for path, truth in truths:
            markdown = to_markdown(reader.read(path))
            markdown = scores.without_tables(markdown) if strip else markdown
            text.append(metrics.text_similarity(truth, markdown))
            blocks.append(scores.block_similarity(truth, markdown, metrics.normalise))
            kept = metrics.reading_order(truth, markdown)
            order += [] if kept is None else [kept]
            if verbose:
                ordered = "-" if kept is None else f"{kept:.4f}"
                print(f"    {path.name} order {ordered} text {text[-1]:.4f} by paragraph {blocks[-1]:.4f}")
        print(
            f"| {name} | {len(text)} | reading order {mean(order):.4f} | text similarity {mean(text):.4f}, "
            f"by paragraph {mean(blocks):.4f} |"
        )


def score_tests(reader: Reader, data: Path, verbose: bool) -> None:
    passed: dict[str, list[bool]] = defaultdict(list)
    for path, tests in scores.page_tests(data).items():
        markdown = to_markdown(reader.read(path))
        for test in tests:
            passed[test["type"]].append(scores.passes(test, markdown))
            if verbose and not passed[test["type"]][-1]:
                print("    missed", {key: test[key] for key in test if key not in ("id", "page", "checked")})
    every = [hit for hits in passed.values() for hit in hits]
    kinds = ", ".join(f"{kind} {sum(hits)}/{len(hits)}" for kind, hits in sorted(passed.items()))
    print(f"| unit tests of pages | {len(every)} | passed {mean(every):.4f} | {kinds} |")


def score_exact(reader: Reader, metrics, verbose: bool) -> None:
    for path, truth in scores.exact_truth(EXAMPLES):
        document = reader.read(path)
        exact = scores.exact_text(truth)
        shown = [s for s in document.sections if s.role not in ("table", "figure", "equation")]
        captions = [s.caption for s in document.sections if s.caption]
        order = metrics.reading_order(exact, "\n\n".join(s.text for s in document.sections), least=6)
        similar = metrics.recall_precision(exact, "\n\n".join([*(s.text for s in shown), *captions]))
        squeezed = {"".join(s.text.split()) for s in shown} | {"".join(c.split()) for c in captions}
        wanted = [s for s in truth["sections"] if s["role"] not in ("table", "figure", "equation")]
        whole = [("".join(s["text"].split()) in squeezed) for s in wanted]
        headings = Counter(("".join(s["text"].split()), s["level"]) for s in truth["sections"] if s["level"])
        found = Counter(("".join(s.text.split()), s.level) for s in document.sections if s.level)
        right = 2 * (headings & found).total() / max(1, headings.total() + found.total())
        teds = [
            max((metrics.teds(table["html"], s.html) for s in document.sections if s.html), default=0.0)
            for table in truth["tables"]
        ]
        noise = Counter(c for n in truth["noise"] for c in "".join(n["text"].split()))
        gone = Counter(c for d in document.dropped for c in "".join(d.text.split()))
        print(
            f"| {path.name} | {len(wanted)} | order {order:.4f}, recall {similar[0]:.4f}, precision {similar[1]:.4f} | "
            f"paragraphs whole {mean(whole):.4f}, headings F1 {right:.4f}, tables {len(teds)}/"
            f"{sum(bool(s.html) for s in document.sections)} TEDS {mean(teds):.4f}, noise "
            f"{(noise & gone).total()}/{noise.total()}, dropped beside it {(gone - noise).total()} |"
        )
        if verbose:
            print("    headings missing", headings - found, "invented", found - headings)
            print("    not whole", [s["text"][:60] for s, w in zip(wanted, whole, strict=True) if not w])


def score_sums(reader: Reader, data: Path, skip: list[str]) -> None:
    balanced, failed = [], []
    for path in sorted((data / "pdf").glob("*.pdf")):
        if path.name in skip:
            continue
        try:
            document = reader.read(path)
        except KbError as error:
            failed.append(f"{path.name}: {type(error).__name__}")
            continue
        balanced.append((document.characters.balanced, path.name))
    wrong = [name for good, name in balanced if not good]
    print(f"| character sums | {len(balanced)} | exact {mean([g for g, _ in balanced]):.4f} | wrong: {wrong} |")
    print(f"| not readable | {len(failed)} | | {failed} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--metrics", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--skip", nargs="*", default=[], help="PDFs whose sums are not looked at")
    parser.add_argument("--sets", nargs="+", default=["texts", "tests", "exact", "sums"])
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, str(options.metrics.parent))
    import metrics

    cv2.setNumThreads(1)
    reader = Reader(options.work, Settings().merged({"render.password": "test"}))
    print("| set | items | | |\n| --- | ---: | --- | --- |")
    if "texts" in options.sets:
        score_texts(reader, options.data, metrics, options.v)
    if "tests" in options.sets:
        score_tests(reader, options.data, options.v)
    if "exact" in options.sets:
        score_exact(reader, metrics, options.v)
    if "sums" in options.sets:
        score_sums(reader, options.data, options.skip)
    print(f"| CPU ms per page of assembly | {reader.pages} | {1000 * reader.seconds / max(1, reader.pages):.2f} | |")


if __name__ == "__main__":
    main()
