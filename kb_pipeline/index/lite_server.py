"""One owner process for a Milvus Lite folder, shared by every process of an installation through a unix socket.

Milvus Lite lets one process open a file. So the first caller starts an owner that outlives it, and everybody connects
to the owner's socket. The folder holds: `milvus.db` (the data), `server.json` (pid and address of the owner), `LOCK`
(held by the living owner), `CLIENTS` (held shared by every process that uses it) and `launch.lock` (held while somebody
starts or stops it). Its log is `logs/index.log` beside the folder: KB_HOME/logs. An owner without clients ends by
itself (lite_process.py).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from kb_pipeline.errors import IndexUnavailable
from kb_pipeline.waiting import told

LAUNCH_S = 180.0  # a folder of 500,000 rows took 101 s to open
STARTING_S = 30.0  # how long an owner that holds the lock may stay unreachable before it is replaced
STOP_S = 10.0  # after SIGTERM, before SIGKILL
POLL_S = 0.02
SOCKET_BYTES = 103  # sockaddr_un holds 108 bytes, on macOS 104, one of them the closing NUL
SUFFIX_BYTES = len("-1234567890.sock")
LEAVE_S = 5.0  # how long clients that are just ending may keep an owner from being stopped as unused

# what a path may hold so that gRPC's URI parser takes it as it is
_URI_SAFE = re.compile(r"[A-Za-z0-9/._-]+")
_clients: dict[Path, BinaryIO] = {}  # the folders that this process is a client of, with their CLIENTS held shared


def ensure(folder: Path, idle_exit_s: float = 0.0) -> str:
    """Address (`unix:…`) of the folder's owner, which is started where none answers. Safe for any number of callers.
    This process counts as a client from then on, until it ends or calls `stop`.

    Args:
        idle_exit_s: an owner that is started now ends after so many seconds without a client; 0 for never.

    Raises:
        IndexUnavailable: the server does not start, with the last line of its log.
    """
    folder = _made(folder)
    _become_client(folder)
    if uri := _reachable(folder):
        return uri
    with _launching(folder):
        if uri := _reachable(folder):
            return uri
        if _owned(folder):  # still opening its file, or its socket was removed under it
            answers = _wait(lambda: _reachable(folder) or not _owned(folder), STARTING_S, "the owner to answer")
            if answers and (uri := _reachable(folder)):
                return uri
            _end_owner(folder)
        return _launch(folder, idle_exit_s)


def stop(folder: Path) -> bool:
    """End the folder's owner; False where none was running.

    Raises:
        IndexUnavailable: the owner cannot be told or does not end.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        return False
    _leave(folder)
    with _launching(folder):
        return _end_owner(folder)


