"""A killed ingest goes on where it was: no finished page is read twice, and nobody stays marked as running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from kb_pipeline import cli
from kb_pipeline_tests.pdf_pages import text_pdf

PAGES = 8


@pytest.fixture
def kb(monkeypatch, capsys):
    """Run a command in this process; returns exit code and stdout."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["kb", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            cli.main()
        return end.value.code, capsys.readouterr().out

    return run


def begun(*arguments):
    """A command in a process of its own, to be killed."""
    command = [sys.executable, "-m", "kb_pipeline.cli", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def page_notes(home):
    notes = home.glob("store/documents/*/layout_boxes/pages/*.json")
    return {note.name: note.stat().st_mtime_ns for note in notes}


def test_a_killed_ingest_repeats_no_finished_page(kb, kb_home, tmp_path):
    file = tmp_path / "long.pdf"
    file.write_bytes(
        text_pdf([[f"Page {n} of the report.", f"Hole ZK{n} reached {n}00 metres."] for n in range(PAGES)])
    )
    assert kb("create", "k")[0] == 0
    process = begun("ingest", str(file), "--kb", "k")
    end = time.monotonic() + 120
    while len(page_notes(kb_home)) < 2 and time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = page_notes(kb_home)
    assert 2 <= len(before) < PAGES

    status = json.loads(kb("status", "--kb", "k", "--json")[1])["documents"][0]
    assert status["state"] == "failed"
    assert "interrupted" in status["reason"]
    checks = {finding["check"] for finding in json.loads(kb("doctor", "--json")[1])["findings"]}
    assert "interrupted documents" in checks

    code, out = kb("ingest", "--kb", "k", "--json")
    assert code == 0
    assert json.loads(out)["ingested"] == 1
    after = page_notes(kb_home)
    assert len(after) == PAGES
    assert {name: after[name] for name in before} == before
    assert kb("doctor")[0] == 0
    status = json.loads(kb("status", "--kb", "k", "--json")[1])["documents"][0]
    assert status["state"] == "indexed" and status["pages"] == PAGES
