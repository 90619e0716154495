"""Keep what an evaluation found in the history that the Dagster UI shows."""

from __future__ import annotations

from kb_pipeline.evaluation.questions import QuestionReport
from kb_pipeline.evaluation.run import Report, metadata
from kb_pipeline.evaluation.self_recall import SelfRecallReport
from kb_pipeline.evaluation.trace import TraceReport


def keep(name: str, report: Report) -> None:
    """Add a report to the history that the Dagster UI shows."""
    from kb_pipeline.orchestration.scores import record_scores
    from kb_pipeline.stages.pipeline import open_context

    asset = {SelfRecallReport: "self_recall", QuestionReport: "question_scores", TraceReport: "trace_scores"}
    with open_context() as context:
        entry = context.catalogue.knowledge_base(name)
    record_scores(asset[type(report)], entry.id, {"knowledge base": entry.name, **metadata(report)})
