"""Everything for daily use under one process: Dagster's code server, webserver and daemon, and the index owner."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from kb_pipeline.errors import AlreadyRunning, PortTaken, ServiceError
from kb_pipeline.orchestration import processes
from kb_pipeline.orchestration.instance import dagster_home, environment
from kb_pipeline.settings import home, make_home
from kb_pipeline.waiting import told

PR_SET_PDEATHSIG = 1  # of prctl(2)
PACKAGE_PARENT = Path(__file__).parent.parent.parent  # the checkout, or site-packages: on the path of every child
SUPERVISOR = "supervisor"
LOCATION = "kb_pipeline"  # name of the code location, as in pyproject.toml
RESTARTS = 3  # times that a child which died is started again within RESTART_WINDOW
RESTART_WINDOW = 60.0  # seconds
STOP_TIMEOUT = 15.0  # seconds that a child gets to end before it is killed
POLL = 0.05  # seconds


def supervise(port: int, say: Callable[[str], None]) -> int:
    """Start all processes, restart those that die, and end them on SIGINT, SIGTERM or SIGHUP: the index owner too,
    unless another command uses it.

    Args:
        port: of the Dagster UI, on loopback.

    Returns:
        0 when it was told to end.

    Raises:
        AlreadyRunning: this installation has a supervisor.
        PortTaken: somebody else listens on the port.
        HomeUnwritable: KB_HOME cannot be made or written.
        ServiceError: a process died again and again; its log tells why.
    """
    from kb_pipeline.index import lite_server
    from kb_pipeline.index.connect import connect
    from kb_pipeline.settings import load_settings

    with _alone(port):
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
                signal.signal(number, lambda *_: stop.set())
        logs = home() / "logs"
        logs.mkdir(exist_ok=True)
        children = []
        try:
            connect(load_settings().index, home() / "index")
            say(f"index    {home() / 'index'}")
            commands = _commands(port, _free_port())
            children = [_Child(name, command, logs / f"{name}.log") for name, command in commands.items()]
            for child in children:
                child.start()
            say(f"Dagster  http://127.0.0.1:{port}")
            say(f"logs     {logs}")
            while not stop.wait(1.0):
                for child in children:
                    if child.restarted():
                        say(f"{child.name} had ended and was started again: see {child.log}")
        finally:
            end_groups([child.process for child in children if child.process])
            lite_server.stop_unused(home() / "index")
    return 0


@contextlib.contextmanager
def _alone(port: int) -> Iterator[None]:
    """Be the one supervisor of this installation, which `living` then lists, on a port that is free."""
    with open(make_home(home()) / "up.lock", "a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise AlreadyRunning(
                f"kb up runs already in {home()}: {lock.read().strip()}",
                remedy="use that one, end it with `kb down`, or set KB_HOME to another folder",
            ) from None
        _check_port(port)
        lock.truncate(0)
        lock.write(f"http://127.0.0.1:{port} (process {os.getpid()})\n")
        lock.flush()
        processes.note(SUPERVISOR, os.getpid())
        try:
            yield
        finally:
            processes.forget(os.getpid())


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # what was closed a moment ago is free
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise PortTaken(
                f"port {port} of 127.0.0.1 cannot be had: {error.strerror}",
                remedy=f"choose another one, such as `kb up --port {_free_port()}`",
            ) from error


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
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )
        processes.note(self.name, self.process.pid)

    def restarted(self) -> bool:
        """Start it again if it died, unless it does so too often; False where it lives."""
        if self.process is None or self.process.poll() is None:
            return False
        end_groups([self.process])  # what it left of its own children
        recent = [t for t in self.started if time.monotonic() - t < RESTART_WINDOW]
        if len(recent) > RESTARTS:
            raise ServiceError(f"{self.name} ended {len(recent)} times in a minute", remedy=f"see {self.log}")
        self.start()
        return True


def end_groups(leaders: Sequence[subprocess.Popen[bytes]]) -> None:
    """End children that lead a group, and all that is in their groups: told at once, killed after STOP_TIMEOUT."""
    left = list(leaders)
    for kind in (signal.SIGTERM, signal.SIGKILL):
        left = [leader for leader in left if _signal_group(leader, kind)]
        until = time.monotonic() + STOP_TIMEOUT
        with told("Dagster's processes to end"):
            while left and time.monotonic() < until:
                time.sleep(POLL)
                left = [leader for leader in left if _signal_group(leader, 0)]
    for leader in leaders:
        processes.forget(leader.pid)


def _signal_group(leader: subprocess.Popen[bytes], kind: int) -> bool:
    """Signal a group (0: none, only look); False where nobody is left in it."""
    leader.poll()
    with contextlib.suppress(ChildProcessError):  # orphans of the group come to us where we are a container's first
        os.waitpid(-leader.pid, os.WNOHANG)
    try:
        os.killpg(leader.pid, kind)
    except ProcessLookupError:
        return False
    return True


def _end_with_parent() -> None:
    """Let the kernel end this child when the supervisor is killed, which could not do it any more. Only Linux can;
    elsewhere `kb down` ends what is left."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
