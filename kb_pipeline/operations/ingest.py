"""Register documents and take them through the Dagster assets, in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kb_pipeline.engine.context import Context, Progress
from kb_pipeline.engine.keys import stage_basis
from kb_pipeline.engine.plan import stale_stages
from kb_pipeline.records import Record
from kb_pipeline.settings import home, make_home
from kb_pipeline.storage import sources
from kb_pipeline.storage.catalogue import Catalogue, DocumentEntry, KnowledgeBaseEntry, document_id
from kb_pipeline.storage.process import PROCESS


class Failure(Record, frozen=True):
    """A document that failed, with its reason in one line."""

    document: str
    id: str
    reason: str


class IngestReport(Record, frozen=True):
    """How many documents were given, how many were already up to date, were ingested now, or failed."""

    documents: int
    unchanged: int
    ingested: int
    failures: tuple[Failure, ...]


def register(catalogue: Catalogue, kb: KnowledgeBaseEntry, locations: Sequence[str]) -> list[DocumentEntry]:
    """Entries for every document at those files, folders and addresses.

    A path that another source of the knowledge base holds gets its parent folders' names in front, so that two files
    of one name are two documents; where the other source is gone, the document has moved and keeps its place.

    Raises:
        UsageError: there is nothing at a location.
    """
    entries, taken = [], {}
    for path, source in [found for location in locations for found in sources.scan(location)]:
        folders = os.path.dirname(source).strip("/").split("/")
        while not _free(catalogue, kb.id, path, source, taken) and folders:
            path = f"{folders.pop()}/{path}"
        taken[path] = source
        entries.append(catalogue.register(kb.id, path, source))
    unique = {entry.id: entry for entry in entries}
    return list(unique.values())


def _free(catalogue: Catalogue, kb: str, path: str, source: str, taken: dict[str, str]) -> bool:
    if path in taken:
        return taken[path] == source
    known = catalogue.document(document_id(kb, path))
    return known is None or known.source == source or not sources.exists(known.source)


def ingest(
    kb: KnowledgeBaseEntry, documents: Sequence[DocumentEntry], context: Context, listen: Callable[[Progress], None]
) -> IngestReport:
    """Take documents through all assets; those that are up to date are not touched.

    Raises:
        InvalidSetting: the knowledge base has a value that is not allowed any more.
        ModelMissing: a weight file is not there, so that no document could be ingested.
    """
    context.check_settings(kb.id)
    for stage in context.pipeline:
        stage_basis(stage, context.settings_of(kb.id))
    stale = [document for document in documents if stale_stages(document, context)]
    if stale:
        _run([document.id for document in stale], context.settings.pipeline.batch, listen)
    failures, last = [], context.pipeline[-1].name
    for document in stale:
        states = context.artefacts.state(document.id).stages
        reason = next((state.reason for state in states.values() if state.state == "failed"), "")
        if reason:
            failures.append(Failure(document.path, document.id, reason))
        elif states.get(last) is None or states[last].state != "done":
            failures.append(Failure(document.path, document.id, "the run ended before the document was through"))
    done = len(stale) - len(failures)
    return IngestReport(len(documents), len(documents) - len(stale), done, tuple(failures))


def start_behind(locations: Sequence[str], kb: str) -> Path:
    """Start the same ingest in a process of its own that outlives this one.

    Returns:
        The log that it writes.
    """
    log = make_home(home()) / "logs" / "ingest.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "kb_pipeline.cli", "ingest", *locations, "--kb", kb]
    with open(log, "ab") as out:
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    return log


def _run(keys: list[str], batch: int, listen: Callable[[Progress], None]) -> None:
    from kb_pipeline.orchestration.dead_runs import PROCESS_TAG, end_dead_runs
    from kb_pipeline.orchestration.instance import open_instance
    from kb_pipeline.orchestration.partitions import add_partitions
    from kb_pipeline.orchestration.progress import listening
    from kb_pipeline.orchestration.schedules import JOB, batches, run_config

    with open_instance() as instance:
        from kb_pipeline.definitions import defs

        end_dead_runs(instance)
        add_partitions(instance, keys)
        job = defs.resolve_job_def(JOB)
        for piece in batches(keys, batch):
            quiet: dict[str, Any] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
            with listening(listen):
                job.execute_in_process(
                    instance=instance,
                    run_config={**run_config(piece), **quiet},
                    tags={PROCESS_TAG: PROCESS},
                    raise_on_error=False,
                )
