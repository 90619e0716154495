from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from kb_pipeline.errors import IndexUnavailable
from kb_pipeline.index import lite_process, lite_server
from kb_pipeline.index.collections import ensure_collection, list_collections, row_count
from kb_pipeline.index.connect import connect
from kb_pipeline.index.rows import write_document
from kb_pipeline.index.vectors import Vectors
from kb_pipeline.settings import IndexSettings
from kb_pipeline_tests.index.lite_owner import kill_owner, owner_pid
from kb_pipeline_tests.index.samples import DIMENSION, chunk, vectors

CALLER = """
import sys
from pathlib import Path
from kb_pipeline.index.lite_server import ensure
print(ensure(Path(sys.argv[1]), float(sys.argv[2]) if sys.argv[2:] else 0.0))
"""
VISITOR = """
import sys
from pathlib import Path
from kb_pipeline.index.connect import connect
from kb_pipeline.settings import IndexSettings
print(connect(IndexSettings(idle_exit_s=float(sys.argv[2])), Path(sys.argv[1])).list_collections(), flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "index"
    lite_server.stop(tmp_path / "index")


def test_callers_that_come_at_once_share_one_owner(folder: Path) -> None:
    command = [sys.executable, "-c", CALLER, str(folder)]
    callers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(5)]
    addresses = {caller.communicate(timeout=60)[0].strip() for caller in callers}
    assert len(addresses) == 1
    assert addresses == {lite_server.ensure(folder)}


def test_the_owner_outlives_its_caller_and_ends_when_told(folder: Path) -> None:
    subprocess.run([sys.executable, "-c", CALLER, str(folder)], check=True, stdout=subprocess.DEVNULL, timeout=60)
    pid = owner_pid(folder)
    assert pid > 0
    assert lite_server.stop(folder) is True
    assert owner_pid(folder) == 0
    assert lite_server.stop(folder) is False


def test_rows_are_there_after_the_owner_was_killed(folder: Path) -> None:
    client = connect(IndexSettings(), folder)
    ensure_collection(client, "kbn_killed", DIMENSION)
    write_document(client, "kbn_killed", "doc", "a", [chunk(i, f"row {i}") for i in range(9)], [], Vectors(vectors(9)))
    kill_owner(folder)
    with pytest.raises(IndexUnavailable) as caught:
        row_count(client, "kbn_killed")
    assert caught.value.exit_code == 3
    again = connect(IndexSettings(), folder)
    assert list_collections(again) == ["kbn_killed"]
    assert row_count(again, "kbn_killed") == 9


@pytest.mark.parametrize(
    "left", ["", "not json", "[]", json.dumps({"pid": 1, "uri": "unix:/nowhere.sock"}), json.dumps({"uri": 5})]
)
def test_what_a_dead_owner_left_does_no_harm(folder: Path, left: str) -> None:
    folder.mkdir()
    (folder / "server.json").write_text(left)
    assert connect(IndexSettings(), folder).list_collections() == []


def test_a_process_that_took_over_the_pid_is_not_ended(folder: Path) -> None:
    lite_server.ensure(folder)
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    announced = folder / "server.json"
    found = announced.read_text()
    announced.write_text(json.dumps(json.loads(found) | {"pid": bystander.pid}))
    with pytest.raises(IndexUnavailable):
        lite_server.stop(folder)
    assert bystander.poll() is None
    bystander.communicate(b"\n")
    announced.write_text(found)


@pytest.mark.parametrize("name", ["a b%41#c", "知识库", "x" * 120])
def test_folders_of_any_name_work(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    client = connect(IndexSettings(), folder)
    assert client.list_collections() == []
    assert lite_server.stop(folder)


def test_an_owner_whose_socket_was_removed_is_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lite_server, "STARTING_S", 0.5)
    first = lite_server.ensure(folder)
    os.unlink(first.removeprefix("unix:"))
    assert lite_server.ensure(folder) != first
    assert connect(IndexSettings(), folder).list_collections() == []


def test_a_damaged_data_file_is_named_with_the_log(folder: Path) -> None:
    folder.mkdir()
    (folder / "milvus.db").write_bytes(b"no database" * 1000)
    with pytest.raises(IndexUnavailable) as caught:
        connect(IndexSettings(), folder)
    assert "index.log" in caught.value.remedy


def test_an_owner_without_clients_ends_and_comes_back_with_its_rows(folder: Path) -> None:
    client = connect(IndexSettings(idle_exit_s=0.5), folder)
    ensure_collection(client, "kbn_idle", DIMENSION)
    write_document(client, "kbn_idle", "doc", "a", [chunk(i, f"row {i}") for i in range(9)], [], Vectors(vectors(9)))
    time.sleep(1.5)
    assert row_count(client, "kbn_idle") == 9  # this process is a client as long as it lives, idle or not
    lite_server.stop(folder)
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", CALLER, str(folder), "0.5"], check=True, stdout=subprocess.DEVNULL)
    ended(folder)
    assert time.monotonic() - started >= 0.5
    assert row_count(connect(IndexSettings(), folder), "kbn_idle") == 9


def test_callers_that_come_while_an_idle_owner_ends_find_a_living_one(folder: Path) -> None:
    """Short visits, one after another, about as far apart as the owner's patience lasts."""
    for pause in (0.0, 0.3, 0.35, 0.4, 0.45, 0.5):
        time.sleep(pause)
        subprocess.run([sys.executable, "-c", VISITOR, str(folder), "0.2"], check=True, timeout=60)


