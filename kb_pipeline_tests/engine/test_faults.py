"""What fails passes, what was read stays: faults of the store, of memory, of records, and two runs at once."""

from __future__ import annotations

import json
import threading
import time

import pytest

from kb_pipeline.engine.run import run_batch, run_document
from kb_pipeline.errors import StorageUnavailable
from kb_pipeline.storage import leases
from kb_pipeline.storage.artefacts import Artefacts
from kb_pipeline.storage.catalogue import Catalogue
from kb_pipeline.storage.objects import FolderStore
from kb_pipeline.storage.process import PROCESS
from kb_pipeline_tests.engine.test_run import Pipeline, names

PAGES = ["one", "two", "three", "four"]


class FlakyStore(FolderStore):
    """A folder whose next writes of a kind fail."""

    def __init__(self, root):
        super().__init__(root)
        self.failing = ""

    def write(self, name, data, private=False):
        if self.failing and self.failing in name:
            self.failing = ""
            raise StorageUnavailable("the disk is away", remedy="wait")
        super().write(name, data, private)


@pytest.fixture
def pipeline(monkeypatch, tmp_path):
    made = Pipeline(monkeypatch, tmp_path)
    made.store = FlakyStore(tmp_path / "store")
    made.context.artefacts, made.context.catalogue = Artefacts(made.store), Catalogue(made.store)
    yield made
    made.context.close()


def texts(pipeline, outcomes) -> bytes:
    (sections,) = [o.artefact for o in outcomes if o.stage == "sections"]
    return pipeline.context.artefacts.part(sections, "text")


@pytest.mark.parametrize("failing", ["renders/pages", "boxes/pages", "boxes/parts"])
def test_a_store_that_fails_once_leaves_no_page_behind_as_unreadable(pipeline, failing):
    document = pipeline.document("a.pdf", PAGES)
    pipeline.store.failing = failing
    _, outcomes = pipeline.run(document)
    assert isinstance(outcomes[-1].error, StorageUnavailable)
    _, outcomes = pipeline.run(document)
    assert texts(pipeline, outcomes) == b"ONE TWO THREE FOUR"
    assert not any("failed" in key for o in outcomes for key in o.artefact.metadata)


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("a bug"), OSError("too many open files")])
def test_what_may_pass_is_never_a_page_s_result(pipeline, error):
    document = pipeline.document("a.pdf", PAGES)
    read, raised = pipeline.boxes, []

    def boxes(work):
        if work.page == 2 and not raised:
            raised.append(1)
            raise error
        return read(work)

    pipeline.boxes = boxes
    pipeline.install()
    _, outcomes = pipeline.run(document)
    assert outcomes[-1].reason.startswith(type(error).__name__)
    calls, outcomes = pipeline.run(document)
    assert texts(pipeline, outcomes) == b"ONE TWO THREE FOUR"
    assert ("renders", 1) not in calls  # what came out is kept


def test_the_file_stays_open_until_no_page_is_read_from_it(pipeline):
    document = pipeline.document("a.pdf", PAGES)
    slow, render = threading.Event(), pipeline.render

    def late(work):
        if work.page == 1:
            raise StorageUnavailable("away")
        slow.wait(0.3)
        return render(work)

    pipeline.render = late
    pipeline.install()
    _, outcomes = pipeline.run(document)
    assert isinstance(outcomes[-1].error, StorageUnavailable)
    pipeline.render = render
    pipeline.install()
    assert texts(pipeline, pipeline.run(document)[1]) == b"ONE TWO THREE FOUR"


@pytest.mark.parametrize("record", ["state.json", "boxes/*.json", "renders/pages/*.json", "sections/*.json"])
def test_a_truncated_record_is_made_again_and_takes_nobody_along(pipeline, record):
    first, second = pipeline.document("a.pdf", PAGES), pipeline.document("b.pdf", ["five"])
    for document in (first, second):
        pipeline.run(document)
    for path in (pipeline.store.root / "documents" / first.id).glob(record):
        path.write_bytes(path.read_bytes()[:20])
    batches = list(run_batch([first, second], pipeline.stages, pipeline.context))
    assert [[o.stage for o in outcomes if not o.artefact] for outcomes in batches] == [[], []]
    assert {texts(pipeline, outcomes) for outcomes in batches} == {b"ONE TWO THREE FOUR", b"FIVE"}


def test_a_document_entry_that_is_damaged_is_left_out_of_lists(pipeline):
    first, second = pipeline.document("a.pdf", PAGES), pipeline.document("b.pdf", ["five"])
    (pipeline.store.root / "documents" / first.id / "document.json").write_bytes(b'{"id"')
    assert [entry.id for entry in pipeline.context.catalogue.documents("kb")] == [second.id]


@pytest.mark.parametrize("stage", ["raw_file", "renders", "boxes", "sections"])
def test_a_part_that_the_store_lost_is_made_again(pipeline, stage):
    document = pipeline.document("a.pdf", PAGES)
    _, outcomes = pipeline.run(document)
    before = {o.stage: o.artefact.content_hash for o in outcomes}
    for path in (pipeline.store.root / "documents" / document.id / stage / "parts").iterdir():
        path.unlink()
    _, outcomes = pipeline.run(document, chunking__chunk_tokens=64, assembly__keep=("watermark",), render__dpi=100)
    assert [o.reason for o in outcomes if not o.artefact] == []
    _, outcomes = pipeline.run(document)
    assert {o.stage: o.artefact.content_hash for o in outcomes} == before


def test_two_page_stages_are_run_again_around_one_that_is_not_selected(pipeline):
    document = pipeline.document("a.pdf", PAGES)
    pipeline.run(document)
    pipeline.calls.clear()
    some = [stage for stage in pipeline.stages if stage.name in ("raw_file", "renders", "sections")]
    assert all(outcome.artefact for outcome in run_document(document, some, pipeline.context))


def test_two_runs_of_one_document_at_once_compute_it_once(pipeline):
    document = pipeline.document("a.pdf", PAGES)
    pipeline.calls.clear()
    found: list = []
    runs = [
        threading.Thread(target=lambda: found.append(run_document(document, pipeline.stages, pipeline.context)))
        for _ in range(3)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [[o.reason for o in outcomes if not o.artefact] for outcomes in found] == [[], [], []]
    assert len(pipeline.calls) == len(set(pipeline.calls)) and names(pipeline.calls)
    assert not leases.is_leased(pipeline.store, document.id)


def test_a_lease_of_one_that_died_ends_by_itself(pipeline, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_S", 0.4)
    document = pipeline.document("a.pdf", ["one"])
    assert leases._taken(pipeline.store, document.id, "dead", "elsewhere:1")
    assert leases.is_leased(pipeline.store, document.id)
    start = time.monotonic()
    _, outcomes = pipeline.run(document)
    assert all(o.artefact for o in outcomes) and 0.2 <= time.monotonic() - start < 10


def test_a_lease_of_a_process_of_this_machine_that_is_gone_holds_nobody_up(pipeline):
    gone = f"{PROCESS.rpartition(':')[0]}:{2**22 + 1}"
    assert leases._taken(pipeline.store, "d", "dead", gone) and not leases.is_leased(pipeline.store, "d")


def test_a_lease_that_is_held_is_renewed(pipeline, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_S", 0.5)
    monkeypatch.setattr(leases, "RENEWED_S", 0.1)
    with leases.leased(pipeline.store, "d", "here:1", threading.Event()) as waited:
        assert not waited
        time.sleep(0.8)
        assert leases.is_leased(pipeline.store, "d")
    assert json.loads(pipeline.store.read("documents/d/lease.json"))["until"] == 0.0
