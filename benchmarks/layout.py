"""Layout regions: F1 at IoU 0.5 by role, of the layout model alone and of the regions that a page is read into.

python benchmarks/layout.py --data DATA --metrics METRICS.py
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from kb_pipeline.deepdoc.files.pictures import PictureFile
from kb_pipeline.deepdoc.page.read import read_page, render_page
from kb_pipeline.deepdoc.vision.layout import detect_regions
from kb_pipeline.settings import Settings

OMNIDOCBENCH = {
    "title": "title",
    "text_block": "text",
    "figure": "figure",
    "figure_caption": "figure caption",
    "table": "table",
    "table_caption": "table caption",
    "equation_isolated": "equation",
    "header": "header",
    "footer": "footer",
    "page_number": "footer",
    "reference": "reference",
}
PUBLAYNET = {1: "text", 2: "title", 3: "text", 4: "table", 5: "figure"}


def pages(data: Path) -> Iterator[tuple[str, Path, list[tuple[str, tuple[float, ...]]]]]:
    """Set, picture and true regions in pixels of every page."""
    folder = data / "layout/omnidocbench"
    for page in json.loads((folder / "truth.json").read_text("utf-8")):
        true = []
        for region in page["layout_dets"]:
            if region["category_type"] in OMNIDOCBENCH and not region.get("ignore"):
                corners = np.array(region["poly"]).reshape(-1, 2)
                true.append((OMNIDOCBENCH[region["category_type"]], (*corners.min(0), *corners.max(0))))
        yield "omnidocbench", folder / Path(page["page_info"]["image_path"]).name, true
    folder = data / "layout/publaynet"
    coco = json.loads((folder / "coco.json").read_text("utf-8"))
    for image in coco["images"]:
        own = [a for a in coco["annotations"] if a["image_id"] == image["id"]]
        boxes = [(PUBLAYNET[a["category_id"]], a["bbox"]) for a in own]
        yield "publaynet", folder / image["file_name"], [(r, (x, y, x + w, y + h)) for r, (x, y, w, h) in boxes]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--metrics", type=Path, required=True)
    options = parser.parse_args()
    sys.path.insert(0, str(options.metrics.parent))
    import metrics

    cv2.setNumThreads(1)
    settings = Settings()
    gathered: dict[tuple[str, str], list[list]] = {}
    for name, path, true in pages(options.data):
        if not path.is_file():
            continue
        with PictureFile(path.read_bytes(), path.name) as file:
            render, characters, picture, _ = render_page(file, 1, settings)
            layout = read_page(file, render, characters, picture, settings)
        points = cv2.imread(str(path)).shape[1] / render.width
        model = [(r.role, tuple(v / render.scale * points for v in r.box)) for r in detect_regions(picture, 0.5, True)]
        read = [(r.role, tuple(v * points for v in r.box)) for r in layout.regions]
        for role in {r for r, _ in [*true, *model, *read]}:
            for column, side in enumerate((true, model, read)):
                gathered.setdefault((name, role), [[], [], []])[column].append([b for b in side if b[0] == role])
    print("| set | role | true | model alone | as read |\n| --- | --- | ---: | ---: | ---: |")
    totals: dict[str, list[np.ndarray]] = {}
    for (name, role), columns in sorted(gathered.items()):
        counts = [sum(map(len, side)) for side in columns]
        hits = [
            sum(metrics.detection_f1(t, g) * (len(t) + len(g)) / 2 for t, g in zip(columns[0], side, strict=True) if t)
            for side in columns[1:]
        ]
        totals.setdefault(name, []).append(np.array([*counts, *hits]))
        scores = [2 * hit / max(1, counts[0] + n) for hit, n in zip(hits, counts[1:], strict=True)]
        print(f"| {name} | {role} | {counts[0]} | {scores[0]:.3f} | {scores[1]:.3f} |")
    for name, rows in totals.items():
        true, model, read, model_hits, read_hits = np.sum(rows, axis=0)
        first, second = 2 * model_hits / (true + model), 2 * read_hits / (true + read)
        print(f"| {name} | all | {int(true)} | {first:.3f} | {second:.3f} |")


if __name__ == "__main__":
    main()