def test_an_owner_that_is_used_elsewhere_is_not_ended_as_unused(folder: Path, monkeypatch) -> None:
    monkeypatch.setattr(lite_server, "LEAVE_S", 0.2)
    command = [sys.executable, "-c", VISITOR + "input()", str(folder), "0"]
    visitor = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert visitor.stdout is not None and visitor.stdout.readline() == b"[]\n"
    lite_server.ensure(folder)
    assert lite_server.stop_unused(folder) is False
    assert owner_pid(folder) > 0
    visitor.communicate(b"\n")
    assert lite_server.stop_unused(folder) is True
    assert owner_pid(folder) == 0


def test_the_watcher_ends_with_its_owner(folder: Path) -> None:
    lite_server.ensure(folder)
    owner = psutil.Process(owner_pid(folder))
    watcher = owner.parent()
    assert watcher is not None and str(folder) in watcher.cmdline()
    owner.kill()
    psutil.wait_procs([watcher], timeout=10)
    assert not watcher.is_running()


def test_the_log_is_one_file_that_does_not_grow_for_ever(tmp_path: Path) -> None:
    log = tmp_path / "index.log"
    with open(log, "ab") as file:
        file.write(b"x" * (lite_process.LOG_BYTES + 1))
        file.flush()
        lite_process.shorten(str(log))
        file.write(b"more")
    assert log.read_bytes() == b"more"
    lite_process.shorten(str(log))
    assert {path.name for path in tmp_path.iterdir()} == {"index.log", "index.log.1"}


def test_the_server_logs_into_the_logs_folder_alone(folder: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    client = connect(IndexSettings(), folder)
    ensure_collection(client, "kbn_log", DIMENSION)
    write_document(client, "kbn_log", "doc", "a", [chunk(0, "row")], [], Vectors(vectors(1)))
    pid = owner_pid(folder)
    assert [path.name for path in (tmp_path / "logs").iterdir()] == ["index.log"]
    assert list(Path("/tmp").glob(f"milvus.*.{pid}")) == list((tmp_path / "temporary").glob("milvus.*")) == []


def test_a_long_wait_is_logged(folder: Path, monkeypatch: pytest.MonkeyPatch, caplog) -> None:
    monkeypatch.setattr("kb_pipeline.waiting.TELL_S", 0.2)
    folder.mkdir()
    with open(folder / "launch.lock", "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        threading.Timer(0.6, lambda: fcntl.flock(file, fcntl.LOCK_UN)).start()
        lite_server.ensure(folder)
    assert "another process that starts or ends the index" in caplog.text


def ended(folder: Path) -> None:
    end = time.monotonic() + 30
    while owner_pid(folder):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexUnavailable, match="file"):
        connect(IndexSettings(), tmp_path / "file" / "index")


@pytest.mark.parametrize("uri", ["http://127.0.0.1:1", "milvus.db", "ftp://x"])
def test_an_address_where_no_server_is_has_a_typed_error(tmp_path: Path, uri: str, monkeypatch) -> None:
    monkeypatch.setattr("kb_pipeline.index.connect.CONNECT_S", 1.0)
    with pytest.raises(IndexUnavailable) as caught:
        connect(IndexSettings(uri=uri), tmp_path)
    assert uri in caught.value.message
    assert caught.value.remedy
