"""Calls that only Linux has: elsewhere files are read, and cores counted, in another way."""

from __future__ import annotations

import os

from kb_pipeline.cores import usable_cores
from kb_pipeline.deepdoc.files import isolation
from kb_pipeline.orchestration import processes


def test_a_process_for_files_needs_no_memory_file(monkeypatch):
    monkeypatch.delattr(os, "memfd_create", raising=False)
    process = isolation.FileProcess()
    process.put(b"some bytes")
    assert os.pread(process._buffer, 20, 0) == b"some bytes"
    process.end()


def test_cores_are_counted_without_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert usable_cores() == os.cpu_count()


def test_a_process_is_known_without_proc(monkeypatch):
    monkeypatch.setattr(processes, "PROC", processes.PROC / "nowhere")
    assert processes.started_at(os.getpid()) == processes.started_at(os.getpid()) != ""
    assert processes.started_at(2**22 - 1) == ""
