"""The nine assets over real documents: events, reuse, failures on their own partitions, backfills by range."""

from __future__ import annotations

import dagster as dg
import pytest
from dagster._core.definitions.partitions.context import partition_loading_context
from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value

from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.operations.remove import remove_documents
from kb_pipeline.orchestration.instance import open_instance
from kb_pipeline.orchestration.partitions import documents as partitions
from kb_pipeline.stages.pipeline import PIPELINE, open_context

STAGES = [stage.name for stage in PIPELINE]


class Base:
    """A knowledge base over a folder of notes, driven as the command does."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        with open_context() as context:
            self.entry = context.catalogue.create("笔记", {})

    def write(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def ingest(self, **settings):
        import msgspec

        with open_context() as context:
            self.entry = msgspec.structs.replace(self.entry, settings=settings)
            context.catalogue.save(self.entry)
            documents = register(context.catalogue, self.entry, [str(self.folder)])
            return ingest(self.entry, documents, context, lambda step: None)

    def ids(self):
        with open_context() as context:
            return {document.path: document.id for document in context.catalogue.documents(self.entry.id)}


@pytest.fixture
def base(kb_home, tmp_path):
    made = Base(tmp_path / "notes")
    for n in range(3):
        made.write(f"note {n}.md", f"# Note {n}\n\nHole ZK30{n} reached {n + 200} metres in limestone.\n")
    return made


def events():
    """Materializations so far, as (stage, partition)."""
    with open_instance() as instance:
        return [
            (name, record.partition_key)
            for name in STAGES
            for record in instance.fetch_materializations(dg.AssetKey(name), limit=1000).records
        ]


def failed(stage):
    with open_instance() as instance:
        value = get_and_update_asset_status_cache_value(instance, dg.AssetKey(stage), partitions)
        with partition_loading_context(None, instance):
            return set(value.deserialize_failed_partition_subsets(partitions).get_partition_keys())


def test_every_document_materializes_every_asset_once_and_an_unchanged_one_none(base):
    report = base.ingest()
    assert (report.documents, report.ingested, report.failures) == (3, 3, ())
    first = events()
    assert sorted(first) == sorted((stage, key) for stage in STAGES for key in base.ids().values())
    again = base.ingest()
    assert (again.unchanged, again.ingested) == (3, 0)
    assert events() == first


def test_a_check_tells_of_how_many_documents_the_character_sum_is_exact(base):
    base.write("broken.pdf", b"%PDF-1.4 nothing that can be read")
    base.ingest()
    with open_instance() as instance:
        key = dg.AssetCheckKey(dg.AssetKey("sections"), "character_sum")
        record = instance.event_log_storage.get_asset_check_execution_history(key, limit=1)[0]
    found = record.event.dagster_event.asset_check_evaluation_data
    assert found.passed
    assert {name: found.metadata[name].value for name in ("documents", "exact")} == {"documents": 3, "exact": 3}
    assert found.metadata["characters in"].value > 100


def test_a_changed_chunk_size_touches_chunks_and_what_follows(base):
    base.ingest()
    before = events()
    base.ingest(**{"chunking.chunk_tokens": 33})
    new = sorted({stage for stage, _ in set_difference(events(), before)})
    # chunks come out equal (short notes), so the wave stops there
    assert new == ["chunks"]
    base.write("note 0.md", "# Note 0\n\n" + "A long sentence about limestone and ore, repeated for length. " * 20)
    base.ingest(**{"chunking.chunk_tokens": 33})
    before = events()
    base.ingest(**{"chunking.chunk_tokens": 64})
    new = set_difference(events(), before)
    long = base.ids()["note 0.md"]
    assert {stage for stage, key in new if key == long} == {"chunks", "embeddings", "index_rows", "llm_enrichments"}


def set_difference(after, before):
    after = list(after)
    for event in before:
        after.remove(event)
    return after


def test_one_bad_document_fails_on_its_own_partition_and_recovers(base):
    base.write("broken.pdf", b"%PDF-1.7 and then nothing that a PDF needs")
    report = base.ingest()
    assert [failure.document for failure in report.failures] == ["broken.pdf"]
    assert "DamagedFile" in report.failures[0].reason and "\n" not in report.failures[0].reason
    bad = base.ids()["broken.pdf"]
    assert failed("raw_file") == set()
    assert failed("page_renders") == {bad}
    assert failed("index_rows") == {bad}
    from kb_pipeline_tests.pdf_pages import text_pdf

    base.write("broken.pdf", text_pdf([["It reads well now."]]))
    assert base.ingest().failures == ()
    assert failed("page_renders") == failed("index_rows") == set()


def test_materializations_carry_what_people_look_for(base):
    base.ingest()
    with open_instance() as instance:
        record = instance.fetch_materializations(dg.AssetKey("sections"), limit=1).records[0]
    found = {name: value.value for name, value in record.asset_materialization.metadata.items()}
    assert found["document"].startswith("note ") and found["document"].endswith(".md")
    assert found["reused"] is False
    assert found["seconds"] >= 0
    assert "Hole ZK30" in found["preview"]
    assert found["character sum balanced"] is True
    assert record.asset_materialization.tags["dagster/data_version"]


def test_a_backfill_over_a_range_of_partitions_reports_what_is_reused_too(base):
    """As the Dagster UI does it: a run over a partition range, tagged as part of a backfill."""
    from kb_pipeline.definitions import defs

    base.ingest()
    before = events()
    with open_instance() as instance:
        keys = instance.get_dynamic_partitions(partitions.name)
        result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey("chunks"), dg.AssetKey("index_rows")],
            tags={
                "dagster/asset_partition_range_start": keys[0],
                "dagster/asset_partition_range_end": keys[-1],
                "dagster/backfill": "test",
            },
        )
    assert result.success
    new = set_difference(events(), before)
    assert sorted(new) == sorted((stage, key) for stage in ("chunks", "index_rows") for key in keys)


def test_a_removed_document_leaves_no_partition_no_artefact_and_no_row(base):
    base.ingest()
    gone = base.ids()["note 1.md"]
    with open_context() as context:
        remove_documents([context.catalogue.document(gone)], context)
        remove_documents([], context)
        assert context.catalogue.objects.names(f"documents/{gone}") == []
        assert gone not in base.ids().values()
    with open_instance() as instance:
        assert gone not in instance.get_dynamic_partitions(partitions.name)
    from kb_pipeline.operations.doctor import examine

    with open_context() as context:
        assert examine(context) == []


def test_a_partition_without_a_document_fails_with_the_remedy(base):
    from kb_pipeline.definitions import defs
    from kb_pipeline.orchestration.partitions import add_partitions
    from kb_pipeline.orchestration.schedules import run_config

    base.ingest()
    with open_instance() as instance:
        add_partitions(instance, ["ghost-000000000000"])
        result = defs.resolve_job_def("ingest").execute_in_process(
            instance=instance, run_config=run_config(["ghost-000000000000"]), raise_on_error=False
        )
    assert not result.success
    assert failed("raw_file") == {"ghost-000000000000"}
    from kb_pipeline.operations.doctor import examine

    with open_context() as context:
        assert [f.check for f in examine(context)] == ["partitions"]
        assert all(f.fixed for f in examine(context, fix=True))
        assert examine(context) == []
