"""Documents at addresses: changes that were not seen, addresses that became one, credentials that were shown."""

from __future__ import annotations

import json
import logging

import pytest

from kb_pipeline.errors import SourceMissing, StorageUnavailable, UsageError
from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.operations.status import document_status
from kb_pipeline.stages.pipeline import open_context
from kb_pipeline.storage import sources
from kb_pipeline.storage.objects import RemoteStore
from kb_pipeline_tests.file_server import FileServer
from kb_pipeline_tests.s3_server import s3_server


def test_a_change_of_equal_size_is_seen_by_its_date_and_where_there_is_none_by_its_content():
    with FileServer({"/a.csv": b"price,1.5"}, dates={"/a.csv": 1_700_000_000}) as server:
        source = f"{server.address}/a.csv"
        before = sources.stat(source)
        assert sources.stat(source) == before
        server.files["/a.csv"], server.dates["/a.csv"] = b"price,2.5", 1_700_000_100
        assert sources.stat(source) != before
        server.dates.clear()
        before = sources.stat(source)
        assert sources.stat(source) == before
        server.files["/a.csv"] = b"price,3.5"
        assert sources.stat(source) != before


def test_a_tag_or_date_saves_the_download():
    with FileServer({"/a.csv": b"x,1"}, tagged=True) as server:
        sources.stat(f"{server.address}/a.csv")
        assert server.asked == ["HEAD /a.csv"]


ADDRESSES = ("/f?id=1", "/f?id=2", "/f?id=2&v=1", "/f", "/g/", "/g", "/h%20i", "/h%2520i", "/f?q=a%26b=1", "/f?q=a&b=1")


def test_every_address_is_a_document_of_its_own(kb_home):
    with FileServer() as server, open_context() as context:
        kb = context.catalogue.create("web", {})
        given = [server.address + one for one in ADDRESSES]
        entries = register(context.catalogue, kb, given)
        assert [entry.source for entry in entries] == given
        assert len({entry.path for entry in entries}) == len({entry.id for entry in entries}) == len(given)
        host = server.address.removeprefix("http://")
        assert [entry.path for entry in entries[:3]] == [f"{host}/f?id=1", f"{host}/f?id=2", f"{host}/f?id=2&v=1"]
        again = register(context.catalogue, kb, given[::-1])
        assert {entry.path: entry.source for entry in again} == {entry.path: entry.source for entry in entries}
        (same,) = register(context.catalogue, kb, [f"{given[0]}#page=2"])
        assert same.id == entries[0].id


def test_a_query_does_not_hide_the_type_that_a_name_tells(kb_home):
    files = {"/t.csv?v=1.0": b"hole,grade\nZK305,0.47\n", "/d?file=x.md": b"# A\n\nText.\n"}
    with FileServer(files) as server, open_context() as context:
        kb = context.catalogue.create("web", {})
        documents = register(context.catalogue, kb, [server.address + one for one in server.files])
        assert ingest(kb, documents, context, lambda step: None).failures == ()
        kinds = [context.artefacts.state(one.id).stages["raw_file"].metadata["kind"] for one in documents]
    assert kinds[0] == "csv"


def test_credentials_of_an_address_are_used_and_shown_nowhere(kb_home, caplog):
    caplog.set_level(logging.INFO)
    secrets = ("pa55-word", "t0ken-value")
    with FileServer({"/a.md?token=t0ken-value": b"# A\n\nHole ZK305.\n"}, credentials="me:pa55-word") as server:
        host = server.address.removeprefix("http://")
        with open_context() as context:
            kb = context.catalogue.create("web", {})
            (document,) = register(context.catalogue, kb, [f"http://me:pa55-word@{host}/a.md?token=t0ken-value"])
            assert document.path == f"{host}/a.md?token=***"
            assert ingest(kb, [document], context, lambda step: None).failures == ()
            state = document_status(document, context)
            server.credentials = "me:another"
            (failure,) = ingest(kb, [document], context, lambda step: None).failures
            # a new password is no new document
            (same,) = register(context.catalogue, kb, [f"http://me:another@{host}/a.md?token=t0ken-value"])
            assert same.id == document.id
            assert ingest(kb, [same], context, lambda step: None).failures == ()
    said = f"{state} {failure} {caplog.text}"
    kept = {
        path: path.read_bytes()
        for path in kb_home.rglob("*")
        if path.is_file() and any(secret.encode() in path.read_bytes() for secret in secrets)
    }
    assert {path.name for path in kept} <= {"document.json"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)
    assert not [secret for secret in (*secrets, "another") if secret in said], said