def stop_unused(folder: Path) -> bool:
    """End the folder's owner unless another process is its client; False where it goes on, or none was running.

    Raises:
        IndexUnavailable: the owner cannot be told or does not end.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        return False
    _leave(folder)
    with open(folder / "CLIENTS", "ab") as file:
        if not _wait(lambda: _locks(file), LEAVE_S, "the last clients of the index to end"):
            return False
        with _launching(folder):
            return _end_owner(folder)


# ---------------------------------------------------------------- the owner


def _launch(folder: Path, idle_exit_s: float) -> str:
    _forget(folder)
    log = _made(folder.parent / "logs") / "index.log"
    command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("lite_process.py")),
               str(folder), str(_binary()), str(_sockets(folder)), str(log), str(idle_exit_s)]  # fmt: skip
    with open(log, "ab") as file:
        before = file.tell()
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True)
    if result.returncode:
        raise _failed(log, before, f"Milvus Lite did not start (exit code {result.returncode})")
    if not _wait(lambda: _reachable(folder) or not _owned(folder), LAUNCH_S, "Milvus Lite to open its data"):
        raise _failed(log, before, f"Milvus Lite does not answer after {LAUNCH_S:.0f} s")
    if uri := _reachable(folder):
        return uri
    raise _failed(log, before, "Milvus Lite ended while starting")


def _end_owner(folder: Path) -> bool:
    if not _owned(folder):
        _forget(folder)
        return False
    _wait(lambda: "pid" in _announced(folder), STOP_S, "the owner to say who it is")
    pid = int(_announced(folder).get("pid", 0))
    if not _is_ours(pid, folder):
        raise IndexUnavailable(
            f"{folder / 'LOCK'} is held by a process that is not known", remedy="end the process that holds it"
        )
    for kind in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, kind)
        if _wait(lambda: not _owned(folder), STOP_S, f"Milvus Lite, process {pid}, to end"):
            _forget(folder)
            return True
    raise IndexUnavailable(f"Milvus Lite, process {pid}, does not end", remedy="end that process")


def _is_ours(pid: int, folder: Path) -> bool:
    """Whether that process's command line names the folder's data file: a reused pid never gets our signal."""
    if pid <= 0:
        return False
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        words = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True).stdout
    return os.fsencode(folder) in words


def _reachable(folder: Path) -> str:
    """The announced address if somebody listens there, else an empty string."""
    uri = str(_announced(folder).get("uri", ""))
    if not uri.startswith("unix:"):
        return ""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(2.0)
        try:
            probe.connect(uri.removeprefix("unix:"))
        except OSError:
            return ""
    return uri


def _announced(folder: Path) -> dict:
    try:
        found = json.loads((folder / "server.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _owned(folder: Path) -> bool:
    """Whether a living process holds the folder's lock. Call it under the launch lock: it takes the lock to see."""
    with open(folder / "LOCK", "ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _forget(folder: Path) -> None:
    (folder / "server.json").unlink(missing_ok=True)


# ---------------------------------------------------------------- places


def _binary() -> Path:
    spec = importlib.util.find_spec("milvus_lite")
    path = Path(spec.origin).parent / "lib" / "milvus" if spec and spec.origin else None
    if path is None or not path.is_file():
        raise IndexUnavailable(
            "Milvus Lite is not installed for this system",
            remedy="pip install milvus-lite==2.5.1 (Linux, macOS), or set index.uri to a Milvus server",
        )
    return path


def _sockets(folder: Path) -> Path:
    """Stem of the socket's path: in the folder where that is short and plain, else in a private temporary folder."""
    if _fits(folder / "milvus"):
        return folder / "milvus"
    for base in (tempfile.gettempdir(), "/tmp"):
        private = Path(base) / f"kb-{os.getuid()}"
        stem = private / hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
        if _fits(stem):
            private.mkdir(mode=0o700, exist_ok=True)
            if private.stat(follow_symlinks=False).st_uid != os.getuid():
                raise IndexUnavailable(f"{private} belongs to another user", remedy="remove it, or set TMPDIR")
            return stem
    raise IndexUnavailable(f"no short path for a socket of {folder}", remedy="set TMPDIR to a short path")


def _fits(stem: Path) -> bool:
    return len(os.fsencode(stem)) <= SOCKET_BYTES - SUFFIX_BYTES and _URI_SAFE.fullmatch(str(stem)) is not None


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IndexUnavailable(
            f"{folder} cannot be made: {error.strerror}", remedy="set KB_HOME to a writable folder"
        ) from error
    return folder.resolve()


# ---------------------------------------------------------------- clients, locks, waits


def _become_client(folder: Path) -> None:
    """Hold CLIENTS shared while this process lives. Waits while an owner that nobody used is being ended."""
    if folder in _clients:
        return
    file = open(folder / "CLIENTS", "ab")  # noqa: SIM115 - it stays open
    _lock(file, fcntl.LOCK_SH, "an unused owner to end")
    os.utime(file.fileno())  # the watcher sees that somebody came, however short the visit
    _clients[folder] = file


def _leave(folder: Path) -> None:
    if file := _clients.pop(folder, None):
        file.close()


@contextlib.contextmanager
def _launching(folder: Path) -> Iterator[None]:
    with open(folder / "launch.lock", "ab") as file:  # freed by the system if we die
        _lock(file, fcntl.LOCK_EX, "another process that starts or ends the index")
        yield


def _lock(file: BinaryIO, kind: int, what: str) -> None:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        with told(what):
            fcntl.flock(file, kind)


def _locks(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait(condition: Callable[[], object], seconds: float, what: str) -> bool:
    end = time.monotonic() + seconds
    with told(what):
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(POLL_S)
    return True


def _failed(log: Path, before: int, message: str) -> IndexUnavailable:
    """The error with the last line that the log got since its length was `before`."""
    lines = log.read_bytes()[before:].decode("utf-8", "replace").strip().splitlines() if log.exists() else []
    last = f": {lines[-1][:500]}" if lines else ""
    return IndexUnavailable(message + last, remedy=f"see {log}, or set index.uri to a Milvus server")
