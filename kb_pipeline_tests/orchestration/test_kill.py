"""A killed ingest goes on where it was: no finished page is read twice, and nobody stays marked as running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

from kb_pipeline_tests.pdf_pages import text_pdf

PAGES = 8


def kb(*arguments, wait=True):
    command = [sys.executable, "-m", "kb_pipeline.cli", *arguments]
    if not wait:
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def page_notes(home):
    notes = home.glob("store/documents/*/layout_boxes/pages/*.json")
    return {note.name: note.stat().st_mtime_ns for note in notes}


def test_a_killed_ingest_repeats_no_finished_page(kb_home, tmp_path):
    file = tmp_path / "long.pdf"
    file.write_bytes(
        text_pdf([[f"Page {n} of the report.", f"Hole ZK{n} reached {n}00 metres."] for n in range(PAGES)])
    )
    assert kb("create", "k").returncode == 0
    process = kb("ingest", str(file), "--kb", "k", wait=False)
    end = time.monotonic() + 120
    while len(page_notes(kb_home)) < 2 and time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = page_notes(kb_home)
    assert 2 <= len(before) < PAGES

    status = json.loads(kb("status", "--kb", "k", "--json").stdout)["documents"][0]
    assert status["state"] == "failed"
    assert "interrupted" in status["reason"]
    doctor = kb("doctor", "--json")
    checks = {finding["check"] for finding in json.loads(doctor.stdout)["findings"]}
    assert "interrupted documents" in checks

    result = kb("ingest", "--kb", "k", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["ingested"] == 1
    after = page_notes(kb_home)
    assert len(after) == PAGES
    assert {name: after[name] for name in before} == before
    assert kb("doctor").returncode == 0
    status = json.loads(kb("status", "--kb", "k", "--json").stdout)["documents"][0]
    assert status["state"] == "indexed" and status["pages"] == PAGES