def test_what_cannot_be_asked_is_not_gone():
    with FileServer({"/a": b"x"}, credentials="me:pw") as server:
        assert not sources.is_gone(f"{server.address}/a")
        server.credentials = ""
        assert sources.is_gone(f"{server.address}/b") and not sources.is_gone(f"{server.address}/a")
    assert not sources.is_gone("http://127.0.0.1:9/a")
    with pytest.raises(SourceMissing, match=r"127\.0\.0\.1:9"):
        sources.stat("http://127.0.0.1:9/a")


# ---------------------------------------------------------------- folders elsewhere


def test_a_folder_in_memory_and_at_a_file_address_is_listed_like_a_local_one(tmp_path):
    import fsspec

    fs = fsspec.filesystem("memory")
    for name in ("docs/b.md", "docs/a/报告 #1.md", "docs/.git/config", "docs/~$x.docx"):
        fs.pipe_file(f"/list/{name}", b"x")
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    expected = ["a/报告 #1.md", "b.md"]
    for location in ("memory://list/docs", "memory://list/docs/", f"file://{tmp_path}/docs"):
        found = sources.scan(location)
        assert sorted(path for path, _ in found) == expected
        assert all(sources.read(source) == b"x" and sources.is_inside(source, location) for _, source in found)
    assert sources.scan("memory://list/docs/b.md") == [("list/docs/b.md", "memory://list/docs/b.md")]
    before = sources.stat("memory://list/docs/b.md")
    fs.pipe_file("/list/docs/b.md", b"y")
    assert sources.stat("memory://list/docs/b.md") != before
    with pytest.raises(UsageError):
        sources.scan("memory://list/none")


@pytest.fixture(scope="module")
def bucket(tmp_path_factory):
    with s3_server(tmp_path_factory.mktemp("s3")) as options, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", str(options["key"]))
        patch.setenv("AWS_SECRET_ACCESS_KEY", str(options["secret"]))
        patch.setenv("AWS_ENDPOINT_URL", str(options["endpoint_url"]))
        store = RemoteStore("s3://kb-sources/reports", options)
        store.fs.mkdir("kb-sources")
        yield store


def test_a_prefix_of_a_bucket_is_listed_like_a_local_folder(kb_home, bucket):
    texts = {"a.md": "# A\n\nHole ZK305.\n", "deep/er/b #2?x=%20.md": "# B\n\nSpring Q3.\n", ".hidden/c.md": "c"}
    for name, text in texts.items():
        bucket.write(name, text.encode())
    location = "s3://kb-sources/reports/"
    with open_context() as context:
        kb = context.catalogue.create("bucket", {})
        documents = register(context.catalogue, kb, [location])
        assert sorted(one.path for one in documents) == sorted(name for name in texts if not name.startswith("."))
        report = ingest(kb, documents, context, lambda step: None, [location])
        assert (report.failures, report.warnings, report.ingested) == ((), (), 2)
        bucket.remove("a.md")
        bucket.write("deep/er/b #2?x=%20.md", b"# B\n\nSpring Q4.\n")
        left = register(context.catalogue, kb, [location])
        report = ingest(kb, left, context, lambda step: None, [location])
        assert report.ingested == 1
        assert [one.document for one in report.warnings] == ["a.md"] and "gone" in report.warnings[0].reason
        assert ingest(kb, left, context, lambda step: None, [location], prune=True).pruned == ("a.md",)
    assert [path for path, _ in sources.scan("s3://kb-sources")] == ["reports/deep/er/b #2?x=%20.md"]
    with pytest.raises(UsageError):
        sources.scan("s3://kb-sources/nothing/")


def test_a_bucket_that_cannot_be_asked_is_an_outage_and_not_an_empty_folder(bucket, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(StorageUnavailable):
        sources.scan("s3://kb-sources/reports/")
    s3fs.S3FileSystem.clear_instance_cache()


def test_two_buckets_with_a_file_of_one_name_are_two_documents(kb_home):
    import fsspec

    fs = fsspec.filesystem("memory")
    for place in ("one", "two"):
        fs.pipe_file(f"/same/{place}/a.md", place.encode())
    with open_context() as context:
        kb = context.catalogue.create("two", {})
        entries = register(context.catalogue, kb, ["memory://same/one/", "memory://same/two/"])
        assert json.loads(json.dumps([one.path for one in entries])) == ["a.md", "memory://same/two/a.md"]
