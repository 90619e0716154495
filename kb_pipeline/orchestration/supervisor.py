"""Everything for daily use under one process: Dagster's code server, webserver and daemon, and the index owner."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from kb_pipeline.errors import ServiceError
from kb_pipeline.orchestration.instance import dagster_home, environment
from kb_pipeline.settings import home, make_home

PR_SET_PDEATHSIG = 1  # of prctl(2)
PACKAGE_PARENT = Path(__file__).parent.parent.parent  # the checkout, or site-packages: on the path of every child
LOCATION = "kb_pipeline"  # name of the code location, as in pyproject.toml
RESTARTS = 3  # times that a child which died is started again within RESTART_WINDOW
RESTART_WINDOW = 60.0  # seconds
STOP_TIMEOUT = 15.0  # seconds that a child gets to end before it is killed


def supervise(port: int, say: Callable[[str], None]) -> int:
    """Start all processes, restart those that die, and end them on SIGINT or SIGTERM.

    Args:
        port: of the Dagster UI, on loopback.

    Returns:
        0 when it was told to end.

    Raises:
        ServiceError: a process died again and again; its log tells why.
    """
    from kb_pipeline.index.connect import connect
    from kb_pipeline.settings import load_settings

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    logs = make_home(home()) / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    connect(load_settings().index, home() / "index")
    say(f"index    {home() / 'index'}")
    commands = _commands(port, _free_port())
    children = [_Child(name, command, logs / f"{name}.log") for name, command in commands.items()]
    try:
        for child in children:
            child.start()
        say(f"Dagster  http://127.0.0.1:{port}")
        say(f"logs     {logs}")
        while not stop.wait(1.0):
            for child in children:
                child.check()
    finally:
        for child in reversed(children):
            child.stop()
    return 0


def _commands(port: int, code_port: int) -> dict[str, list[str]]:
    """One code server for both: on their own, webserver and daemon would each load the definitions, again and again."""
    code = ["-w", str(_workspace(code_port))]
    module = ["-m", "kb_pipeline.definitions", "-h", "127.0.0.1", "-p", str(code_port)]
    return {
        "code": [sys.executable, "-m", "dagster", "code-server", "start", *module],
        "webserver": [sys.executable, "-m", "dagster_webserver", "-h", "127.0.0.1", "-p", str(port), *code],
        # the script `dagster-daemon` runs the same module, and may lie elsewhere (test_private_dagster.py)
        "daemon": [sys.executable, "-m", "dagster._daemon", "run", *code],
    }


def _workspace(code_port: int) -> Path:
    """A workspace file that names the code server; its location's name stays, so that schedules stay switched on."""
    target = dagster_home() / "workspace.yaml"
    server = f"  - grpc_server: {{host: 127.0.0.1, port: {code_port}, location_name: {LOCATION}}}\n"
    target.write_text(f"load_from:\n{server}")
    return target


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class _Child:
    """One supervised process in its own group, so that its own children end with it."""

    def __init__(self, name: str, command: list[str], log: Path):
        self.name, self.command, self.log = name, command, log
        self.process: subprocess.Popen[bytes] | None = None
        self.started: list[float] = []

    def start(self) -> None:
        self.started.append(time.monotonic())
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command,
                env={**os.environ, **environment()},
                cwd=PACKAGE_PARENT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )

    def check(self) -> None:
        """Start it again if it died, unless it does so too often."""
        if self.process is None or self.process.poll() is None:
            return
        recent = [t for t in self.started if time.monotonic() - t < RESTART_WINDOW]
        if len(recent) > RESTARTS:
            raise ServiceError(f"{self.name} ended {len(recent)} times in a minute", remedy=f"see {self.log}")
        self.start()

    def stop(self) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        _signal_group(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            _signal_group(self.process.pid, signal.SIGKILL)
            self.process.wait()


def _end_with_parent() -> None:
    """Let the kernel end this child when the supervisor is killed, which could not do it any more (Linux)."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _signal_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        return
