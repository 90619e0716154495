"""The Dagster Definitions that workspace.yaml loads, and those that another Dagster project merges with its own."""

from __future__ import annotations

from collections.abc import Sequence

import dagster as dg

from kb_pipeline.assets import document_assets
from kb_pipeline.engine.stage import Stage
from kb_pipeline.errors import InvalidSetting
from kb_pipeline.orchestration.resource import RESOURCE, KnowledgeBaseResource
from kb_pipeline.orchestration.schedules import JOB, NIGHTLY, nightly_reingest
from kb_pipeline.orchestration.scores import score_assets
from kb_pipeline.settings import PipelineSettings
from kb_pipeline.stages.pipeline import PIPELINE


def build_definitions(
    resource: KnowledgeBaseResource | None = None,
    pipeline: tuple[Stage, ...] = PIPELINE,
    *,
    owners: Sequence[str] = (),
    nightly: str = NIGHTLY,
    scores: bool = True,
    executor: dg.ExecutorDefinition | None = None,
) -> dg.Definitions:
    """Assets, job and schedule of an installation, to be loaded alone or given to `dagster.Definitions.merge`.

    Args:
        resource: the installation; that of `KB_HOME` where none is given.
        pipeline: stages in order; each is an asset.
        owners: of all assets, as Dagster writes them: `team:…` or a mail address.
        nightly: cron expression of the schedule that looks at every document; empty for none.
        scores: whether evaluations are assets, too.
        executor: of runs that the UI starts over any assets; only one of merged definitions may have one. The job
            `ingest` runs in one process whatever it is.
    """
    resource = resource or KnowledgeBaseResource()
    stages = document_assets(pipeline, owners, _batch(resource))
    # a batch is one step that uses every core: a process per step would only load the models again
    job = dg.define_asset_job(JOB, selection=[stage.name for stage in pipeline], executor_def=dg.in_process_executor)
    readers = [stage.name for stage in pipeline if stage.serves_readers]
    return dg.Definitions(
        assets=[stages, *(score_assets(readers, owners) if scores else ())],
        jobs=[job],
        schedules=[nightly_reingest(nightly)] if nightly else [],
        resources={RESOURCE: resource},
        executor=executor,
    )


def _batch(resource: KnowledgeBaseResource) -> int:
    """Documents per run. A wrong setting is told by what runs: here it would take the whole code location away."""
    try:
        return resource.load().pipeline.batch
    except InvalidSetting:
        return PipelineSettings().batch


defs = build_definitions(executor=dg.in_process_executor)
