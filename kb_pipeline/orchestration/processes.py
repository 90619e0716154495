"""Processes that commands of this installation leave running: written down in KB_HOME/processes, found again, ended.

A process is known by its id and by the moment of its start, so that another one that got the same id later is never
taken for it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import msgspec

from kb_pipeline.records import Record, decode, encode
from kb_pipeline.settings import home, make_home
from kb_pipeline.waiting import told

STOP_S = 15.0  # after SIGTERM, before SIGKILL
POLL_S = 0.05
PROC = Path("/proc")  # Linux


class Process(Record, frozen=True):
    """A process that was started: what it does, its id, when it started as the system tells it."""

    name: str
    pid: int
    started: str

    @property
    def lives(self) -> bool:
        return started_at(self.pid) == self.started


def note(name: str, pid: int) -> Process:
    """Write a process down that was just started; `forget` it when it has ended."""
    living()  # those that ended are not kept for ever
    process = Process(name, pid, started_at(pid))
    folder = make_home(home()) / "processes"
    folder.mkdir(exist_ok=True)
    (folder / f"{pid}.json").write_bytes(encode(process))
    return process


def forget(pid: int) -> None:
    (home() / "processes" / f"{pid}.json").unlink(missing_ok=True)


def living() -> list[Process]:
    """The processes written down that still run; the others are forgotten."""
    found = []
    for path in sorted((home() / "processes").glob("*.json")):
        process = _read(path)
        if process and process.lives:
            found.append(process)
        else:
            path.unlink(missing_ok=True)
    return found


def end(processes: list[Process], seconds: float = STOP_S) -> None:
    """End processes, each with its children where it leads a session: all are told, then killed after that time."""
    for kind, patience in ((signal.SIGTERM, seconds), (signal.SIGKILL, STOP_S)):
        for process in processes:
            if process.lives:
                _signal(process.pid, kind)
        until = time.monotonic() + patience
        with told("processes to end: " + ", ".join(f"{process.name} ({process.pid})" for process in processes)):
            while any(process.lives for process in processes) and time.monotonic() < until:
                time.sleep(POLL_S)
    for process in processes:
        if not process.lives:
            forget(process.pid)


def started_at(pid: int) -> str:
    """When that process started, in the system's own words; empty where it does not run."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        if (PROC / "self/stat").exists():
            return ""
        command = ["ps", "-o", "state=,lstart=", "-p", str(pid)]
        state, _, start = subprocess.run(command, capture_output=True, text=True).stdout.strip().partition(" ")
        return "" if state.startswith("Z") else start.strip()
    return "" if fields[0] in "ZX" else f"{boot} {fields[19]}"


def _read(path: Path) -> Process | None:
    try:
        return decode(path.read_bytes(), Process)
    except (OSError, msgspec.DecodeError):
        return None


def _signal(pid: int, kind: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        if os.getsid(pid) == pid:  # started in a session of its own: its group is itself and its own children
            os.killpg(pid, kind)
        else:
            os.kill(pid, kind)
