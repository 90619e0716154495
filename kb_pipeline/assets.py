"""The nine stages as Dagster assets, partitioned by document: one definition, materializable in any subset."""

# no postponed annotations here: Dagster reads BatchConfig off the function's signature

from collections.abc import Iterator

import dagster as dg

from kb_pipeline.orchestration.batch import CHARACTER_SUM, materialize_batch
from kb_pipeline.orchestration.partitions import documents
from kb_pipeline.settings import Settings
from kb_pipeline.stages.pipeline import PIPELINE

KINDS = {"page_renders": "pdf", "layout_boxes": "onnx", "table_grids": "onnx", "index_rows": "milvus"}


class BatchConfig(dg.Config):
    """Documents of an unpartitioned run; a partitioned run or backfill takes those of its partition range."""

    documents: list[str] = []


@dg.multi_asset(
    name="document_stages",
    specs=[
        dg.AssetSpec(
            stage.name,
            deps=list(stage.upstream),
            description=stage.description,
            code_version=stage.code_version,
            group_name="documents",
            kinds={"python", KINDS.get(stage.name, "python")},
            partitions_def=documents,
            skippable=True,
        )
        for stage in PIPELINE
    ],
    check_specs=[
        dg.AssetCheckSpec(
            CHARACTER_SUM,
            asset="sections",
            description="Of each document: characters read = those in sections + those dropped with a reason.",
        )
    ],
    can_subset=True,
    backfill_policy=dg.BackfillPolicy.multi_run(Settings().pipeline.batch),
)
def document_stages(
    context: dg.AssetExecutionContext, config: BatchConfig
) -> Iterator[dg.AssetMaterialization | dg.AssetCheckEvaluation]:
    """A batch of documents through the selected stages, in this process."""
    stages = [stage for stage in PIPELINE if dg.AssetKey(stage.name) in context.selected_asset_keys]
    yield from materialize_batch(context, stages, config.documents or context.partition_keys)


ingest_job = dg.define_asset_job("ingest", selection=[stage.name for stage in PIPELINE])
