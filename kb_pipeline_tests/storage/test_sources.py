"""Sources: scanning, stat and reading."""

from __future__ import annotations

import os

import pytest

from kb_pipeline.errors import SourceMissing, UsageError
from kb_pipeline.storage import sources


def test_a_folder_gives_its_documents_by_path_and_leaves_hidden_files_out(tmp_path):
    for name in ("b.pdf", "a/报告.pdf", ".hidden", ".git/config", "~$lock.docx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    assert [path for path, _ in sources.scan(str(tmp_path))] == ["b.pdf", "a/报告.pdf"]


def test_a_file_goes_by_its_name_and_an_address_by_host_and_path(tmp_path):
    (tmp_path / "x.pdf").write_bytes(b"x")
    assert sources.scan(str(tmp_path / "x.pdf")) == [("x.pdf", str(tmp_path / "x.pdf"))]
    assert sources.scan("https://host/a%20b.pdf") == [("host/a b.pdf", "https://host/a%20b.pdf")]


def test_nothing_there_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError):
        sources.scan(str(tmp_path / "no"))


def test_stat_changes_with_the_file(tmp_path):
    file = tmp_path / "x"
    file.write_bytes(b"1")
    before = sources.stat(str(file))
    assert sources.stat(str(file)) == before
    os.utime(file, ns=(1, 1))
    assert sources.stat(str(file)) != before


def test_a_source_that_is_gone_is_named_with_a_remedy(tmp_path):
    for call in (sources.stat, sources.read):
        with pytest.raises(SourceMissing) as caught:
            call(str(tmp_path / "gone.pdf"))
        assert "gone.pdf" in str(caught.value) and caught.value.remedy
    with pytest.raises(SourceMissing):
        sources.read("http://127.0.0.1:9/x.pdf")
