"""Re-ingestion on a clock: every document is looked at, and only what changed is computed."""

# no postponed annotations here: Dagster reads the resource off the schedule's signature

from collections.abc import Iterator

import dagster as dg

from kb_pipeline.orchestration.partitions import DOCUMENTS
from kb_pipeline.orchestration.resource import KnowledgeBaseResource

JOB = "ingest"
"""Name of the job that takes documents through all stages."""
NIGHTLY = "0 2 * * *"


def batches(keys: list[str], size: int) -> Iterator[list[str]]:
    """Consecutive pieces of at most `size` keys."""
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


def nightly_reingest(cron: str) -> dg.ScheduleDefinition:
    """The schedule that takes every document of every knowledge base through the job."""

    @dg.schedule(name="nightly_reingest", job_name=JOB, cron_schedule=cron)
    def schedule(
        context: dg.ScheduleEvaluationContext, knowledge_base: KnowledgeBaseResource
    ) -> Iterator[dg.RunRequest]:
        """Every document of every knowledge base; unchanged ones cost a millisecond each."""
        keys = sorted(context.instance.get_dynamic_partitions(DOCUMENTS))
        stamp = context.scheduled_execution_time.isoformat()
        for number, batch in enumerate(batches(keys, knowledge_base.load().pipeline.batch)):
            yield dg.RunRequest(run_key=f"{stamp}-{number}", run_config=run_config(batch))

    return schedule


def run_config(keys: list[str]) -> dict[str, object]:
    """Run configuration of an unpartitioned run over those documents."""
    return {"ops": {"document_stages": {"config": {"documents": keys}}}}
