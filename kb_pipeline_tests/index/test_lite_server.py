from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_pipeline.errors import IndexUnavailable
from kb_pipeline.index import lite_server
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
print(ensure(Path(sys.argv[1])))
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
    assert "server.log" in caught.value.remedy


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
