"""Stages as Dagster assets, partitioned by document: one definition, materializable in any subset."""

# no postponed annotations here: Dagster reads BatchConfig and the resource off the function's signature

import warnings
from collections.abc import Iterator, Sequence

import dagster as dg

from kb_pipeline.engine.stage import Stage
from kb_pipeline.orchestration.batch import CHARACTER_SUM, Event, materialize_batch
from kb_pipeline.orchestration.partitions import documents
from kb_pipeline.orchestration.resource import KnowledgeBaseResource
from kb_pipeline.settings import PipelineSettings

GROUP = "documents"


class BatchConfig(dg.Config):
    """Documents of an unpartitioned run; a partitioned run or backfill takes those of its partition range."""

    documents: list[str] = []


def document_assets(
    pipeline: tuple[Stage, ...], owners: Sequence[str] = (), batch: int = PipelineSettings().batch
) -> dg.AssetsDefinition:
    """One asset for each stage, all computed by one step.

    Args:
        batch: documents per run of a backfill.
        owners: of the assets, as Dagster writes them: `team:…` or a mail address.
    """

    @dg.multi_asset(
        name="document_stages",
        specs=[_spec(stage, owners) for stage in pipeline],
        check_specs=[
            dg.AssetCheckSpec(
                CHARACTER_SUM,
                asset=stage.name,
                description="Of each document: characters read = those in sections + those dropped with a reason.",
            )
            for stage in pipeline
            if stage.sums_characters
        ],
        can_subset=True,
        backfill_policy=dg.BackfillPolicy.multi_run(batch),
    )
    def document_stages(
        context: dg.AssetExecutionContext, config: BatchConfig, knowledge_base: KnowledgeBaseResource
    ) -> Iterator[Event]:
        """A batch of documents through the selected stages, in this process."""
        stages = [stage for stage in pipeline if dg.AssetKey(stage.name) in context.selected_asset_keys]
        keys = config.documents or context.partition_keys
        yield from materialize_batch(context, knowledge_base, pipeline, stages, keys)

    return document_stages


def _spec(stage: Stage, owners: Sequence[str]) -> dg.AssetSpec:
    return dg.AssetSpec(
        stage.name,
        deps=list(stage.upstream),
        description=stage.description,
        code_version=stage.code_version,
        group_name=GROUP,
        kinds={"python", *stage.kinds},
        owners=list(owners),
        metadata={"dagster/code_references": _source(stage)},
        partitions_def=documents,
        skippable=True,  # nothing is told of a document whose artefact was in force already
    )


def _source(stage: Stage) -> dg.CodeReferencesMetadataValue:
    """Where a stage's function stands; `dagster.with_source_code_references` would show this module for all stages."""
    code = (stage.compute or stage.compute_page).__code__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)  # the release is pinned
        place = dg.LocalFileCodeReference(file_path=code.co_filename, line_number=code.co_firstlineno, label=stage.name)
        return dg.CodeReferencesMetadataValue(code_references=[place])
