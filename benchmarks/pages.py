"""What a page costs: CPU seconds of its parts, and the character sum of every page.

    python benchmarks/pages.py --data DATA [--files NAME.pdf:PAGE ...]

`over` is the cost of reading a digital page over the sum of rendering, one look of the detector and the layout model.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import cv2

sys.path.insert(0, str(Path(__file__).parent.parent))

from kb_pipeline.deepdoc.detection import detect_lines
from kb_pipeline.deepdoc.layout import detect_regions
from kb_pipeline.deepdoc.page import read_page, read_tables, render_page
from kb_pipeline.deepdoc.pdf import PdfFile
from kb_pipeline.settings import Settings

FILES = (
    "2305.03393v1-pg9.pdf:1",
    "normal_4pages.pdf:1",
    "cn_annual_603339_2019.pdf:11",
    "cn_byd_2025q1.pdf:4",
    "cn_thesis_ucas_38pp.pdf:23",
    "cn_gbt3620_1_2016.pdf:4",
    "cn_scan_book.pdf:1",
    "cn_scan_simple.pdf:1",
)


def cpu(function, *arguments, **options):
    began = time.process_time()
    result = function(*arguments, **options)
    return result, time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--files", nargs="+", default=FILES)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    settings = Settings()
    print("| page | source | lines | render | detect | layout | read | tables | over | sum |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    warm = True
    for name in options.files:
        path, _, page = name.rpartition(":")
        with PdfFile((options.data / "pdf" / path).read_bytes(), path) as file:
            (render, characters, picture, _), rendering = cpu(render_page, file, int(page), settings)
            if warm:  # load the models before anything is timed
                read_tables(file, read_page(file, render, characters, picture, settings), characters, picture, settings)
                warm = False
            _, looking = cpu(detect_lines, picture, look_again=False)
            _, laying = cpu(detect_regions, picture)
            layout, reading = cpu(read_page, file, render, characters, picture, settings)
            _, tabling = cpu(read_tables, file, layout, characters, picture, settings)
        kept = sum(len("".join(t.text.split())) for t in (*layout.lines, *layout.dropped))
        over = (rendering + reading) / (rendering + looking + laying)
        balanced = kept == layout.characters and (layout.source != "text layer" or kept == characters.total)
        cells = [f"{v:.2f}" for v in (rendering, looking, laying, reading, tabling, over)]
        print(f"| {name} | {layout.source} | {len(layout.lines)} | {' | '.join(cells)} | {balanced} |", flush=True)


if __name__ == "__main__":
    main()
