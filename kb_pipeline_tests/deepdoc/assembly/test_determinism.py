"""The same pages give the same bytes, in whatever process."""

from __future__ import annotations

import os
import subprocess
import sys

from kb_pipeline.records import Region, TextLine, encode
from kb_pipeline_tests.assembly_pages import column, grid, line, page, tables

PROGRAM = """
import sys
from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.records import PageLayout, PageTables, decode, encode
from kb_pipeline.settings import Settings
pages, grids = (decode(open(name, "rb").read(), kind) for name, kind in
    ((sys.argv[1], tuple[PageLayout, ...]), (sys.argv[2], tuple[PageTables, ...])))
sys.stdout.buffer.write(encode(assemble(pages, grids, [], Settings())))
"""


def test_two_processes_with_other_hash_seeds_give_equal_bytes(tmp_path):
    pages, grids = [], []
    for n in (1, 2, 3):
        mark = TextLine("内部资料", (150, 150, 450, 450), "text layer", size=40, angle=-45.0, light=0.9)
        cells = [line(text, 100, 700 + i) for i, text in enumerate(("Hole", "Depth", "ZK1", "212.5"))]
        left = column([f"left column of page {n} in line {i} of co-" for i in range(15)], 50, 285, 100, 0)
        right = column([f"operation on the right in line {i}" for i in range(15)], 315, 550, 100, 1)
        header = line("Journal of Rocks", 250, 30)
        regions = (Region("text", (50, 100, 285, 320)), Region("text", (315, 100, 550, 320)))
        pages.append(page([*cells, header, mark, *left, *right], n, regions))
        grids.append(tables(grid([["Hole", "Depth"], ["ZK1", "212.5"]], (0, 1, 2, 3), top=700, number=n), number=n))
    (tmp_path / "pages.json").write_bytes(encode(tuple(pages)))
    (tmp_path / "tables.json").write_bytes(encode(tuple(grids)))
    command = [sys.executable, "-c", PROGRAM, tmp_path / "pages.json", tmp_path / "tables.json"]
    runs = [
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2", "3")
    ]
    assert runs[0] and runs[0] == runs[1] == runs[2]
    assert b"watermark" in runs[0] and b"running header" in runs[0]
