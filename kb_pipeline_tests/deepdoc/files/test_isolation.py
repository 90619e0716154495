"""A native library that crashes or hangs on a page is that page's error; the others, and other files, go on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kb_pipeline.deepdoc.files.isolation import MAX_LOSSES, IsolatedFile
from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.errors import DamagedFile, EncryptedFile, PageFailed
from kb_pipeline_tests.pdf_bytes import document, page, text

FAULTY = "kb_pipeline_tests.deepdoc.files.native_faults:Faulty"
PDF = "kb_pipeline.deepdoc.files.pdf:PdfFile"


def faulty(words: str, seconds: float = 30) -> IsolatedFile:
    return IsolatedFile(FAULTY, words.encode(), "a.pdf", "", seconds=seconds)


@pytest.mark.parametrize(
    ("fault", "seconds", "told"),
    [
        ("crashes", 30, "SIGSEGV"),
        ("ends", 30, "exit code 7"),
        ("hangs", 0.5, "took more than"),
        ("loops", 0.5, "took more than"),
        ("swallows", 30, "memory"),
    ],
)
def test_a_page_that_crashes_or_hangs_fails_alone(fault, seconds, told):
    started = time.monotonic()
    with faulty(f"2 {fault}", seconds) as file:
        assert file.size(1) == (101.0, 200.0)
        for _ in range(2):  # the second time it is known
            with pytest.raises(PageFailed, match=told) as raised:
                file.render(2, 1.0)
        assert (raised.value.document, raised.value.page) == ("a.pdf", 2)
        assert raised.value.remedy
        assert (file.render(3, 1.0) == 3).all()
        assert file.size(1) == (101.0, 200.0)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(("fault", "seconds"), [("crashes", 30), ("hangs", 0.5)])
def test_a_file_that_cannot_be_opened_is_damaged(fault, seconds):
    with pytest.raises(DamagedFile, match="opening it") as raised:
        faulty(f"0 {fault}", seconds)
    assert raised.value.document == "a.pdf"
    with faulty("") as file:  # the next one is read
        assert file.page_count == 4


def test_a_file_of_such_pages_ends_soon():
    with faulty(" ".join(f"{n} crashes" for n in range(1, 4))) as file:
        for number in range(1, MAX_LOSSES + 1):
            with pytest.raises(PageFailed, match="crashed"):
                file.size(number)
        with pytest.raises(PageFailed, match="could not be read"):
            file.size(4)


def test_errors_arrive_as_they_were_raised():
    with faulty("2 fails") as file, pytest.raises(PageFailed) as raised:
        file.size(2)
    assert (raised.value.message, raised.value.document, raised.value.page, raised.value.remedy) == (
        "it cannot be read", "a.pdf", 2, "save it again",
    )  # fmt: skip
    secret = document(page(text("x", 72, 700)), password="secret")
    with pytest.raises(EncryptedFile, match="password"):
        IsolatedFile(PDF, secret, "b.pdf", "")
    with IsolatedFile(PDF, secret, "b.pdf", "secret") as file:
        assert file.characters(1).text.tolist() == ["x"]


def test_pages_are_the_same_as_in_this_process():
    data = document(page(text("Hello", 72, 700) + b"72 600 m 300 600 l S"), page(text("turned", 72, 700), rotate=90))
    with IsolatedFile(PDF, data, "a.pdf", "") as file, PdfFile(data, "a.pdf") as near:
        for number in (1, 2):
            assert np.array_equal(file.render(number, 1.5), near.render(number, 1.5))
            assert file.characters(number).text.tolist() == near.characters(number).text.tolist()
            assert np.array_equal(file.characters(number).box, near.characters(number).box)
            assert np.array_equal(file.rulings(number).horizontal, near.rulings(number).horizontal)
            assert (file.size(number), file.rotation(number)) == (near.size(number), near.rotation(number))
        assert file.bookmarks() == near.bookmarks()


def test_threads_take_turns():
    with faulty("") as file, ThreadPoolExecutor(4) as pool:
        pictures = list(pool.map(lambda n: file.render(n % 4 + 1, 1.0), range(40)))
    assert [int(picture[0, 0, 0]) for picture in pictures] == [n % 4 + 1 for n in range(40)]


def test_a_process_that_ended_while_it_waited_is_not_asked():
    with faulty("") as file:
        process = file._process
        assert process is not None
    process._process.kill()
    process._process.wait()
    with faulty("") as file:
        assert file.size(1) == (101.0, 200.0)


ORPHAN = """
import os, sys
from kb_pipeline.deepdoc.files import isolation
file = isolation.IsolatedFile(sys.argv[1], b"", "a.pdf", "")
print(file._process._process.pid, flush=True)
os._exit(0)
"""


def test_a_process_does_not_outlive_the_one_that_asks_it():
    started = subprocess.run(
        [sys.executable, "-c", ORPHAN, FAULTY], capture_output=True, text=True, check=True, timeout=60
    )
    pid = int(started.stdout)
    for _ in range(100):
        if not os.path.exists(f"/proc/{pid}"):
            return
        time.sleep(0.05)
    pytest.fail("it goes on")
