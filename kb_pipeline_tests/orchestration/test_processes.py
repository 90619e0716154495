"""What is left running is found again and ended, and nothing else; one supervisor per installation and port."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from kb_pipeline.errors import AlreadyRunning, HomeUnwritable, PortTaken
from kb_pipeline.index import lite_server
from kb_pipeline.operations.down import end_all
from kb_pipeline.orchestration import processes
from kb_pipeline.orchestration.supervisor import supervise
from kb_pipeline_tests.index.lite_owner import owner_pid

SLEEP = "import time; time.sleep(600)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); time.sleep(600)"
)
# a supervisor whose children are no Dagster: each has a child of its own, as Dagster's have
SUPERVISOR = f"""
import sys
from kb_pipeline.orchestration import supervisor
child = "import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEP!r}])"
supervisor._commands = lambda port, code_port: {{"sleeper": [sys.executable, "-c", child]}}
supervisor.supervise(int(sys.argv[1]), lambda line: print(line, flush=True))
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def up(kb_home) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", SUPERVISOR, str(free_port())], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert any(line.startswith("logs") for line in iter(process.stdout.readline, ""))
    yield process
    end_all()
    process.wait(30)


def below(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The sleeper and its own child."""
    supervisor = psutil.Process(process.pid)
    eventually(lambda: len(supervisor.children(recursive=True)) == 2)
    return supervisor.children(recursive=True)


def eventually(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_signal_ends_all_with_the_index(up, kb_home: Path, number: signal.Signals) -> None:
    children = below(up)
    assert owner_pid(kb_home / "index") > 0
    up.send_signal(number)
    assert up.wait(30) == 0
    assert psutil.wait_procs(children, timeout=5)[1] == []
    assert owner_pid(kb_home / "index") == 0
    assert end_all() == []


def test_the_index_stays_for_a_command_that_uses_it(up, kb_home: Path) -> None:
    lite_server.ensure(kb_home / "index")
    up.send_signal(signal.SIGTERM)
    assert up.wait(30) == 0
    assert owner_pid(kb_home / "index") > 0


def test_down_ends_what_a_killed_supervisor_left(up, kb_home: Path) -> None:
    sleeper, its_own = below(up)
    up.kill()
    up.wait()
    assert [one.name for one in end_all()][-1] == "index"
    assert psutil.wait_procs([sleeper], timeout=10)[1] == []
    with contextlib.suppress(psutil.NoSuchProcess):
        its_own.kill()  # Dagster's see by themselves that they are alone
    assert owner_pid(kb_home / "index") == 0


def test_a_child_that_dies_is_started_again_and_that_is_told(up) -> None:
    first, *others = below(up)
    first.kill()
    assert up.stdout.readline().startswith("sleeper had ended and was started again")
    assert psutil.wait_procs(others, timeout=5)[1] == []


def test_a_second_supervisor_is_told_of_the_first(up) -> None:
    with pytest.raises(AlreadyRunning, match=f"http://127.0.0.1:.*{up.pid}") as caught:
        supervise(free_port(), print)
    assert "kb down" in caught.value.remedy
    assert up.poll() is None


def test_a_port_that_is_taken_is_told_before_anything_starts(kb_home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(PortTaken, match="Address already in use") as e:
        supervise(taken.getsockname()[1], print)
    assert "--port" in e.value.remedy
    assert not (kb_home / "index").exists()


def test_another_process_that_got_the_id_is_let_alone(kb_home: Path) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", SLEEP])
    noted = processes.note("ingest", bystander.pid)
    assert processes.living() == [noted]
    record = kb_home / "processes" / f"{bystander.pid}.json"
    record.write_text(record.read_text().replace(noted.started, "another moment"))
    assert end_all() == []
    assert bystander.poll() is None
    assert not record.exists()
    bystander.kill()
    bystander.wait()
    assert processes.started_at(bystander.pid) == ""


def test_what_does_not_listen_is_killed(kb_home: Path) -> None:
    command = [sys.executable, "-c", STUBBORN]
    stubborn = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert stubborn.stdout is not None and stubborn.stdout.readline()
    noted = processes.note("ingest", stubborn.pid)
    processes.end([noted], 0.2)
    assert stubborn.wait(10) == -signal.SIGKILL
    assert processes.living() == []


@pytest.mark.parametrize("place", ["a file", "read-only"])
def test_a_home_that_cannot_be_written_is_told_with_the_remedy(kb_home: Path, monkeypatch, place: str) -> None:
    if place == "a file":
        kb_home.write_text("")
        monkeypatch.setenv("KB_HOME", str(kb_home / "home"))
    else:
        kb_home.mkdir()
        monkeypatch.setattr(os, "access", lambda *_: False)  # a superuser may write everywhere
    with pytest.raises(HomeUnwritable, match="home") as caught:
        supervise(free_port(), print)
    assert "KB_HOME" in caught.value.remedy
    command = [sys.executable, "-m", "kb_pipeline.cli", "demo"]
    if place == "a file":
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 3 and "set KB_HOME" in result.stderr and "Traceback" not in result.stderr
