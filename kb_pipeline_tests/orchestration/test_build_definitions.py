"""A Dagster project of somebody else's takes the assets into its own definitions, with a home of its own."""

# no postponed annotations here: Dagster reads the resource off the asset's signature

import json
import subprocess
import sys
from datetime import UTC, datetime

import dagster as dg
import pytest

from kb_pipeline.definitions import build_definitions
from kb_pipeline.index.lite_server import stop
from kb_pipeline.orchestration.partitions import add_partitions, documents
from kb_pipeline.orchestration.resource import KnowledgeBaseResource
from kb_pipeline.orchestration.schedules import run_config
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.stages.pipeline import PIPELINE
from kb_pipeline.storage.catalogue import document_id

MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    """A home beside KB_HOME, which nothing may touch."""
    monkeypatch.setenv("KB_HOME", str(tmp_path / "untouched"))
    yield tmp_path / "foreign"
    stop(tmp_path / "foreign" / "index")


@dg.asset(deps=["index_rows"], partitions_def=documents)
def announcement(context: dg.AssetExecutionContext, knowledge_base: KnowledgeBaseResource) -> dg.MaterializeResult:
    with knowledge_base.open() as kb:
        entry = kb.catalogue.document(context.partition_key)
    return dg.MaterializeResult(metadata={"text": f"{entry.path} can be searched"})


def test_another_project_merges_them_and_goes_on_from_the_rows(foreign, tmp_path):
    ours = KnowledgeBaseResource(home=str(foreign), settings={"chunking.mode": "general"})
    defs = dg.Definitions.merge(
        dg.Definitions(assets=[announcement], executor=dg.in_process_executor),
        build_definitions(ours, owners=["team:geology"], nightly="", scores=False),
    )
    note = tmp_path / "note.md"
    note.write_text("# Hole\n\nHole ZK305 reached 251 metres in limestone.\n")
    with ours.open() as kb:
        base = kb.catalogue.create("notes", {})
        key = kb.catalogue.register(base.id, "note.md", str(note)).id
    assert key == document_id(base.id, "note.md")
    with dg.instance_for_test() as instance:
        add_partitions(instance, [key])
        result = defs.resolve_implicit_global_asset_job_def().execute_in_process(instance=instance, partition_key=key)
        assert result.success
        told = {name: instance.get_latest_materialization_event(dg.AssetKey(name)) for name in ("chunks", "index_rows")}
        said = instance.get_latest_materialization_event(dg.AssetKey("announcement")).asset_materialization
        again = defs.resolve_job_def("ingest").execute_in_process(instance=instance, run_config=run_config([key]))
        assert again.success
    assert said.metadata["text"].value == "note.md can be searched"
    assert told["chunks"].asset_materialization.metadata["mode"].value == "general"
    assert "251 metres" in KnowledgeBase.open("notes", ours.load()).search("ZK305")[0].text
    assert not (tmp_path / "untouched").exists()
    specs = {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}
    assert set(specs) == {"announcement", *(stage.name for stage in PIPELINE)}
    assert list(specs["chunks"].owners) == ["team:geology"]


def test_an_asset_shows_what_it_works_with_what_it_is_and_where_its_code_stands():
    specs = {spec.key.to_user_string(): spec for spec in build_definitions().resolve_all_asset_specs()}
    for stage in PIPELINE:
        assert specs[stage.name].description == stage.description
        (place,) = specs[stage.name].metadata["dagster/code_references"].code_references
        assert place.file_path.endswith(f"stages/{stage.name}.py")
    assert specs["index_rows"].kinds == {"python", "milvus"}
    assert "dagster/code_references" in specs["self_recall"].metadata


def test_scores_depend_on_what_readers_see():
    specs = {spec.key.to_user_string(): spec for spec in build_definitions().resolve_all_asset_specs()}
    assert [dep.asset_key.to_user_string() for dep in specs["self_recall"].deps] == ["index_rows"]


def test_a_schedule_takes_the_batch_size_of_its_own_installation(foreign):
    ours = KnowledgeBaseResource(home=str(foreign), settings={"pipeline.batch": 2})
    defs = build_definitions(ours, nightly="0 5 * * *")
    with dg.instance_for_test() as instance:
        add_partitions(instance, ["a", "b", "c"])
        schedule = defs.resolve_schedule_def("nightly_reingest")
        assert schedule.cron_schedule == "0 5 * * *"
        context = dg.build_schedule_context(
            instance=instance, scheduled_execution_time=MIDNIGHT, resources=defs.resources
        )
        requests = schedule.evaluate_tick(context).run_requests
    assert [request.run_config["ops"]["document_stages"]["config"]["documents"] for request in requests] == [
        ["a", "b"], ["c"],
    ]  # fmt: skip


def test_importing_the_definitions_takes_less_than_a_second():
    code = (
        "import sys, time, json, dagster; start = time.process_time(); import kb_pipeline.definitions;"
        "print(json.dumps([time.process_time() - start,"
        " [m for m in ('onnxruntime', 'cv2', 'pandas', 'gradio') if m in sys.modules]]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, heavy = json.loads(done.stdout)
    assert seconds < 1 and heavy == []
