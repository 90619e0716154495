"""An ingest that was told to end went on waiting, for minutes, for a service that did not answer."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.operations.interrupts import GRACE_S
from kb_pipeline.stages.pipeline import open_context
from kb_pipeline_tests.openai_server import Fault, OpenAIServer

PATIENCE_S = 60.0  # until the service is asked
SECONDS = GRACE_S + 10.0  # within which it ends, on a busy machine


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_within_seconds_and_what_was_finished_is_kept(kb_home, tmp_path, told):
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("a.md", "b.md"):
        (docs / name).write_text(f"# Hole {name}\n\nHole ZK305 ended in limestone.\n")
    with OpenAIServer() as server:
        own = {"provider": "openai", "base_url": server.base_url, "api_key": server.api_key, "model": server.model,
               "dimension": 16, "timeout_s": 120}  # fmt: skip
        with open_context() as context:
            kb = context.catalogue.create("one", {f"embedding.{key}": value for key, value in own.items()})
        server.script(*[Fault(mode="hang", seconds=120) for _ in range(4)])
        command = [sys.executable, "-m", "kb_pipeline.cli", "ingest", str(docs), "--kb", "one"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        start = time.monotonic()
        while not server.requests and time.monotonic() - start < PATIENCE_S:
            time.sleep(0.05)
        process.send_signal(told)
        start = time.monotonic()
        try:
            process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
        assert time.monotonic() - start < SECONDS and process.returncode == 128 + told
        server.reset()
        with open_context() as context:
            documents = register(context.catalogue, kb, [str(docs)])
            cut = [context.artefacts.state(one.id).stages["chunks"].at for one in documents]
            assert ingest(kb, documents, context, lambda step: None).ingested == 2
            assert [context.artefacts.state(one.id).stages["chunks"].at for one in documents] == cut
