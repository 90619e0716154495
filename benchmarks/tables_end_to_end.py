"""Tables from page to grid, nothing given: TEDS of the largest table that is found, 0 where there is none.

    python benchmarks/tables_end_to_end.py --metrics METRICS.py [--data DATA] [--sets generated pubtabnet cn_lattice]

`generated`: pages with one table without rulings (kb_pipeline_tests/borderless_tables.py), `--count` of them from seed
`--first`; the other sets are whole pictures of tables under DATA/tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import cv2
import numpy as np

from kb_pipeline.deepdoc.page.read import read_page, read_tables, render_page
from kb_pipeline.records import PageTables
from kb_pipeline.settings import Settings
from kb_pipeline.stages.page_source import open_paged


def tables_of(data: bytes, kind: str, name: str, settings: Settings) -> PageTables:
    """The tables of a file's first page."""
    file = open_paged(data, kind, name, settings)
    render, characters, picture, _ = render_page(file, 1, settings)
    layout = read_page(file, render, characters, picture, settings)
    return read_tables(file, layout, characters, picture, settings)


def generated(first: int, count: int) -> Iterator[tuple[str, str, bytes, str]]:
    from kb_pipeline_tests.borderless_tables import borderless_page

    for seed in range(first, first + count):
        page = borderless_page(seed)
        yield f"seed {seed}", page.truth, page.pdf, "pdf"


def pictures(data: Path, name: str) -> Iterator[tuple[str, str, bytes, str]]:
    for row in map(json.loads, (data / "tables" / name / "truth.jsonl").open()):
        path = (
            data / "tables" / name / row["image"]
            if "image" in row
            else data / "tables" / name / "crops" / f"{row['id']}.png"
        )
        if path.exists():
            yield row["id"], row["html"], path.read_bytes(), "jpeg" if path.suffix in (".jpg", ".jpeg") else "png"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--metrics", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=["generated"])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("-v", action="store_true", help="a row for every table")
    options = parser.parse_args()
    sys.path.insert(0, str(options.metrics.parent))
    import metrics

    cv2.setNumThreads(1)
    settings = Settings()
    print("| set | tables | TEDS | structure only | none found |\n| --- | ---: | ---: | ---: | ---: |")
    for name in options.sets:
        source = generated(options.first, options.count) if name == "generated" else pictures(options.data, name)
        scores = []
        for label, truth, data, kind in source:
            found = tables_of(data, kind, label, settings).tables
            largest = max(found, key=lambda grid: len(grid.cells), default=None)
            html = largest.html if largest else "<table></table>"
            scores.append((metrics.teds(truth, html), metrics.teds(truth, html, True), not found))
            if options.v:
                how = f"{largest.method} {largest.rows}x{largest.cols}" if largest else "-"
                print(
                    f"| {label} | {len(found)} found, {how} | {scores[-1][0]:.3f} | {scores[-1][1]:.3f} | |", flush=True
                )
        teds, structure, none = np.mean(scores, axis=0)
        print(f"| {name} | {len(scores)} | {teds:.4f} | {structure:.4f} | {round(none * len(scores))} |", flush=True)


if __name__ == "__main__":
    main()
