"""`kb up`: the Dagster UI shows the nine assets, a backfill started there runs, `kb down` ends all."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import psutil
import pytest

ASSETS = "{ assetNodes { assetKey { path } groupName partitionDefinition { name } } }"
BACKFILL = """mutation($keys: [String!]!, $assets: [AssetKeyInput!]!) {
  launchPartitionBackfill(backfillParams: {assetSelection: $assets, partitionNames: $keys}) {
    __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }"""
STATE = "query($id: String!) { partitionBackfillOrError(backfillId: $id) { ... on PartitionBackfill { status } } }"


def kb(*arguments):
    return subprocess.run([sys.executable, "-m", "kb_pipeline.cli", *arguments], capture_output=True, text=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Up:
    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "kb_pipeline.cli", "up", "--port", str(port)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def ask(self, query, **variables):
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.url}/graphql", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["data"]

    def wait(self, condition, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process.poll() is None, self.process.stderr.read()
            try:
                found = condition()
            except OSError:
                found = None
            if found:
                return found
            time.sleep(0.5)
        raise TimeoutError


@pytest.fixture
def up(kb_home, tmp_path):
    (tmp_path / "note.md").write_text("# Note\n\nHole ZK305 reached 305 metres.\n")
    assert kb("create", "k").returncode == 0
    assert kb("ingest", str(tmp_path / "note.md"), "--kb", "k").returncode == 0
    running = Up(free_port())
    yield running
    if running.process.poll() is None:
        running.process.send_signal(signal.SIGTERM)  # it ends its children; a kill would leave them
        running.process.wait(60)


def test_the_ui_shows_the_assets_runs_a_backfill_and_ends_with_kb_down(up, tmp_path):
    nodes = [node for node in up.wait(lambda: up.ask(ASSETS)["assetNodes"]) if node["groupName"] == "documents"]
    assert len(nodes) == 9
    assert all(node["partitionDefinition"]["name"] == "documents" for node in nodes)
    document = json.loads(kb("status", "--json").stdout)["documents"][0]

    (tmp_path / "note.md").write_text("# Note\n\nHole ZK306 reached 306 metres.\n")
    assets = [{"path": node["assetKey"]["path"]} for node in nodes]
    launched = up.ask(BACKFILL, keys=[document["id"]], assets=assets)["launchPartitionBackfill"]
    assert launched["__typename"] == "LaunchBackfillSuccess", launched

    def finished():
        status = up.ask(STATE, id=launched["backfillId"])["partitionBackfillOrError"]["status"]
        return status if status not in ("REQUESTED", "CANCELING") else None

    assert up.wait(finished, 200).startswith("COMPLETED_SUCCESS")
    hits = json.loads(kb("search", "ZK306", "--kb", "k", "--json").stdout)["hits"]
    assert "306 metres" in hits[0]["text"]

    children = psutil.Process(up.process.pid).children(recursive=True)
    assert len(children) >= 3
    second = kb("up", "--port", str(free_port()))
    assert second.returncode == 2 and up.url in second.stderr and "kb down" in second.stderr
    names = [one["name"].split(" ")[0] for one in json.loads(kb("down", "--json").stdout)["ended"]]
    assert names[0] == "supervisor"
    assert up.process.wait(10) == 0
    _, alive = psutil.wait_procs(children, timeout=10)
    assert [process.cmdline() for process in alive] == []
    assert kb("down").stdout == "nothing was running\n"
