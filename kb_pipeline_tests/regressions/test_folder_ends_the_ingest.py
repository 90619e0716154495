"""Things in a folder that hung or ended its ingest: pipes, sockets, links in a circle, names that are no UTF-8."""

from __future__ import annotations

import json
import os
import socket
import threading

import pytest

from kb_pipeline.errors import SourceMissing, UsageError
from kb_pipeline.operations.chunks import preview_chunks
from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.operations.parse import parse
from kb_pipeline.operations.status import document_status
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.settings import Settings
from kb_pipeline.stages.pipeline import open_context
from kb_pipeline.storage import sources

PATIENCE = 20.0  # seconds, of what would wait for ever


def within_patience(call):
    """What a call gives, which must come to an end."""
    found = []
    thread = threading.Thread(target=lambda: found.append(call()), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert found, "it hangs"
    return found[0]


def test_only_regular_files_are_taken_and_links_in_a_circle_end(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    (tmp_path / "a.md").write_text("# A\n")
    os.mkfifo("pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.md")
        os.symlink("/dev/zero", "device.md")
        os.symlink("itself.md", "itself.md")
        os.symlink("gone", "broken.md")
        os.symlink(".", "circle")
        os.symlink("a.md", "linked.md")
        found = within_patience(lambda: sources.scan(str(tmp_path)))
    assert [path for path, _ in found] == ["a.md", "linked.md"]
    for name in ("pipe.md", "socket.md", "device.md", "itself.md", "broken.md"):
        assert name in caplog.text  # nothing is left out without a word


def test_a_file_that_became_a_pipe_is_that_documents_failure(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")

    def read():
        with pytest.raises(SourceMissing, match=r"pipe\.md is no regular file") as caught:
            sources.read(str(tmp_path / "pipe.md"))
        return caught

    assert within_patience(read)
    with pytest.raises(UsageError):
        sources.scan(str(tmp_path / "pipe.md"))


NAMES = [b"caf\xe9.md", b"caf%E9.md", b"\xff\xfe.md", b"line\nend.md", "报告.md".encode()]


@pytest.fixture
def folder(tmp_path):
    folder = os.fsencode(tmp_path / "docs")
    os.makedirs(os.path.join(folder, b"d\xe9p"))
    for number, name in enumerate([*NAMES, b"d\xe9p/a.md"]):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"# Hole\n\nHole ZK30%d ended in limestone.\n" % number)
    return os.fsdecode(folder)


def test_any_name_is_ingested_listed_and_found(kb_home, folder):
    with open_context() as context:
        kb = context.catalogue.create("names", {})
        documents = register(context.catalogue, kb, [folder])
        assert len({one.path for one in documents}) == len({one.id for one in documents}) == 6
        report = ingest(kb, documents, context, lambda step: None, [folder])
        assert (report.failures, report.warnings, report.ingested) == ((), (), 6)
        for one in documents:
            json.dumps(one.path, ensure_ascii=False).encode("utf-8")
            assert document_status(one, context).state == "indexed"
            assert b"ended" in sources.read(one.source)
        assert ingest(kb, register(context.catalogue, kb, [folder]), context, lambda step: None).unchanged == 6
        single = os.path.join(folder, os.fsdecode(NAMES[0]))
        (same,) = register(context.catalogue, kb, [single])
        assert same in documents
    hits = KnowledgeBase.open("names").search("ZK302")
    assert hits[0].document == "%FF%FE.md"
    assert {"caf%E9.md", "line%0Aend.md", "报告.md", "d%E9p/a.md"} <= {one.path for one in documents}


def test_a_single_file_of_any_name_is_read_without_keeping_it(kb_home, folder):
    single = os.path.join(folder, os.fsdecode(NAMES[0]))
    assert "ZK300" in parse(single, Settings()).sections[-1].text
    with open_context() as context:
        assert preview_chunks(single, None, "", {}, context).document == "caf%E9.md"


def test_a_name_is_told_readably_where_it_cannot_be_read(folder):
    missing = os.path.join(folder, os.fsdecode(b"g\xf6ne.md"))
    with pytest.raises(UsageError) as caught:
        sources.scan(missing)
    str(caught.value).encode("utf-8")
    for call in (sources.stat, sources.read):
        with pytest.raises(SourceMissing) as failed:
            call(missing)
        assert "g%F6ne.md" in failed.value.reason
