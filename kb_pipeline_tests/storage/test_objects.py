"""Object stores: the same behaviour in a folder, in memory and on an fsspec file system."""

from __future__ import annotations

import threading
import uuid

import pytest

from kb_pipeline.errors import StorageUnavailable
from kb_pipeline.storage.objects import FolderStore, MemoryStore, RemoteStore, open_store


@pytest.fixture(params=["folder", "memory", "fsspec"])
def store(request, tmp_path):
    if request.param == "folder":
        return FolderStore(tmp_path / "store")
    if request.param == "memory":
        return MemoryStore()
    return RemoteStore(f"memory://{uuid.uuid4().hex}", {})


def test_a_written_object_is_read_back_and_replaced(store):
    assert store.read("a/b.json") is None
    store.write("a/b.json", b"one")
    store.write("a/b.json", b"two")
    assert store.read("a/b.json") == b"two"


def test_many_objects_are_read_at_once_in_the_order_asked_for(store):
    for n in range(40):
        store.write(f"a/{n}", str(n).encode())
    asked = ["a/39", "a/none", *(f"a/{n}" for n in range(40)), "none/at/all"]
    assert store.read_many(asked) == [store.read(name) for name in asked]
    assert store.read_many([]) == []


def test_names_lists_one_level_sorted(store):
    for name in ("kb/z.json", "kb/a.json", "kb/sub/deep.json"):
        store.write(name, b"x")
    assert store.names("kb") == ["a.json", "sub", "z.json"]
    assert store.names("nothing") == []


def test_remove_takes_an_object_or_a_whole_folder_and_may_be_repeated(store):
    store.write("d/one", b"1")
    store.write("d/two", b"2")
    store.remove("d/one")
    assert store.names("d") == ["two"]
    store.remove("d")
    store.remove("d")
    assert store.read("d/two") is None


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a//b", "a/./b", ""])
def test_names_that_leave_the_store_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match="not an object name"):
        FolderStore(tmp_path).write(name, b"x")


def test_readers_never_see_half_an_object(tmp_path):
    """Writers replace one large object while readers read it: every read is one writer's whole object."""
    store, size = FolderStore(tmp_path), 1 << 20
    store.write("o", b"a" * size)
    torn = []

    def read():
        for _ in range(200):
            data = store.read("o")
            if len(data) != size or len(set(data[:: size // 64])) != 1:
                torn.append(data[:8])

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for letter in b"bcdefgh" * 5:
        store.write("o", bytes([letter]) * size)
    for reader in readers:
        reader.join()
    assert torn == []
    assert list(tmp_path.iterdir()) == [tmp_path / "o"]  # no partial file is left


def test_a_full_or_forbidden_disk_is_a_named_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageUnavailable) as caught:
        FolderStore(tmp_path / "file").write("o", b"x")
    assert caught.value.remedy


def test_an_address_opens_a_remote_store_and_a_path_a_folder(tmp_path):
    assert isinstance(open_store("memory://bucket/prefix", {}), RemoteStore)
    assert isinstance(open_store(str(tmp_path), {}), FolderStore)
    assert isinstance(open_store(f"file://{tmp_path}", {}), FolderStore)
