"""Text detection and recognition: character accuracy on page pictures, line crops and transcribed scans.

    python benchmarks/ocr.py --data DATA --metrics METRICS.py [--models small tiny] [-v]

The models stand beside each other: accuracy, what the last named loses against the first, CPU seconds of detection and
recognition a page (of recognition for 100 lines, where lines are given). Edit distances leave out white space. On
pages, true and found lines are compared in groups whose boxes overlap, so that neither reading order nor a line found
in two pieces counts as an error; text in pictures, which no true line covers, is left out. The truth of the rendered
pages has lost the characters beyond U+FFFF (letters of formulas) and holds a line that nobody sees; beside it, clean
pages are compared with all characters that the PDF's layer shows.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import unicodedata
from pathlib import Path

import cv2
import numpy as np
from rapidfuzz.distance import Levenshtein

sys.path.insert(0, str(Path(__file__).parent.parent))

from kb_pipeline.deepdoc.files.geometry import quad_box
from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.lines import page_lines
from kb_pipeline.deepdoc.vision.detection import detect_lines
from kb_pipeline.deepdoc.vision.orientation import orientation, turn_picture
from kb_pipeline.deepdoc.vision.recognition import recognise_lines

TOUCHING = 0.3  # share of the smaller box from which a true and a found line belong together


def folded(text: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))


def group_errors(true: list[tuple[str, list[float]]], found: list[tuple[str, list[float]]]) -> tuple[int, int]:
    """Edit distance and length of the truth, over groups of overlapping lines."""
    nodes = [*true, *found]
    parent = list(range(len(nodes)))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for i, (_, a) in enumerate(true):
        for j, (_, b) in enumerate(found, len(true)):
            shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
            if shared > TOUCHING * min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1])):
                parent[root(j)] = root(i)
    groups: dict[int, tuple[list, list]] = {}
    for i, node in enumerate(nodes):
        groups.setdefault(root(i), ([], []))[i >= len(true)].append(node)
    errors = length = 0
    for a, b in groups.values():
        if not a:
            continue
        x, y = (folded("".join(t for t, _ in in_order(side))) for side in (a, b))
        errors += Levenshtein.distance(x, y)
        length += len(x)
    return errors, length


def in_order(lines: list[tuple[str, list[float]]]) -> list[tuple[str, list[float]]]:
    """Rows from top to bottom, each from left to right."""
    rows: list[list] = []
    for line in sorted(lines, key=lambda z: z[1][1] + z[1][3]):
        height = line[1][3] - line[1][1]
        last = rows[-1][-1][1] if rows else None
        if last and line[1][1] + line[1][3] - last[1] - last[3] < 0.8 * min(height, last[3] - last[1]):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda z: z[1][0])]


def read(picture: np.ndarray, models: str) -> list[tuple[str, list[float]]]:
    quads, _ = detect_lines(picture, variant=models)
    texts = recognise_lines(picture, quads, models)
    return [(r.text, list(quad_box(quad))) for r, quad in zip(texts, quads, strict=True) if r.text and r.score >= 0.5]


def layer(data: Path, row: dict, width: int) -> list[tuple[str, list[float]]]:
    """Every character of the page that a reader sees, by line, in pixels of a picture of that width."""
    with PdfFile((data / row["pdf"]).read_bytes(), row["pdf"]) as file:
        scale = width / file.size(row["page"])[0]
        return [(line.text, [v * scale for v in line.box]) for line in page_lines(file.characters(row["page"])).lines]


def pages(data: Path, models: str, name: str) -> list[tuple]:
    """Name, errors, characters, seconds of every page, and for clean ones errors and characters by the whole layer."""
    rows = []
    for row in map(json.loads, (data / "ocr/rendered_truth.jsonl").open()):
        if not row["variant"].startswith(name):
            continue
        picture = cv2.imread(str(data / "ocr" / row["image"]))
        true = []
        for line in row["lines"]:
            box = line.get("bbox")
            if box is None:
                points = np.array(line["quad"]).reshape(-1, 2)
                box = [*points.min(0).tolist(), *points.max(0).tolist()]
            true.append((line["text"], box))
        began = time.process_time()
        found = read(picture, models)
        seconds = time.process_time() - began
        whole = group_errors(layer(data, row, picture.shape[1]), found) if name == "clean" else (0, 0)
        rows.append((Path(row["image"]).stem, *group_errors(true, found), seconds, *whole))
    return rows


def line_crops(data: Path, models: str) -> dict[str, tuple[int, int, float, int]]:
    by_language: dict[str, list] = {}
    pictures: dict[str, np.ndarray] = {}
    for row in map(json.loads, (data / "ocr/omnidocbench_lines.jsonl").open()):
        path = (data / "ocr" / row["image"]).resolve()
        picture = pictures.setdefault(str(path), cv2.imread(str(path)))
        quad = np.array(row["poly"], np.float32).reshape(4, 2)
        by_language.setdefault(row["lang"], []).append((picture, quad, row["text"]))
    results = {}
    for language, lines in by_language.items():
        errors = length = 0
        began = time.process_time()
        for picture, quad, text in lines:
            found = recognise_lines(picture, quad[None], models)[0].text
            errors += min(Levenshtein.distance(folded(found), folded(text)), max(len(folded(text)), 1))
            length += len(folded(text))
        results[language] = (errors, length, time.process_time() - began, len(lines))
    return results


def transcripts(data: Path, models: str, metrics) -> list[tuple[str, int, int, float]]:
    sources = {
        "cn_scan_book_p1.txt": ("pdf/cn_scan_book.pdf", 1),
        "cn_scan_simple_p1.txt": ("pdf/cn_scan_simple.pdf", 1),
        "eurotext.txt": ("ocr/eurotext.tif", 0),
        "phototest.gold.txt": ("ocr/phototest-rotated-R.png", 0),
        "ocr_test.tesseract.full_page.md": ("ocr/ocr_test.pdf", 1),
    }
    rows = []
    for name, (path, page) in sources.items():
        if page:
            with PdfFile((data / path).read_bytes(), path) as file:
                picture = file.render(page, 3.0)
        else:
            picture = cv2.imread(str(data / path))
        picture = turn_picture(picture, 360 - orientation(picture)[0])
        began = time.process_time()
        got = "\n".join(text for text, _ in in_order(read(picture, models)))
        seconds = time.process_time() - began
        truth = (data / "ocr/truth" / name).read_text("utf-8")
        a, b = (folded(metrics.normalise(t)) for t in (truth, got))
        rows.append((name, Levenshtein.distance(a, b), max(len(a), len(b)), seconds))
    return rows


def measured(data: Path, models: str, metrics, verbose: bool) -> dict[str, tuple[int, int, float]]:
    """Errors, characters, and seconds per page (100 lines) of every set."""
    read(np.full((200, 300, 3), 255, np.uint8), models)  # load the models before anything is timed
    found = {}
    for name in ("clean", "scan"):
        rows = pages(data, models, name)
        errors, length, seconds, *whole = (sum(r[i] for r in rows) for i in range(1, 6))
        found[f"rendered pages, {name} ({len(rows)})"] = (errors, length, seconds / len(rows))
        if whole[1]:
            found[f"rendered pages, {name}, by the whole character layer"] = (*whole, seconds / len(rows))
        if verbose:
            found.update({f"- {r[0]}": r[1:4] for r in rows})
            found.update({f"- {r[0]}, whole layer": (*r[4:], r[3]) for r in rows if r[5]})
    for language, (errors, length, seconds, count) in line_crops(data, models).items():
        found[f"lines, {language} ({count})"] = (errors, length, 100 * seconds / count)
    if metrics:
        found.update({f"transcript {name}": figures for name, *figures in transcripts(data, models, metrics)})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--metrics", type=Path, help="without it, transcripts are left out")
    parser.add_argument("--models", nargs="+", choices=("small", "tiny"), default=("small", "tiny"))
    parser.add_argument("-v", action="store_true", help="a row for every page")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    metrics = None
    if options.metrics:
        sys.path.insert(0, str(options.metrics.parent))
        import metrics
    columns = [measured(options.data, models, metrics, options.v) for models in options.models]
    print(f"| set | characters | {' | '.join(options.models)} | loss | CPU s {' | CPU s '.join(options.models)} |")
    print(f"| --- | ---: | {'---: | ' * (2 * len(columns) + 1)}")
    for name, (_, length, _) in columns[0].items():
        scores = [1 - column[name][0] / column[name][1] for column in columns]
        cells = [*(f"{score:.4f}" for score in scores), f"{scores[0] - scores[-1]:.4f}"]
        print(f"| {name} | {length} | {' | '.join(cells)} | {' | '.join(f'{c[name][2]:.2f}' for c in columns)} |")


if __name__ == "__main__":
    main()
