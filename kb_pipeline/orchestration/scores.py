"""Scores of retrieval and tracing as assets, a partition a knowledge base: every evaluation is an event with its
figures as metadata, so that Dagster draws them over time and a change's effect is seen."""

# no postponed annotations here: Dagster reads the configs off the functions' signatures

from typing import Any

import dagster as dg

knowledge_bases = dg.DynamicPartitionsDefinition(name="knowledge_bases")
ASSETS = ("self_recall", "question_scores", "trace_scores")
_options: dict[str, Any] = {
    "partitions_def": knowledge_bases,
    "deps": [dg.AssetDep("index_rows", partition_mapping=dg.AllPartitionMapping())],
    "group_name": "scores",
    "kinds": {"python", "milvus"},
}


class SampleConfig(dg.Config):
    """How many chunks are asked for; 0 takes the setting `evaluation.sample`."""

    sample: int = 0


class QuestionsConfig(dg.Config):
    """A file of questions; without one, that of the setting `evaluation.questions`."""

    questions: str = ""


@dg.asset(name="self_recall", description="Does a chunk come out first, asked with its own text?", **_options)
def self_recall_asset(context: dg.AssetExecutionContext, config: SampleConfig) -> dg.MaterializeResult:
    """Self-recall of a knowledge base: dense, full-text and hybrid."""
    from kb_pipeline.evaluation.run import metadata, self_recall_of

    return dg.MaterializeResult(metadata=metadata(self_recall_of(_name(context.partition_key), config.sample)))


@dg.asset(name="question_scores", description="Recall, MRR, nDCG and page hits over a question set.", **_options)
def question_scores_asset(context: dg.AssetExecutionContext, config: QuestionsConfig) -> dg.MaterializeResult:
    """Scores of a knowledge base over its question set."""
    from kb_pipeline.evaluation.run import metadata, question_scores_of

    return dg.MaterializeResult(metadata=metadata(question_scores_of(_name(context.partition_key), config.questions)))


@dg.asset(name="trace_scores", description="Do the highlights shown cover the true places?", **_options)
def trace_scores_asset(context: dg.AssetExecutionContext, config: QuestionsConfig) -> dg.MaterializeResult:
    """Cover and intersection over union of a knowledge base's highlights over its question set."""
    from kb_pipeline.evaluation.run import metadata, trace_scores_of

    return dg.MaterializeResult(metadata=metadata(trace_scores_of(_name(context.partition_key), config.questions)))


score_assets = [self_recall_asset, question_scores_asset, trace_scores_asset]


def record_scores(asset: str, kb: str, figures: dict[str, Any]) -> None:
    """Add an evaluation made outside of a run to the asset's history.

    Args:
        kb: id of the knowledge base, the partition.
    """
    from kb_pipeline.orchestration.instance import open_instance

    with open_instance() as instance:
        instance.add_dynamic_partitions(knowledge_bases.name, [kb])
        instance.report_runless_asset_event(dg.AssetMaterialization(asset, partition=kb, metadata=figures))


def forget_scores(instance: dg.DagsterInstance, kb: str) -> None:
    """Delete a knowledge base's partition; nothing happens where it has none."""
    if instance.has_dynamic_partition(knowledge_bases.name, kb):
        instance.delete_dynamic_partition(knowledge_bases.name, kb)


def _name(key: str) -> str:
    from kb_pipeline.stages.pipeline import open_context

    with open_context() as context:
        entry = context.catalogue.knowledge_base_by_id(key)
    if entry is None:
        raise dg.Failure(f"there is no knowledge base {key} any more", allow_retries=False)
    return entry.name
