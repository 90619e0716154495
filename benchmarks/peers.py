"""Other readers of PDFs on the same files in one run: order, text, tables, unit tests of pages.

    python -m venv PEERS
    PEERS/bin/pip install 'pymupdf4llm<2' 'markitdown[pdf]' kreuzberg pdfplumber opendataloader-pdf
    python benchmarks/peers.py --data DATA --metrics METRICS.py --work FOLDER --peers PEERS/bin/python

The peers live in an environment of their own, which only this script uses (pymupdf is AGPL); those that are not
installed there are left out. opendataloader-pdf runs in its local mode and needs Java 11. Markdown of each reader is
kept in FOLDER. Text is compared without tables, which have a score of their own on the example documents.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))

import assembly_scores as scores
import cv2
from assembly import EXAMPLES, Reader, mean

from kb_pipeline.operations.parse import to_markdown
from kb_pipeline.settings import Settings

TIMEOUT_S = 300  # a file and reader

# what runs in the peers' environment: a file's path in, Markdown out
PROGRAMS = {
    "pymupdf4llm": "import pymupdf4llm, sys; out = pymupdf4llm.to_markdown(sys.argv[1])",
    "markitdown": "from markitdown import MarkItDown; import sys; out = MarkItDown().convert(sys.argv[1]).text_content",
    "kreuzberg": (
        "import sys, kreuzberg as k\n"
        "r = k.extract_file_sync(sys.argv[1], config=k.ExtractionConfig(output_format='markdown'))\n"
        "out = r.content"
    ),
    "pdfplumber": (
        "import sys, html, pdfplumber\n"
        "parts = []\n"
        "with pdfplumber.open(sys.argv[1]) as pdf:\n"
        "    for page in pdf.pages:\n"
        "        parts.append(page.extract_text() or '')\n"
        "        for table in page.extract_tables():\n"
        "            rows = (''.join('<td>' + html.escape(c or '') + '</td>' for c in row) for row in table)\n"
        "            parts.append('<table>' + ''.join('<tr>' + row + '</tr>' for row in rows) + '</table>')\n"
        "out = '\\n\\n'.join(parts)"
    ),
    "opendataloader-pdf": (
        "import sys, tempfile, pathlib, contextlib, opendataloader_pdf as o\n"
        "with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):\n"
        "    o.convert(input_path=[sys.argv[1]], output_dir=folder, format='markdown')\n"
        "    out = '\\n'.join(f.read_text('utf-8') for f in sorted(pathlib.Path(folder).rglob('*.md')))"
    ),
}
END = "\nsys.stdout.buffer.write(out.encode('utf-8', 'replace'))"
PACKAGES = {"opendataloader-pdf": "opendataloader_pdf"}


def installed(python: Path) -> dict[str, str]:
    """Versions of the peers that can be imported."""
    program = (
        "import json, importlib.util as u, importlib.metadata as m; "
        f"names = {[(name, PACKAGES.get(name, name)) for name in PROGRAMS]}; "
        "print(json.dumps({n: m.version(n) for n, p in names if u.find_spec(p)}))"
    )
    return json.loads(subprocess.run([python, "-c", program], check=True, capture_output=True, timeout=60).stdout)


def read_by_peer(python: Path, name: str, path: Path, kept: Path) -> str:
    """Markdown by a peer; empty where it fails."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    if not kept.exists():
        command = [python, "-c", PROGRAMS[name] + END, path]
        try:
            run = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=True)
            kept.write_bytes(run.stdout)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            print(f"    {name} failed on {path.name}: {type(error).__name__}", file=sys.stderr)
            kept.write_bytes(b"")
    return kept.read_text("utf-8")


def html_tables(markdown: str) -> list[str]:
    """Tables of a result as HTML, pipe tables among them."""
    found = re.findall(r"<table.*?</table>", markdown, flags=re.S)
    for block in re.findall(r"(?:^\|.*\|\s*\n?)+", markdown, flags=re.M):
        rows = [re.split(r"(?<!\\)\|", row.strip()[1:-1]) for row in block.strip().splitlines()]
        rows = [row for row in rows if not all(re.fullmatch(r"\s*:?-+:?\s*", cell) for cell in row)]
        lines = ("".join(f"<td>{cell.strip()}</td>" for cell in row) for row in rows)
        found.append("<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--metrics", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--peers", type=Path, required=True, help="Python of the peers' environment")
    options = parser.parse_args()
    sys.path.insert(0, str(options.metrics.parent))
    import metrics

    cv2.setNumThreads(1)
    reader = Reader(options.work, Settings().merged({"render.password": "test"}))
    readers = {"kb_pipeline": lambda path: to_markdown(reader.read(path))}
    for name in (versions := installed(options.peers)):
        readers[name] = lambda path, name=name: read_by_peer(
            options.peers, name, path, options.work / "peers" / name / f"{path.name}.md"
        )
    exact = [(path, truth) for path, truth in scores.exact_truth(EXAMPLES)]
    truths = [(path, text) for path, text in scores.truth_texts(options.data)]
    truths += [(path, scores.exact_text(truth)) for path, truth in exact]
    print("| reader | order | text | text by paragraph | tables (TEDS) | unit tests of pages |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    for name, read in readers.items():
        order, text, blocks, teds = [], [], [], []
        for path, truth in truths:
            markdown = read(path)
            kept = metrics.reading_order(truth, markdown)
            order += [] if kept is None else [kept]
            text.append(metrics.text_similarity(scores.without_tables(truth), scores.without_tables(markdown)))
            blocks.append(scores.block_similarity(truth, markdown, metrics.normalise))
        for path, truth in exact:
            found = html_tables(read(path))
            teds += [max((metrics.teds(t["html"], html) for html in found), default=0.0) for t in truth["tables"]]
        passed = [
            scores.passes(test, read(path)) for path, tests in scores.page_tests(options.data).items() for test in tests
        ]
        print(
            f"| {name} {versions.get(name, '')} | {mean(order):.4f} | {mean(text):.4f} | {mean(blocks):.4f} | "
            f"{mean(teds):.4f} | {sum(passed)}/{len(passed)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
