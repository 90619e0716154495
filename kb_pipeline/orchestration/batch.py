"""A batch of documents inside one Dagster step: events for what was made, marks for what failed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from kb_pipeline.engine.context import Outcome
from kb_pipeline.engine.run import run_batch
from kb_pipeline.engine.stage import Stage
from kb_pipeline.orchestration import progress
from kb_pipeline.orchestration.resource import KnowledgeBaseResource
from kb_pipeline.text.credentials import hide_credentials

LISTED_FAILURES = 50  # reasons shown in the run's failure; every one is in `kb status`


CHARACTER_SUM = "character_sum"
"""Name of the check on the stage that sums up characters: for each document, characters in = characters in sections +
characters dropped."""


Event = dg.AssetMaterialization | dg.MaterializeResult | dg.AssetCheckEvaluation


def materialize_batch(
    context: dg.AssetExecutionContext,
    knowledge_base: KnowledgeBaseResource,
    pipeline: tuple[Stage, ...],
    stages: Sequence[Stage],
    keys: Sequence[str],
) -> Iterator[Event]:
    """Take documents through `stages` of a pipeline and yield an event for every artefact that is news; then fail if
    any failed.

    A failed document marks its own partitions as failed, from the stage where it stopped; the others are not touched.
    Where a stage sums up characters, one check tells of how many documents the character sum is exact.

    Raises:
        dagster.Failure: after the whole batch, where a document failed.
    """
    start = time.perf_counter()
    backfill = "dagster/backfill" in context.run.tags  # a backfill waits for an event of each of its partitions
    computed, reused, failed = 0, 0, {}
    by_name = {stage.name: stage for stage in stages}
    sums: dict[str, dict[str, Any]] = {}
    with knowledge_base.open(pipeline, progress.tell) as kb:
        known = {key: kb.catalogue.document(key) for key in keys}
        for key in [key for key, document in known.items() if document is None]:
            failed[key] = "the document was removed; delete its partition with `kb doctor --fix`"
            _mark_failed(context, stages, key)
        for outcomes in run_batch([document for document in known.values() if document], stages, kb):
            for outcome in outcomes:
                if outcome.artefact is None:
                    failed[outcome.document.id] = f"{outcome.document.path}: {outcome.stage}: {outcome.reason}"
                    context.log.error(failed[outcome.document.id])
                    position = list(by_name).index(outcome.stage)
                    _mark_failed(context, stages[position:], outcome.document.id)
                    continue
                stage = by_name[outcome.stage]
                if stage.sums_characters:
                    sums[outcome.document.path] = outcome.artefact.metadata
                reused, computed = reused + outcome.reused, computed + (not outcome.reused)
                if outcome.changed or backfill:
                    if context.has_partition_key:
                        yield _result(outcome)
                    else:
                        yield _materialization(stage, outcome, context.instance)
    seconds = time.perf_counter() - start
    context.log.info(
        f"{len(keys)} documents in {seconds:.1f} s: {computed} stages computed, {reused} reused, {len(failed)} failed"
    )
    for key in context.selected_asset_check_keys:
        if key.name == CHARACTER_SUM:
            yield _character_sum(key.asset_key, sums)
    if failed:
        listed = dict(sorted(failed.items())[:LISTED_FAILURES])
        raise dg.Failure(f"{len(failed)} of {len(keys)} documents failed", metadata=listed, allow_retries=False)


def _character_sum(asset: dg.AssetKey, sums: dict[str, dict[str, Any]]) -> dg.AssetCheckEvaluation:
    """The check of a batch: `sums` are the facts of its documents by path."""
    wrong = sorted(path for path, facts in sums.items() if not facts["character sum balanced"])
    return dg.AssetCheckEvaluation(
        asset_key=asset,
        check_name=CHARACTER_SUM,
        passed=not wrong,
        metadata={
            "documents": len(sums),
            "exact": len(sums) - len(wrong),
            "wrong": wrong[:LISTED_FAILURES],
            "characters in": sum(facts["characters in"] for facts in sums.values()),
            "characters dropped": sum(facts["characters dropped"] for facts in sums.values()),
        },
    )


def _result(outcome: Outcome) -> dg.MaterializeResult:
    """An asset's output in a run over one partition: steps downstream of it, a user's own, go on in the same run.

    Over several partitions an output would stand for all of them, the failed and the unchanged ones, too; there events
    are all that can be given, and assets downstream follow in runs of their own.
    """
    version = dg.DataVersion(outcome.made.content_hash)
    return dg.MaterializeResult(asset_key=outcome.stage, metadata=_metadata(outcome), data_version=version)


def _materialization(stage: Stage, outcome: Outcome, instance: dg.DagsterInstance) -> dg.AssetMaterialization:
    """The event of one stage of one document, with the version tags that Dagster's staleness looks at."""
    artefact = outcome.made
    # the storage id before this event stands for the upstream events: without one, Dagster sees "a new dependency"
    pointer = str(instance.event_log_storage.get_maximum_record_id() or "NULL") if stage.upstream else "NULL"
    tags = {"dagster/data_version": artefact.content_hash, "dagster/code_version": stage.code_version}
    for name, content in artefact.inputs.items():
        tags[f"dagster/input_data_version/{name}"] = content
        tags[f"dagster/input_event_pointer/{name}"] = pointer
    return dg.AssetMaterialization(outcome.stage, partition=outcome.document.id, tags=tags, metadata=_metadata(outcome))


def _metadata(outcome: Outcome) -> dict[str, Any]:
    artefact = outcome.made
    facts = dict(artefact.metadata)
    preview = facts.pop("preview", "") or _facts_table(facts)
    return {
        "document": outcome.document.path,
        "source": dg.MetadataValue.path(hide_credentials(outcome.document.source)),
        "reused": outcome.reused,
        "seconds": artefact.seconds,
        "fingerprint": artefact.fingerprint,
        "preview": dg.MetadataValue.md(preview),
        **{name: value for name, value in facts.items() if value is not None},
    }


def _facts_table(facts: dict[str, Any]) -> str:
    rows = "".join(f"| {name} | {value} |\n" for name, value in facts.items())
    return f"| fact | value |\n| --- | --- |\n{rows}"


def _mark_failed(context: dg.AssetExecutionContext, stages: Sequence[Stage], key: str) -> None:
    """Show a document's partitions of those stages as failed: planned in a run that fails, never materialized.

    Dagster has no public call for that: test_private_dagster.py fails when its inside changes.
    """
    from dagster._core.events import AssetMaterializationPlannedData, DagsterEvent

    for stage in stages:
        planned = AssetMaterializationPlannedData(dg.AssetKey(stage.name), partition=key)
        step = str(context.op_execution_context.op_handle)
        event = DagsterEvent.build_asset_materialization_planned_event(context.run.job_name, step, planned)
        context.instance.report_dagster_event(event, run_id=context.run.run_id)
