"""Runs whose process was killed while it executed them itself: nobody else marks those as failed."""

from __future__ import annotations

import dagster as dg

from kb_pipeline.storage.process import process_lives

PROCESS_TAG = "kb/process"  # who executes a run in its own process, as host:pid


def end_dead_runs(instance: dg.DagsterInstance) -> list[str]:
    """Mark runs as failed whose own process is gone (killed): nobody else does for runs inside a command.

    Returns:
        Their run ids.
    """
    unfinished = [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.NOT_STARTED]
    ended = []
    for run in instance.get_runs(dg.RunsFilter(statuses=unfinished)):
        process = run.tags.get(PROCESS_TAG, "")
        if process and not process_lives(process):
            instance.report_run_failed(run, message=f"its process {process} is gone; the next run goes on from there")
            ended.append(run.run_id)
    return ended
