"""Table grids, given the table's place: TEDS and structure-only TEDS.

    python benchmarks/tables.py --data DATA --metrics METRICS.py [--sets icdar2013 cn_lattice pubtabnet] [-v]

PDF tables are read from the page with the text layer; `pubtabnet` from its pictures, text recognised. Values are given
for the shipped reader and, with --alone, for the first model without rulings or a second opinion.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import msgspec

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.files.rulings import Rulings
from kb_pipeline.deepdoc.page.read import read_page, read_tables, render_page
from kb_pipeline.deepdoc.page.regions import assign_lines
from kb_pipeline.deepdoc.vision.detection import detect_lines
from kb_pipeline.deepdoc.vision.ocr import Upright, read_quads
from kb_pipeline.records import Box, PageLayout, Region, TableGrid, Verdict
from kb_pipeline.settings import Settings

PICTURE_SCALE = 1.5  # pixels per point that pubtabnet's crops are taken for (they are about 108 dpi)
PICTURE_MARGIN = 6  # pixels of white around them


class NoRulings:
    def rulings(self, page: int) -> Rulings:
        return Rulings()


@lru_cache(maxsize=4)
def page_of(path: Path, page: int):
    settings = Settings()
    file = PdfFile(path.read_bytes(), path.name)
    render, characters, picture, _ = render_page(file, page, settings)
    return file, read_page(file, render, characters, picture, settings), characters, picture


def with_table(layout: PageLayout, box: Box) -> PageLayout:
    """The page with one table region, at that place."""
    regions = (Region("table", box),)
    owners = assign_lines(layout.lines, regions)
    lines = [msgspec.structs.replace(line, region=k) for line, k in zip(layout.lines, owners, strict=True)]
    return msgspec.structs.replace(layout, regions=regions, lines=tuple(lines))


def pdf_tables(data: Path, name: str, settings: Settings) -> Iterator[tuple[str, str, list[TableGrid], float]]:
    for row in map(json.loads, (data / "tables" / name / "truth.jsonl").open()):
        if name == "icdar2013":
            path = data / "tables/icdar2013" / row["pdf"]
            places = [(r["page"], r["bbox_pdf_bl"]) for r in row["regions"]]
        else:
            path = data / row["pdf"]
            places = [(row["page"], row["bbox_topleft_pt"])]
        if len(places) > 1:
            continue  # a table over several pages is put together later
        page, box = places[0]
        file, layout, characters, picture = page_of(path, page)
        if name == "icdar2013":
            box = (box[0], layout.height - box[3], box[2], layout.height - box[1])
        began = time.process_time()
        tables = read_tables(file, with_table(layout, tuple(box)), characters, picture, settings)
        yield row["id"], row["html"], list(tables.tables), time.process_time() - began


def picture_tables(data: Path, name: str, settings: Settings) -> Iterator[tuple[str, str, list[TableGrid], float]]:
    for row in map(json.loads, (data / "tables" / name / "truth.jsonl").open()):
        picture = cv2.imread(str(data / "tables" / name / row["image"]))
        m = PICTURE_MARGIN
        picture = cv2.copyMakeBorder(picture, m, m, m, m, cv2.BORDER_CONSTANT, value=(255, 255, 255))
        began = time.process_time()
        height, width = (v / PICTURE_SCALE for v in picture.shape[:2])
        quads, _ = detect_lines(picture)
        lines = read_quads(Upright(picture, 0, PICTURE_SCALE), quads, "small")
        box = (m / PICTURE_SCALE, m / PICTURE_SCALE, width - m / PICTURE_SCALE, height - m / PICTURE_SCALE)
        layout = PageLayout(1, width, height, "ocr", Verdict("scan", {}), 0, tuple(lines), (), (), 0)
        tables = read_tables(NoRulings(), with_table(layout, box), None, picture, settings)
        yield row["id"], row["html"], list(tables.tables), time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--metrics", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=["icdar2013", "cn_lattice", "pubtabnet"])
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("-v", action="store_true", help="a row for every table")
    options = parser.parse_args()
    sys.path.insert(0, str(options.metrics.parent))
    import metrics

    cv2.setNumThreads(1)
    settings = Settings().merged({"tables.second_opinion": not options.alone})
    print("| set | tables | TEDS | structure only | CPU s a table |\n| --- | ---: | ---: | ---: | ---: |")
    for name in options.sets:
        scores = []
        read = picture_tables if name == "pubtabnet" else pdf_tables
        for label, truth, grids, seconds in read(options.data, name, settings):
            html = grids[0].html if grids else "<table></table>"
            scores.append((metrics.teds(truth, html), metrics.teds(truth, html, True), seconds))
            if options.v:
                how = f"{grids[0].method} {grids[0].confidence} {grids[0].rows}x{grids[0].cols}" if grids else "-"
                print(f"| {label} | {how} | {scores[-1][0]:.3f} | {scores[-1][1]:.3f} | {seconds:.2f} |", flush=True)
        teds, structure, seconds = np.mean(scores, axis=0)
        print(f"| {name} | {len(scores)} | {teds:.4f} | {structure:.4f} | {seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
