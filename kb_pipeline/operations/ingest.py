"""Register documents and take them through the Dagster assets, in this process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kb_pipeline.engine.context import Context, Progress
from kb_pipeline.engine.keys import stage_basis
from kb_pipeline.engine.plan import stale_stages
from kb_pipeline.operations.gone import gone_documents, prune_documents, renamed_documents, told
from kb_pipeline.operations.status import without_chunks
from kb_pipeline.orchestration import processes
from kb_pipeline.records import Record
from kb_pipeline.settings import home, make_home
from kb_pipeline.storage import sources
from kb_pipeline.storage.catalogue import Catalogue, DocumentEntry, KnowledgeBaseEntry
from kb_pipeline.storage.process import PROCESS
from kb_pipeline.text.credentials import hide_credentials


class Failure(Record, frozen=True):
    """A document that failed, with its reason in one line."""

    document: str
    id: str
    reason: str


class IngestReport(Record, frozen=True):
    """How many documents were given, how many were already up to date, were ingested now, or failed.

    Attributes:
        warnings: documents that came out without a chunk, and those whose source is gone.
        pruned: paths of documents that were removed, since their source is gone.
    """

    documents: int
    unchanged: int
    ingested: int
    failures: tuple[Failure, ...]
    warnings: tuple[Failure, ...] = ()
    pruned: tuple[str, ...] = ()


def register(catalogue: Catalogue, kb: KnowledgeBaseEntry, locations: Sequence[str]) -> list[DocumentEntry]:
    """Entries for every document at those files, folders and addresses.

    A source that the knowledge base has already keeps its path. A path that another source holds gets more of its place
    in front (`sources.names`), so that two files of one name are two documents; where the other source is gone, the
    document has moved and keeps its place. Two addresses that differ in their credentials alone are one source.

    Raises:
        UsageError: there is nothing at a location.
        StorageUnavailable: a location's server cannot be asked.
    """
    known = catalogue.documents(kb.id)
    by_source = {hide_credentials(entry.source): entry.path for entry in known}
    by_path = {entry.path: entry.source for entry in known}
    taken: dict[str, str] = {}
    entries: dict[str, DocumentEntry] = {}
    for path, source in [found for location in locations for found in sources.scan(location)]:
        own = hide_credentials(source)

        def is_free(name: str, own: str = own) -> bool:
            if name in taken:
                return taken[name] == own
            return name not in by_path or hide_credentials(by_path[name]) == own or sources.is_gone(by_path[name])

        if own in by_source and hide_credentials(by_path.get(path, "")) != own:
            path = by_source[own]
        else:
            path = next(filter(is_free, sources.names(path, source)))
        taken[path] = own
        entry = catalogue.register(kb.id, path, source)
        entries[entry.id] = entry
    return list(entries.values())


def ingest(
    kb: KnowledgeBaseEntry,
    documents: Sequence[DocumentEntry],
    context: Context,
    listen: Callable[[Progress], None],
    locations: Sequence[str] | None = None,
    prune: bool = False,
) -> IngestReport:
    """Take documents through all assets; those that are up to date are not touched.

    Args:
        locations: where these documents were found, so that others there whose sources are gone are told; empty for
            the whole knowledge base, None to look for none.
        prune: remove those whose sources are gone.

    Raises:
        InvalidSetting: the knowledge base has a value that is not allowed any more.
        ModelMissing: a weight file is not there, so that no document could be ingested.
    """
    context.check_settings(kb.id)
    for stage in context.pipeline:
        stage_basis(stage, context.settings_of(kb.id))
    gone = [] if locations is None else gone_documents(kb, locations, context)
    if prune:
        documents = [document for document in documents if document.id not in {one.id for one in gone}]
    stale = [document for document in documents if stale_stages(document, context)]
    if stale:
        _run([document.id for document in stale], context.settings.pipeline.batch, listen)
    failures, warnings, last = [], [], context.pipeline[-1].name
    for document in stale:
        states = context.artefacts.state(document.id).stages
        reason = next((state.reason for state in states.values() if state.state == "failed"), "")
        if reason:
            failures.append(Failure(document.path, document.id, reason))
        elif states.get(last) is None or states[last].state != "done":
            failures.append(Failure(document.path, document.id, "the run ended before the document was through"))
        elif empty := without_chunks(document, states, context):
            warnings.append(Failure(document.path, document.id, empty))
    failed = {failure.id for failure in failures}
    renamed = renamed_documents(gone, documents, context)
    pruned = prune_documents(gone, renamed, failed, context) if prune else []
    left = [one for one in gone if one.path not in pruned and one.id not in failed]
    warnings += [Failure(one.path, one.id, told(one, renamed)) for one in left]
    done = len(stale) - len(failures)
    return IngestReport(
        len(documents), len(documents) - len(stale), done, tuple(failures), tuple(warnings), tuple(pruned)
    )


def start_behind(locations: Sequence[str], kb: str, prune: bool) -> Path:
    """Start the same ingest in a process of its own that outlives this one.

    Returns:
        The log that it writes.
    """
    log = make_home(home()) / "logs" / "ingest.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "kb_pipeline.cli", "ingest", *locations, "--kb", kb]
    command += ["--prune"] if prune else []
    with open(log, "ab") as out:
        behind = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    processes.note("ingest", behind.pid)
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
