"""Readers of CSV, Excel and Word files on the same files in one run: text, tables, time.

    python -m venv PEERS
    PEERS/bin/pip install 'markitdown[docx,xlsx,xls]'
    python benchmarks/formats.py --data DATA --metrics METRICS.py [--peers PEERS/bin/python]

DATA/office holds the files and DATA/office/truth their Markdown, made by another reader: a difference is not always a
fault of the reader that is measured. Recall and precision are of character trigrams, similarity is by edit distance,
tables are compared by tree edit distance (TEDS), each true table of more than one cell with the found one that is
nearest. Milliseconds are
the best of three readings, the process warm; peers run in their own environment, timed there in the same way.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from kb_pipeline.errors import KbError
from kb_pipeline.formats import read_native
from kb_pipeline.formats.detect import check_name, detect
from kb_pipeline.operations.parse import to_markdown

ENDINGS = (".csv", ".tsv", ".xlsx", ".xls", ".docx")
READINGS = 3
MARKITDOWN = """
import json, sys, time, logging
from markitdown import MarkItDown
logging.disable(logging.CRITICAL)
reader, found = MarkItDown(), {}
for path in sys.argv[1:]:
    times, text = [], ""
    for _ in range(3):
        start = time.perf_counter()
        try:
            text = reader.convert(path).text_content
        except Exception as error:
            text = ""
        times.append(time.perf_counter() - start)
    found[path] = text, min(times)
sys.stdout.buffer.write(json.dumps(found).encode())
"""


class ChunkSource(NamedTuple):
    """Markdown of a file, seconds, and what was told of it."""

    markdown: str
    seconds: float
    told: str = ""


def read(path: Path) -> ChunkSource:
    """A file by the readers of this project."""
    data = path.read_bytes()
    seconds, markdown, told = [], "", ""
    for _ in range(READINGS):
        start = time.perf_counter()
        try:
            kind = detect(data, path.name)
            check_name(kind, path.name)
            document = read_native(kind, data, path.name).document
            markdown = to_markdown(document)
            told = "" if document.characters.balanced else "character sum is off"
        except KbError as error:
            told = type(error).__name__
        seconds.append(time.perf_counter() - start)
    return ChunkSource(markdown, min(seconds), told)


def read_by_markitdown(python: Path, paths: list[Path]) -> dict[Path, ChunkSource]:
    """The same files by markitdown."""
    run = subprocess.run([python, "-c", MARKITDOWN, *paths], capture_output=True, check=True, timeout=600)
    found = json.loads(run.stdout)
    return {path: ChunkSource(*found[str(path)]) for path in paths}


def html_tables(markdown: str) -> list[str]:
    """Tables of a result as HTML, pipe tables among them."""
    found = re.findall(r"<table.*?</table>", markdown, flags=re.S)
    for block in re.findall(r"(?:^\|.*\|[ \t]*(?:\n|\Z))+", markdown, flags=re.M):
        rows = [re.split(r"(?<!\\)\|", row.strip()[1:-1]) for row in block.strip().splitlines()]
        rows = [row for row in rows if not all(re.fullmatch(r"\s*:?-+:?\s*", cell) for cell in row)]
        lines = ("".join(f"<td>{cell.strip()}</td>" for cell in row) for row in rows)
        found.append("<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>")
    return found


def table_score(truth: str, got: str, teds) -> float | None:
    """Mean over the true tables of the nearest found one's score; None where there is none."""
    wanted, found = [one for one in html_tables(truth) if len(re.findall("<t[dh]", one)) > 1], html_tables(got)
    if not wanted:
        return None
    return sum(max((teds(one, other) for other in found), default=0.0) for one in wanted) / len(wanted)


def truth_of(path: Path) -> str:
    """The silver truth; of tables the HTML where there is one, since Markdown has no cell spans."""
    html = path.parent / "truth" / f"{path.name}.html"
    return (html if html.exists() else html.with_suffix(".md")).read_text("utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--metrics", type=Path, required=True)
    parser.add_argument("--peers", type=Path, help="Python of an environment with markitdown")
    options = parser.parse_args()
    sys.path.insert(0, str(options.metrics.parent))
    import metrics

    paths = sorted(path for path in (options.data / "office").iterdir() if path.suffix in ENDINGS)
    readers = {"kb_pipeline": {path: read(path) for path in paths}}
    if options.peers:
        readers["markitdown"] = read_by_markitdown(options.peers, paths)
    print("| file | reader | recall | precision | similarity | tables (TEDS) | ms | told |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |")
    sums: dict[str, list[tuple[float, ...]]] = {name: [] for name in readers}
    tables: dict[str, list[float]] = {name: [] for name in readers}
    for path in paths:
        known = (path.parent / "truth" / f"{path.name}.md").exists()
        text = (path.parent / "truth" / f"{path.name}.md").read_text("utf-8") if known else ""
        for name, found in readers.items():
            got = found[path]
            scores: list[float] = []
            teds = None
            if known:
                scores = [*metrics.recall_precision(text, got.markdown), metrics.text_similarity(text, got.markdown)]
                teds = table_score(truth_of(path), got.markdown, metrics.teds)
                sums[name].append((*scores, 1000 * got.seconds))
                tables[name] += [] if teds is None else [teds]
            shown = " | ".join([f"{score:.3f}" for score in scores] or ["", "", ""])
            table = "" if teds is None else f"{teds:.3f}"
            print(f"| {path.name} | {name} | {shown} | {table} | {1000 * got.seconds:.1f} | {got.told} |")
    for name, rows in sums.items():
        means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        print(
            f"| mean of {len(rows)} | {name} | {means[0]:.3f} | {means[1]:.3f} | {means[2]:.3f} | "
            f"{sum(tables[name]) / len(tables[name]):.3f} | {means[3]:.1f} | |"
        )


if __name__ == "__main__":
    main()
