"""Scores of retrieval and tracing as assets, a partition per knowledge base: every evaluation is an event with its
figures as metadata, so that Dagster draws them over time and a change's effect is seen."""

# no postponed annotations here: Dagster reads configs and resource off the functions' signatures

import warnings
from collections.abc import Sequence
from typing import Any, cast

import dagster as dg

from kb_pipeline.orchestration.resource import KnowledgeBaseResource
from kb_pipeline.storage.catalogue import Catalogue
from kb_pipeline.storage.objects import home_store

KNOWLEDGE_BASES = "knowledge_bases"

knowledge_bases = dg.DynamicPartitionsDefinition(name=KNOWLEDGE_BASES)


class SampleConfig(dg.Config):
    """How many chunks are asked for; 0 takes the setting `evaluation.sample`."""

    sample: int = 0


class QuestionsConfig(dg.Config):
    """A file of questions; without one, that of the setting `evaluation.questions`."""

    questions: str = ""


def score_assets(readers: Sequence[str], owners: Sequence[str] = ()) -> list[dg.AssetsDefinition]:
    """The three evaluations as assets.

    Args:
        readers: assets whose rows readers search, on which scores depend.
        owners: of the assets, as Dagster writes them.
    """
    options: dict[str, Any] = {
        "partitions_def": knowledge_bases,
        "deps": [dg.AssetDep(name, partition_mapping=dg.AllPartitionMapping()) for name in readers],
        "group_name": "scores",
        "kinds": {"python", "milvus"},
        "owners": list(owners),
    }

    @dg.asset(description="Does a chunk come out first, asked with its own text?", **options)
    def self_recall(
        context: dg.AssetExecutionContext, config: SampleConfig, knowledge_base: KnowledgeBaseResource
    ) -> dg.MaterializeResult:
        from kb_pipeline.evaluation.run import metadata, self_recall_of

        name, settings = _name(context.partition_key, knowledge_base), knowledge_base.load()
        return dg.MaterializeResult(metadata=metadata(self_recall_of(name, config.sample, settings)))

    @dg.asset(description="Recall, MRR, nDCG and page hits over a question set.", **options)
    def question_scores(
        context: dg.AssetExecutionContext, config: QuestionsConfig, knowledge_base: KnowledgeBaseResource
    ) -> dg.MaterializeResult:
        from kb_pipeline.evaluation.run import metadata, question_scores_of

        name, settings = _name(context.partition_key, knowledge_base), knowledge_base.load()
        return dg.MaterializeResult(metadata=metadata(question_scores_of(name, config.questions, settings)))

    @dg.asset(description="Do the highlights shown cover the true places?", **options)
    def trace_scores(
        context: dg.AssetExecutionContext, config: QuestionsConfig, knowledge_base: KnowledgeBaseResource
    ) -> dg.MaterializeResult:
        from kb_pipeline.evaluation.run import metadata, trace_scores_of

        name, settings = _name(context.partition_key, knowledge_base), knowledge_base.load()
        return dg.MaterializeResult(metadata=metadata(trace_scores_of(name, config.questions, settings)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)  # the release is pinned
        # `**options` hides from a type checker that the decorator makes definitions of the functions
        made = cast("list[dg.AssetsDefinition]", [self_recall, question_scores, trace_scores])
        return cast("list[dg.AssetsDefinition]", dg.with_source_code_references(made))


def record_scores(asset: str, kb: str, figures: dict[str, Any]) -> None:
    """Add an evaluation made outside of a run to the asset's history.

    Args:
        kb: id of the knowledge base, the partition.
    """
    from kb_pipeline.orchestration.instance import open_instance

    with open_instance() as instance:
        instance.add_dynamic_partitions(KNOWLEDGE_BASES, [kb])
        instance.report_runless_asset_event(dg.AssetMaterialization(asset, partition=kb, metadata=figures))


def forget_scores(instance: dg.DagsterInstance, kb: str) -> None:
    """Delete a knowledge base's partition; nothing happens where it has none."""
    if instance.has_dynamic_partition(KNOWLEDGE_BASES, kb):
        instance.delete_dynamic_partition(KNOWLEDGE_BASES, kb)


def _name(key: str, knowledge_base: KnowledgeBaseResource) -> str:
    entry = Catalogue(home_store(knowledge_base.load())).knowledge_base_by_id(key)
    if entry is None:
        raise dg.Failure(f"there is no knowledge base {key} any more", allow_retries=False)
    return entry.name
