"""Text detection and recognition: character accuracy on page pictures, line crops and transcribed scans.

    python benchmarks/ocr.py --data DATA --metrics METRICS.py [--models small|tiny]

Edit distances leave out white space. On pages, true and found lines are compared in groups whose boxes overlap, so that
neither reading order nor a line found in two pieces counts as an error; text in pictures, which no true line covers, is
left out.
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

from kb_pipeline.deepdoc.detection import detect_lines
from kb_pipeline.deepdoc.geometry import quad_box
from kb_pipeline.deepdoc.recognition import recognise_lines

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


def pages(data: Path, models: str, name: str) -> list[tuple[str, int, int, float]]:
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
        rows.append((Path(row["image"]).stem, *group_errors(true, found), time.process_time() - began))
    return rows


def line_crops(data: Path, models: str) -> dict[str, tuple[int, int, float]]:
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
        results[language] = (errors, length, time.process_time() - began)
    return results


def transcripts(data: Path, models: str, metrics) -> list[tuple[str, float]]:
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
            import pypdfium2

            picture = np.ascontiguousarray(
                pypdfium2.PdfDocument(data / path)[page - 1].render(scale=3).to_numpy()[:, :, :3]
            )
        else:
            picture = cv2.imread(str(data / path))
        from kb_pipeline.deepdoc.orientation import orientation, turn_picture

        picture = turn_picture(picture, 360 - orientation(picture)[0])
        got = "\n".join(text for text, _ in in_order(read(picture, models)))
        truth = (data / "ocr/truth" / name).read_text("utf-8")
        a, b = (folded(metrics.normalise(t)) for t in (truth, got))
        rows.append((name, Levenshtein.normalized_similarity(a, b)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--metrics", type=Path)
    parser.add_argument("--models", choices=("small", "tiny"), default="small")
    parser.add_argument("-v", action="store_true", help="a row for every page")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    print("| set | characters | accuracy | CPU s |\n| --- | ---: | ---: | ---: |")
    for name in ("clean", "scan"):
        rows = pages(options.data, options.models, name)
        if options.v:
            for stem, errors, length, seconds in rows:
                print(f"| {stem} | {length} | {1 - errors / length:.4f} | {seconds:.1f} |")
        errors, length, seconds = (sum(r[i] for r in rows) for i in (1, 2, 3))
        print(f"| rendered pages, {name} | {length} | {1 - errors / length:.4f} | {seconds:.1f} |", flush=True)
    for language, (errors, length, seconds) in line_crops(options.data, options.models).items():
        print(f"| lines, {language} | {length} | {1 - errors / length:.4f} | {seconds:.1f} |", flush=True)
    if options.metrics:
        sys.path.insert(0, str(options.metrics.parent))
        import metrics

        for name, score in transcripts(options.data, options.models, metrics):
            print(f"| transcript {name} | | {score:.4f} | |", flush=True)


if __name__ == "__main__":
    main()
