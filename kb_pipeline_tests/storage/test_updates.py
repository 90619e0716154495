"""No update of a document's pointer is lost, whoever else updates it: on a folder and on a real S3 server."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import pytest

from kb_pipeline.storage.catalogue import Catalogue
from kb_pipeline.storage.objects import open_store
from kb_pipeline_tests.s3_server import s3_server

PAIRS = 40


@pytest.fixture(scope="module", params=["folder", "s3"])
def place(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    if request.param == "folder":
        yield str(folder), {}
        return
    with s3_server(folder / "s3") as options:
        import fsspec

        fsspec.filesystem("s3", **options).mkdir("bucket")
        yield "s3://bucket/prefix", options


def count(place, name: str, times: int) -> None:
    store = open_store(*place)
    for _ in range(times):
        store.update(name, lambda data: str(int(data or b"0") + 1).encode())


def test_counts_of_several_processes_add_up(place):
    workers = [multiprocessing.get_context("spawn").Process(target=count, args=(place, "n", 25)) for _ in range(3)]
    for worker in workers:
        worker.start()
    count(place, "n", 25)
    for worker in workers:
        worker.join()
    assert open_store(*place).read("n") == b"100"


def test_a_change_of_nothing_writes_nothing(place):
    store = open_store(*place)
    store.update("none", lambda data: None)
    assert store.read("none") is None


def test_a_pointer_and_a_boost_at_once_are_both_kept(place):
    catalogues = [Catalogue(open_store(*place)) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        for number in range(PAIRS):
            entry = catalogues[0].register("kb", f"{number}.md", "/a")
            pointing = pool.submit(catalogues[0].point, entry, "kb", "v1")
            boosting = pool.submit(catalogues[1].boost, entry, 1.5)
            pointing.result(), boosting.result()
            pointer = catalogues[0].pointer("kb", entry.id)
            assert (pointer.versions, pointer.boost) == ({"kb": "v1"}, 1.5)
