"""Evaluations from the command and from Dagster: both end in the same history."""

from __future__ import annotations

import json

import dagster as dg
import pytest
from click.testing import CliRunner

from kb_pipeline.cli import kb
from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.operations.remove import remove_knowledge_base
from kb_pipeline.orchestration.instance import open_instance
from kb_pipeline.orchestration.scores import knowledge_bases
from kb_pipeline.stages.pipeline import open_context


@pytest.fixture
def notes(kb_home, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for n, rock in enumerate(("limestone", "granodiorite", "marble")):
        (folder / f"note {n}.md").write_text(f"# Hole ZK30{n}\n\nHole ZK30{n} reached {n + 200} metres in {rock}.\n")
    with open_context() as context:
        entry = context.catalogue.create("notes", {"evaluation.sample": 2})
        documents = register(context.catalogue, entry, [str(folder)])
        assert not ingest(entry, documents, context, lambda step: None).failures
    return entry


def history(asset: str) -> list[dict]:
    with open_instance() as instance:
        records = instance.fetch_materializations(dg.AssetKey(asset), limit=10).records
        return [{k: v.value for k, v in r.asset_materialization.metadata.items()} for r in records]


def run(*arguments: str) -> dict:
    result = CliRunner().invoke(kb, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_evaluations_are_printed_and_kept(notes, tmp_path):
    report = run("eval", "self-recall", "--kb", "notes")
    assert report["sample"] == 2
    assert set(report["ways"]) == {"dense", "full-text", "hybrid"}
    assert report["ways"]["hybrid"]["recall_at_1"] == 1
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "What rock is in ZK301?", "document": "note 1.md", "quote": "granodiorite"}\n')
    scores = run("eval", "questions", str(file), "--kb", "notes")["scores"]
    assert scores["recall_at_1"] == scores["ndcg_at_10"] == 1
    assert history("question_scores")[0]["recall at 1"] == 1
    assert history("self_recall")[0]["hybrid recall at 1"] == 1

    from kb_pipeline.definitions import defs

    with open_instance() as instance:
        job = dg.materialize(
            [asset for asset in defs.assets if "self_recall" in str(getattr(asset, "keys", ""))],
            instance=instance,
            partition_key=notes.id,
            selection="self_recall",
            resources=defs.resources,
        )
        assert job.success
    assert len(history("self_recall")) == 2

    with open_context() as context:
        remove_knowledge_base(notes, context)
    with open_instance() as instance:
        assert not instance.get_dynamic_partitions(knowledge_bases.name)
