"""The Dagster Definitions that workspace.yaml loads."""

from __future__ import annotations

import dagster as dg

from kb_pipeline.assets import document_stages, ingest_job
from kb_pipeline.orchestration.schedules import nightly_reingest
from kb_pipeline.orchestration.scores import score_assets

defs = dg.Definitions(
    assets=[document_stages, *score_assets],
    jobs=[ingest_job],
    schedules=[nightly_reingest],
    # a batch is one step that uses every core: a process a step would only load the models again
    executor=dg.in_process_executor,
)
