"""The runner, on small stages of its own: reuse, early cut-off, failures that stay alone, pages not done twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_pipeline.engine import plan
from kb_pipeline.engine.context import Context
from kb_pipeline.engine.run import run_batch, run_document
from kb_pipeline.engine.stage import Output, Stage
from kb_pipeline.errors import DamagedFile, ModelMissing
from kb_pipeline.settings import Settings
from kb_pipeline.stages import raw_file
from kb_pipeline.storage.artefacts import Artefacts
from kb_pipeline.storage.catalogue import Catalogue
from kb_pipeline.storage.objects import MemoryStore


class Pipeline:
    """raw_file, two page stages and two document stages that count their calls and upper-case text."""

    def __init__(self, monkeypatch, tmp_path):
        self.calls, self.bad_pages, self.bad_stage, self.version = [], set(), "", "1"
        self.tmp_path, self.monkeypatch = tmp_path, monkeypatch
        objects = MemoryStore()
        self.context = _Context(Settings().merged({"pipeline.workers": 2}), Artefacts(objects), Catalogue(objects), ())
        self.install()

    def install(self):
        stages = (
            Stage("raw_file", (), "1", "", compute=self.raw_file),
            Stage("renders", ("raw_file",), "1", "", ("render.dpi",), compute_page=self.render,
                  failed_page=lambda page, reason: {f"{page:05d}.txt": b"!" + reason.encode()},
                  idle=native, open_pages=_Pages,
                  display=".jpg"),
            Stage("boxes", ("renders",), self.version, "", compute_page=self.boxes,
                  failed_page=lambda page, reason: {f"{page:05d}.txt": b"!" + reason.encode()},
                  idle=native, open_pages=_Pages),
            Stage("sections", ("boxes",), "1", "", ("assembly",), compute=self.sections),
            Stage("chunks", ("sections",), "1", "", ("chunking",), compute=self.chunks),
        )  # fmt: skip
        self.stages = self.context.pipeline = stages

    def call(self, *what):
        self.calls.append(what)
        if what[0] == self.bad_stage:
            raise DamagedFile("broken on purpose", remedy="repair it")

    def raw_file(self, work):
        self.call("raw_file")
        data = Path(work.document.source).read_bytes()
        kind = "pdf" if data.startswith(b"P") else "text"
        file = raw_file.RawFile(work.document.path, kind, len(data), "")
        return Output({"content": data, "file.json": run_encode(file)})

    def render(self, work):
        self.call("renders", work.page)
        text = work.source.file.splitlines()[work.page]
        return {f"{work.page:05d}.txt": text, f"{work.page:05d}.jpg": str(len(self.calls)).encode()}, {"lines": 1}

    def boxes(self, work):
        self.call("boxes", work.page)
        if work.page in self.bad_pages:
            raise DamagedFile("bad page")
        return {f"{work.page:05d}.txt": work.read("renders", f"{work.page:05d}.txt").upper()}, {"boxes": 2}

    def sections(self, work):
        self.call("sections")
        return Output({"text": b" ".join(work.read("boxes", name) for name in work.part_names("boxes", ".txt"))})

    def chunks(self, work):
        self.call("chunks", work.settings.chunking.chunk_tokens)
        return Output({"chunks": work.read("sections", "text")[:5]}, {"chunks": 1})

    def document(self, name, lines):
        (self.tmp_path / name).write_text("P\n" + "\n".join(lines))
        return self.context.catalogue.register("kb", name, str(self.tmp_path / name))

    def run(self, document, **settings):
        self.calls.clear()
        self.context.kb = self.context.settings.merged({k.replace("__", "."): v for k, v in settings.items()})
        outcomes = run_document(document, self.stages, self.context)
        return sorted(self.calls), outcomes


class _Context(Context):
    kb = None

    def settings_of(self, kb):
        return self.kb or self.settings


def native(work):
    kind = raw_file.raw_file(work).kind
    return "" if kind == "pdf" else kind


class _Pages:
    """Lines of the file as pages, the first line being the type; like a PDF, it gives nothing once it is closed."""

    def __init__(self, work):
        self._data = work.read("raw_file", "content")
        self.page_count = len(self._data.splitlines()) - 1

    @property
    def file(self):
        if self._data is None:
            raise ValueError("read after it was closed")
        return self._data

    def close(self):
        self._data = None


def run_encode(record):
    from kb_pipeline.records import encode

    return encode(record)


@pytest.fixture
def pipeline(monkeypatch, tmp_path):
    made = Pipeline(monkeypatch, tmp_path)
    yield made
    made.context.close()


ALL = ["raw_file", "renders", "boxes", "sections", "chunks"]


def names(calls):
    return sorted({call[0] for call in calls}, key=ALL.index)


def test_a_new_document_goes_through_every_stage_and_every_page(pipeline):
    calls, outcomes = pipeline.run(pipeline.document("a.pdf", ["one", "two"]))
    assert calls == sorted(
        [("raw_file",), ("renders", 1), ("renders", 2), ("boxes", 1), ("boxes", 2), ("sections",), ("chunks", 512)]
    )
    assert [o.stage for o in outcomes] == ALL
    assert all(o.changed and not o.reused for o in outcomes)
    facts = {o.stage: o.artefact.metadata for o in outcomes}
    assert facts["boxes"] == {"pages": 2, "boxes": 4}


def test_an_unchanged_document_runs_nothing_and_is_no_news(pipeline):
    document = pipeline.document("a.pdf", ["one", "two"])
    pipeline.run(document)
    calls, outcomes = pipeline.run(document)
    assert calls == []
    assert all(o.reused and not o.changed for o in outcomes)
    assert plan.stale_stages(document, pipeline.context) == []


def test_a_setting_re_runs_its_stage_and_what_follows_and_switching_back_reuses_it(pipeline):
    document = pipeline.document("a.pdf", ["one", "two"])
    pipeline.run(document)
    calls, _ = pipeline.run(document, chunking__chunk_tokens=64)
    assert calls == [("chunks", 64)]
    calls, outcomes = pipeline.run(document)
    assert calls == []
    assert [o.stage for o in outcomes if o.changed] == ["chunks"]  # another artefact is in force now


def test_one_changed_page_re_runs_that_page_only_and_equal_output_stops_the_wave(pipeline):
    document = pipeline.document("a.pdf", ["one", "two", "three"])
    pipeline.run(document)
    pipeline.document("a.pdf", ["one", "TWO", "three"])
    calls, _ = pipeline.run(document)
    # every page is rendered anew, page 2 is boxed anew; its boxes come out the same, so nothing after it runs
    assert [c for c in calls if c[0] == "boxes"] == [("boxes", 2)]
    assert names(calls) == ["raw_file", "renders", "boxes"]


def test_another_code_version_re_runs_the_stage_and_says_why(pipeline):
    document = pipeline.document("a.pdf", ["one"])
    pipeline.run(document)
    pipeline.version = "2"
    pipeline.install()
    stale = plan.stale_stages(document, pipeline.context)
    assert [(s.stage, s.reason) for s in stale[:2]] == [("boxes", "code version 1 -> 2"), ("sections", "after boxes")]
    calls, _ = pipeline.run(document)
    assert names(calls) == ["boxes"]


def test_the_plan_names_the_setting_and_the_source(pipeline):
    document = pipeline.document("a.pdf", ["one"])
    pipeline.run(document)
    pipeline.context.kb = pipeline.context.settings.merged({"chunking.chunk_tokens": 99})
    assert plan.stale_stages(document, pipeline.context)[0].reason == "chunking.chunk_tokens: 512 -> 99"
    pipeline.document("a.pdf", ["another"])
    assert plan.stale_stages(document, pipeline.context)[0].reason == "source changed"


def test_a_bad_page_is_marked_and_its_neighbours_go_on(pipeline):
    pipeline.bad_pages = {2}
    document = pipeline.document("a.pdf", ["one", "two", "three"])
    _, outcomes = pipeline.run(document)
    boxes = next(o for o in outcomes if o.stage == "boxes")
    assert boxes.artefact.metadata["pages failed"] == 1
    sections = next(o for o in outcomes if o.stage == "sections").artefact
    text = pipeline.context.artefacts.part(sections, "text")
    assert text == b"ONE !DamagedFile: bad page THREE"


def test_a_failed_stage_keeps_its_reason_and_a_repaired_one_clears_it(pipeline):
    pipeline.bad_stage = "sections"
    document = pipeline.document("a.pdf", ["one"])
    calls, outcomes = pipeline.run(document)
    assert outcomes[-1].stage == "sections"
    assert outcomes[-1].reason == "DamagedFile: broken on purpose (repair it)"
    state = pipeline.context.artefacts.state(document.id)
    assert state.stages["sections"].state == "failed" and state.process == ""
    assert "chunks" not in state.stages
    pipeline.bad_stage = ""
    calls, outcomes = pipeline.run(document)
    assert names(calls) == ["sections", "chunks"]
    assert pipeline.context.artefacts.state(document.id).stages["sections"].state == "done"


def test_a_page_that_was_done_before_a_kill_is_not_done_again(pipeline):
    """A run that dies in the middle leaves page notes and no artefact: the next run goes on with the missing pages."""
    document = pipeline.document("a.pdf", ["one", "two", "three", "four"])
    real = pipeline.context.artefacts.save_page
    done = []

    def dies_after_two(document, stage, *rest):
        if len([d for d in done if d == "boxes"]) == 2:
            raise ModelMissing("the process is killed here")
        done.append(stage)
        return real(document, stage, *rest)

    pipeline.context.artefacts.save_page = dies_after_two
    pipeline.run(document)
    pipeline.context.artefacts.save_page = real
    calls, _ = pipeline.run(document)
    assert len([c for c in calls if c[0] == "boxes"]) == 2
    assert names(calls) == ["renders", "boxes", "sections", "chunks"] or names(calls) == ["boxes", "sections", "chunks"]


def test_a_text_file_has_no_pages_and_says_so(pipeline, monkeypatch):
    (pipeline.tmp_path / "a.txt").write_text("text")
    document = pipeline.context.catalogue.register("kb", "a.txt", str(pipeline.tmp_path / "a.txt"))
    calls, outcomes = pipeline.run(document)
    assert names(calls) == ["raw_file", "sections", "chunks"]
    assert next(o for o in outcomes if o.stage == "renders").artefact.metadata == {"not applicable": "text"}


def test_one_bad_document_of_a_batch_fails_alone(pipeline):
    documents = [pipeline.document(f"{n}.pdf", [str(n)]) for n in range(5)]
    (pipeline.tmp_path / "2.pdf").unlink()
    outcomes = {out[0].document.path: out for out in run_batch(documents, pipeline.stages, pipeline.context)}
    assert outcomes["2.pdf"][-1].reason.startswith("SourceMissing")
    assert all(outcomes[f"{n}.pdf"][-1].stage == "chunks" for n in (0, 1, 3, 4))


def test_an_unexpected_error_is_recorded_like_any_other(pipeline, monkeypatch):
    document = pipeline.document("a.pdf", ["one"])
    pipeline.install()

    def broken(work):
        raise RuntimeError("a bug")

    stages = tuple(
        s if s.name != "chunks" else Stage("chunks", s.upstream, "1", "", compute=broken) for s in pipeline.stages
    )
    pipeline.context.pipeline = stages
    outcomes = run_document(document, stages, pipeline.context)
    assert outcomes[-1].reason == "RuntimeError: a bug"


def test_a_selected_stage_takes_the_others_as_they_are(pipeline):
    document = pipeline.document("a.pdf", ["one"])
    pipeline.run(document)
    pipeline.document("a.pdf", ["changed"])
    pipeline.calls.clear()
    chunks = [stage for stage in pipeline.stages if stage.name == "chunks"]
    outcomes = run_document(document, chunks, pipeline.context)
    assert pipeline.calls == [] and outcomes[0].reused
    other = pipeline.document("b.pdf", ["never run"])
    outcomes = run_document(other, chunks, pipeline.context)
    assert outcomes[0].reason.startswith("UpstreamMissing: chunks needs sections")


def test_two_clean_runs_give_equal_content(monkeypatch, tmp_path):
    hashes = []
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        pipeline = Pipeline(monkeypatch, tmp_path / folder)
        _, outcomes = pipeline.run(pipeline.document("a.pdf", [str(n) for n in range(12)]))
        hashes.append([o.artefact.content_hash for o in outcomes])
        pipeline.context.close()
    assert hashes[0] == hashes[1]


def test_another_mode_for_a_pattern_re_runs_the_documents_that_it_fits(pipeline):
    report, table = pipeline.document("report.pdf", ["one"]), pipeline.document("prices.pdf", ["two"])
    for document in (report, table):
        pipeline.run(document)
    rules = ("prices.*=table",)
    assert names(pipeline.run(report, chunking__modes=rules)[0]) == []
    assert names(pipeline.run(table, chunking__modes=rules)[0]) == ["chunks"]
    assert names(pipeline.run(table, chunking__modes=(*rules, "other*=qa"))[0]) == []
    assert names(pipeline.run(table, chunking__modes=("prices.pdf=manual", "prices*=table"))[0]) == []
