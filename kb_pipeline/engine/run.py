"""Take documents through stages: skip what is there, compute what is not, record every outcome; no Dagster.

A document flows depth-first through all selected stages, and a page through all page stages, so that a page's picture
is rendered once and models stay loaded. One bad document or page never stops its neighbours.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, as_completed, wait
from contextlib import ExitStack
from functools import cached_property
from typing import Any

from kb_pipeline.engine.context import Context, Outcome, Progress
from kb_pipeline.engine.keys import fingerprint, stage_basis, stage_inputs
from kb_pipeline.engine.stage import Output, Pages, PageWork, Stage, Work
from kb_pipeline.errors import DocumentError, KbError, PartLost, Stopped
from kb_pipeline.settings import Settings
from kb_pipeline.storage.artefacts import Artefact, DocumentState, PageNote, StageState, part_hash
from kb_pipeline.storage.catalogue import DocumentEntry
from kb_pipeline.storage.fingerprints import value_hash
from kb_pipeline.storage.leases import leased
from kb_pipeline.storage.process import PROCESS
from kb_pipeline.text.credentials import hide_credentials

MAX_STARTS = 20  # of a document in one run, over parts that got lost

log = logging.getLogger(__name__)


class _StartOver(Exception):
    """What was read of the document's artefacts is of old."""


class _Hold(ExitStack):
    """Holds the document's lease, once it was taken, to the end, and counts how often the document was begun."""

    taken, starts = False, 0


def run_batch(documents: Iterable[DocumentEntry], stages: Sequence[Stage], context: Context) -> Iterator[list[Outcome]]:
    """Take documents through stages, several at a time; yields each document's outcomes as it ends."""
    pool = ThreadPoolExecutor(context.workers, "document")
    try:
        running = [pool.submit(run_document, document, stages, context) for document in documents]
        for future in as_completed(running):
            yield future.result()
    except BaseException:  # Ctrl-C, or the caller gave up: workers end after the page at hand
        context.stopped.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def run_document(document: DocumentEntry, stages: Sequence[Stage], context: Context) -> list[Outcome]:
    """Take one document through the selected stages, in the pipeline's order, until one fails.

    While anything of it is computed, its lease keeps others from the same document. An artefact of which the store lost
    a part is made again.
    """
    selected = {stage.name for stage in stages}
    try:
        with _Hold() as hold:
            while True:
                hold.starts += 1
                try:
                    return _DocumentRun(document, selected, context, hold).run()
                except _StartOver:
                    continue
    except Exception as error:  # the document's edge: others go on, even where its failure cannot be stored
        log.exception("%s failed", document.path)
        stage = next(stage.name for stage in context.pipeline if stage.name in selected)
        return [Outcome(stage, document, reason=_reason(error), error=error)]


