"""The same file gives the same bytes, in processes that order sets differently."""

from __future__ import annotations

import os
import subprocess
import sys

from kb_pipeline_tests.pdf_pages import text_pdf


def test_two_clean_readings_from_the_file_give_equal_bytes(kb_home, tmp_path):
    file = tmp_path / "report.pdf"
    lines = [f"Hole ZK{n} reached {n}12.5 metres in lime-" for n in range(1, 6)]
    file.write_bytes(text_pdf([["1 Drilling", *lines, "stone."], ["2 Water", "The spring yields 0.52 cubic metres."]]))
    outputs = []
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "kb_pipeline.cli", "parse", str(file), "--format", "json"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        outputs.append(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    assert outputs[0] == outputs[1]
    assert b"ZK5" in outputs[0]
