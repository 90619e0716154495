"""A real S3 server (SeaweedFS) on loopback, for tests."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

KEY, SECRET = "kb-test", "kb-test-secret"
START_TIMEOUT = 60.0  # seconds


@contextlib.contextmanager
def s3_server(folder: Path) -> Iterator[dict[str, object]]:
    """Run the server with its data in `folder`; yields the storage options that reach it."""
    (folder / "data").mkdir(parents=True)
    identity = {"name": "kb", "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
                "actions": ["Admin", "Read", "List", "Tagging", "Write"]}  # fmt: skip
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    master, master_rpc, volume, volume_rpc, filer, filer_rpc, s3, s3_rpc = _free_ports(8)
    command = [
        str(Path(sys.executable).parent / "weed"), "-logtostderr=true", "server", f"-dir={folder / 'data'}",
        "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-master.port={master}", f"-master.port.grpc={master_rpc}",
        "-master.telemetry=false", "-master.volumeSizeLimitMB=64", "-master.electionTimeout=1s",
        f"-volume.port={volume}", f"-volume.port.grpc={volume_rpc}", "-volume.max=0", "-volume.preStopSeconds=0",
        "-filer=true", f"-filer.port={filer}", f"-filer.port.grpc={filer_rpc}",
        f"-filer.localSocket={folder}/filer.sock", "-s3=true", f"-s3.port={s3}", f"-s3.port.grpc={s3_rpc}",
        f"-s3.config={folder / 's3.json'}", f"-s3.localSocket={folder}/s3.sock", "-s3.iam=false",
        "-s3.port.iceberg=0", "-s3.port.lance=0",  # their fixed default ports would meet in parallel test runs
    ]  # fmt: skip
    with open(folder / "weed.log", "ab") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=folder, env={**os.environ, "HOME": str(folder)}, start_new_session=True
        )
    try:
        _wait(f"http://127.0.0.1:{s3}/healthz", process)
        yield {"endpoint_url": f"http://127.0.0.1:{s3}", "key": KEY, "secret": SECRET}
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(2)  # its data goes with the folder
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_TIMEOUT
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the S3 server ended with {process.returncode}")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(url)
