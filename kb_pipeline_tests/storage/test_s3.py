"""The object store on a real S3 server."""

from __future__ import annotations

import pytest

from kb_pipeline.errors import StorageUnavailable
from kb_pipeline.storage.catalogue import Catalogue
from kb_pipeline.storage.objects import RemoteStore
from kb_pipeline_tests.s3_server import s3_server


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    with s3_server(tmp_path_factory.mktemp("s3")) as options:
        RemoteStore("s3://kb-test", options).fs.mkdir("kb-test")
        yield options


def test_objects_are_written_listed_read_and_removed(options):
    store = RemoteStore("s3://kb-test/one", options)
    store.write("documents/报告 #1.json", b"{}")
    store.write("documents/b/deep.bin", b"x" * 100_000)
    assert store.names("documents") == ["b", "报告 #1.json"]
    assert store.read("documents/b/deep.bin") == b"x" * 100_000
    assert store.read("documents/none") is None
    store.remove("documents")
    store.remove("documents")
    assert store.read("documents/报告 #1.json") is None


def test_the_pointers_of_many_documents_are_read_at_once(options):
    catalogue = Catalogue(RemoteStore("s3://kb-test/many", options))
    kb = catalogue.create("many", {}).id
    entries = [catalogue.register(kb, f"{n}.pdf", f"/{n}.pdf") for n in range(20)]
    for entry in entries[::2]:
        catalogue.point(entry, kb, "v1")
    found = catalogue.pointers(kb, [*(entry.id for entry in entries), "gone"])
    assert [entry.id for entry in entries if found[entry.id].versions] == [entry.id for entry in entries[::2]]
    assert "gone" not in found


def test_what_another_process_wrote_is_seen_at_once(options):
    """A listing that the client caches would hide it."""
    one = RemoteStore("s3://kb-test/two", options)
    two = RemoteStore("s3://kb-test/two", {**options, "skip_instance_cache": True})
    assert one.names("kbs") == []
    two.write("kbs/new.json", b"1")
    assert one.names("kbs") == ["new.json"]
    two.write("kbs/new.json", b"22")
    assert one.read("kbs/new.json") == b"22"


def test_a_deleted_knowledge_base_does_not_exist_any_more(options):
    """S3 servers may list an emptied folder for minutes: existence hangs on an object, not on a prefix."""
    catalogue = Catalogue(RemoteStore("s3://kb-test/three", options))
    entry = catalogue.create("铜矿", {})
    catalogue.remove_knowledge_base(entry.id)
    assert catalogue.knowledge_bases() == []
    assert catalogue.create("铜矿", {}).id == entry.id


def test_wrong_credentials_and_a_dead_server_are_named_errors(options):
    for broken in ({**options, "secret": "wrong"}, {**options, "endpoint_url": "http://127.0.0.1:9"}):
        store = RemoteStore("s3://kb-test/four", {**broken, "config_kwargs": {"retries": {"total_max_attempts": 1}}})
        with pytest.raises(StorageUnavailable) as caught:
            store.write("a", b"x")
        assert "storage.uri" in caught.value.remedy