class _DocumentRun:
    """One document on its way: the artefacts so far, its state, its outcomes."""

    def __init__(self, document: DocumentEntry, selected: set[str], context: Context, hold: _Hold):
        self.document, self.selected, self.context, self.hold = document, selected, context, hold
        self.artefacts = context.artefacts
        self.before = self.artefacts.state(document.id)
        self.states = dict(self.before.stages)
        self.inputs: dict[str, Artefact] = {}
        self.outcomes: list[Outcome] = []
        self.at = context.pipeline[0]
        self.working = False
        self._bases: dict[str, dict[str, Any]] = {}

    @cached_property
    def settings(self) -> Settings:
        return self.context.settings_for(self.document)

    def run(self) -> list[Outcome]:
        try:
            for stage in self.context.pipeline:
                if stage.name not in self.selected:
                    self._take_as_it_is(stage)
            for stage in self.context.pipeline:
                if stage.name not in self.selected:
                    continue
                if stage.compute:
                    self._document_stage(stage, stage.compute)
                elif stage.name not in self.inputs:  # page stages come through together
                    self._page_stages([s for s in self.context.pipeline if not s.compute and s.name in self.selected])
        except _StartOver:
            raise
        except KbError as error:
            if isinstance(error, PartLost) and self.hold.starts <= MAX_STARTS:
                log.warning("%s: %s; it is made again", self.document.path, error.message)
                self.artefacts.forget_part(error.part)
                raise _StartOver from error
            self._failed(error)
        except Exception as error:  # the stage's edge: the failure is recorded on its document, the others go on
            log.exception("%s failed in %s", self.document.path, self.at.name)
            self._failed(error)
        finally:
            if self.working:
                self._save(process="")
        return self.outcomes

    # ------------------------------------------------------------ stages

    def _take_as_it_is(self, stage: Stage) -> None:
        """A stage that is not selected gives what it last made, stale or not."""
        state = self.states.get(stage.name)
        if state and state.state == "done":
            artefact = self.artefacts.artefact(self.document.id, stage.name, state.fingerprint)
            if artefact:
                self.inputs[stage.name] = artefact

    def _work(self, fingerprint: str = "", pages: Pages | None = None) -> Work:
        return Work(
            self.document, self.settings, self.artefacts, self.context.catalogue, self.inputs,
            self.context.page_pool.map, fingerprint, pages,
        )  # fmt: skip

    def _key(self, stage: Stage) -> str:
        return fingerprint(stage, self.bases(stage), stage_inputs(stage, self.document, self.inputs))

    def bases(self, stage: Stage) -> dict[str, Any]:
        """What the stage is under this knowledge base's settings, worked out once per document."""
        if stage.name not in self._bases:
            self._bases[stage.name] = stage_basis(stage, self.settings)
        return self._bases[stage.name]

    def _reused(self, stage: Stage, key: str) -> bool:
        artefact = self.artefacts.artefact(self.document.id, stage.name, key)
        if artefact is None or not stage.still_valid(self._work(key), artefact):
            return False
        self._done(stage, artefact, reused=True)
        return True

    def _document_stage(self, stage: Stage, compute: Callable[[Work], Output]) -> None:
        self.at = stage
        key = self._key(stage)
        if self._reused(stage, key):
            return
        self._begin(stage)
        start = time.perf_counter()
        output = compute(self._work(key))
        parts = {
            name: self.artefacts.save_part(self.document.id, stage.name, name, data)
            for name, data in output.parts.items()
        }
        self._commit(stage, key, parts, time.perf_counter() - start, output.metadata)

    def _page_stages(self, stages: list[Stage]) -> None:
        """Page stages of a document: each page goes through all of those that are not there yet."""
        todo: list[Stage] = []
        for stage in stages:
            self.at = stage
            if todo or not self._reused(stage, self._key(stage)):
                todo.append(stage)
        if not todo:
            return
        self.at = todo[0]
        idle = {stage.name: stage.idle(self._work()) for stage in todo}
        self._read_pages([stage for stage in todo if not idle[stage.name]])
        for stage in todo:
            if idle[stage.name]:
                self.at = stage
                self._commit(stage, self._key(stage), {}, 0.0, {"not applicable": idle[stage.name]})

    def _read_pages(self, todo: list[Stage]) -> None:
        if not todo:
            return
        self._begin(todo[0])
        source = todo[0].open_pages(self._work())
        try:
            notes = self._run_pages(todo, source)
            for stage in todo:
                self.at = stage
                key = self._key(stage)
                if self._reused(stage, key):
                    continue
                parts = {name: part for note in notes for name, part in note[stage.name].parts.items()}
                extra = stage.finish(self._work(pages=source)) if stage.finish else Output({})
                for name, data in extra.parts.items():
                    parts[name] = self.artefacts.save_part(self.document.id, stage.name, name, data)
                facts = _summed(note[stage.name].facts for note in notes)
                seconds = sum(note[stage.name].seconds for note in notes)
                self._commit(stage, key, parts, seconds, {"pages": len(notes), **facts, **extra.metadata})
        finally:
            source.close()

    def _run_pages(self, stages: list[Stage], source: Pages) -> list[dict[str, PageNote]]:
        keys = {stage.name: value_hash(stage.name, self.bases(stage)) for stage in stages}
        total, done, lock = source.page_count, 0, threading.Lock()

        def run(page: int) -> dict[str, PageNote]:
            nonlocal done
            notes = self._run_page(page, stages, keys, source)
            with lock:
                done += 1
                self._tell(stages[-1].name, done, total)
            return notes

        running = [self.context.page_pool.submit(run, page) for page in range(1, total + 1)]
        try:
            wait(running, return_when=FIRST_EXCEPTION)
        finally:  # the file stays open until no page is read from it any more
            for future in running:
                future.cancel()
            wait(running)
        faults = [e for future in running if not future.cancelled() and (e := future.exception())]
        if faults:
            raise faults[0]
        if any(future.cancelled() for future in running):
            raise Stopped("stopped", document=self.document.path, remedy="run it again")
        return [future.result() for future in running]

    def _run_page(self, page: int, stages: list[Stage], keys: Mapping[str, str], source: Pages) -> dict[str, PageNote]:
        """One page through its stages; a page that came out before under the same fingerprint is not run again."""
        prefix = f"{page:05d}"
        parts = {
            name: {part: target for part, target in artefact.parts.items() if part.startswith(prefix)}
            for name, artefact in self.inputs.items()
        }

        def read(stage: str, part: str) -> bytes:
            return self.artefacts.stored(parts[stage][part])

        notes: dict[str, PageNote] = {}
        for stage in stages:
            if self.context.stopped.is_set():
                raise Stopped("stopped", document=self.document.path, page=page, remedy="run it again")
            key = value_hash(keys[stage.name], page, self._page_inputs(stage, parts))
            note = self.artefacts.page(self.document.id, stage.name, key)
            if note is None:
                start = time.perf_counter()
                try:
                    made, facts = stage.compute_page(PageWork(page, self.settings, source, read))
                except DocumentError as error:  # what the same bytes would give again: marked, the other pages go on
                    if error.passing:
                        raise
                    made, facts = stage.failed_page(page, _reason(error)), {"pages failed": 1}
                seconds = time.perf_counter() - start
                note = self.artefacts.save_page(self.document.id, stage.name, key, made, facts, seconds)
            notes[stage.name] = note
            parts[stage.name] = dict(note.parts)
        return notes

    def _page_inputs(self, stage: Stage, parts: Mapping[str, Mapping[str, str]]) -> dict[str, object]:
        """What a page stage reads of a page: content hashes of the page's upstream parts, or of a whole document's
        artefact."""
        by_name = {s.name: s for s in self.context.pipeline}
        found: dict[str, object] = {}
        for name in stage.upstream:
            if by_name[name].compute:
                found[name] = self.inputs[name].content_hash
            else:
                found[name] = {p: part_hash(t) for p, t in parts[name].items() if not p.endswith(by_name[name].display)}
        return found

    # ------------------------------------------------------------ records of what happened

    def _begin(self, stage: Stage) -> None:
        if not self.hold.taken:
            self.hold.taken = True
            lease = leased(self.artefacts.objects, self.document.id, PROCESS, self.context.stopped)
            if self.hold.enter_context(lease):
                raise _StartOver
        self.working = True
        self.states[stage.name] = StageState("running", at=round(time.time(), 3))
        self._save(process=PROCESS)

    def _commit(
        self, stage: Stage, key: str, parts: Mapping[str, str], seconds: float, metadata: Mapping[str, object]
    ) -> None:
        artefact = self.artefacts.commit(
            self.document.id,
            stage.name,
            key,
            parts,
            basis=self.bases(stage),
            inputs=stage_inputs(stage, self.document, self.inputs),
            seconds=seconds,
            metadata=metadata,
            display=stage.display,
            pinned=lambda: self.context.catalogue.looked_at(self.document, stage.name),
        )
        self._done(stage, artefact, reused=False)

    def _done(self, stage: Stage, artefact: Artefact, reused: bool) -> None:
        self.inputs[stage.name] = artefact
        before = self.before.stages.get(stage.name)
        changed = not (reused and before and before.state == "done" and before.fingerprint == artefact.fingerprint)
        if changed:
            self.working = True
            self.states[stage.name] = StageState(
                "done", artefact.fingerprint, artefact.content_hash, artefact.seconds, reused, round(time.time(), 3),
                metadata=artefact.metadata,
            )  # fmt: skip
            self._save(process=PROCESS)
        self.outcomes.append(Outcome(stage.name, self.document, artefact, reused, changed))
        self._tell(stage.name, 1, 1)

    def _failed(self, error: Exception) -> None:
        reason = _reason(error)
        self.working = True
        self.states[self.at.name] = StageState("failed", at=round(time.time(), 3), reason=reason)
        self.outcomes.append(Outcome(self.at.name, self.document, reason=reason, error=error))
        log.error("%s failed in %s: %s", self.document.path, self.at.name, reason)

    def _save(self, process: str) -> None:
        self.artefacts.save_state(self.document.id, DocumentState(dict(self.states), process))

    def _tell(self, stage: str, done: int, total: int) -> None:
        self.context.listen(Progress(self.document.id, self.document.path, stage, done, total))


def _reason(error: Exception) -> str:
    return error.reason if isinstance(error, KbError) else hide_credentials(f"{type(error).__name__}: {error}".strip())


def _summed(facts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for page in facts:
        for name, value in page.items():
            total[name] = total.get(name, 0) + value
    return dict(sorted(total.items()))
