"""A knowledge base with a setting that is no longer known, or not with that value, could not even be deleted."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from kb_pipeline.cli import kb
from kb_pipeline.errors import InvalidSetting
from kb_pipeline.operations.doctor import examine
from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.stages.pipeline import open_context

OLD = {"chunking.size": "300", "assembly.keep": ["marginalia"], "chunking.chunk_tokens": "100"}


@pytest.fixture
def entry(kb_home):
    with open_context() as context:
        return context.catalogue.create("old", OLD)


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(kb, arguments)
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def test_it_is_listed_with_what_is_not_used(entry):
    (listed,) = json.loads(run("list", "--json"))["knowledge_bases"]
    assert set(listed["unusable"]) == {"chunking.size", "assembly.keep"}
    assert "kb unset old chunking.size" in run("list")
    with open_context() as context:
        told = {one.fix for one in examine(context) if one.check == "settings"}
        assert context.settings_of(entry.id).chunking.chunk_tokens == 100
    assert told == {"kb unset old chunking.size", "kb unset old assembly.keep"}


def test_it_is_mended_read_and_deleted(entry):
    assert "chunking.size" not in run("unset", "old", "chunking.size", "keep")
    assert json.loads(run("list", "--json"))["knowledge_bases"][0]["unusable"] == {}
    assert json.loads(run("unset", "old", "chunk_tokens", "--json"))["settings"] == {}
    assert isinstance(CliRunner().invoke(kb, ["unset", "old", "chunk_tokens"]).exception, InvalidSetting)


def test_it_can_be_searched_and_deleted_as_it_is(entry):
    assert KnowledgeBase.open("old").name == "old"
    run("status", "--kb", "old")
    run("plan", "--kb", "old")
    run("delete", "old", "--yes")
    assert json.loads(run("list", "--json"))["knowledge_bases"] == []


def test_nothing_is_made_again_under_another_value_than_the_one_that_was_set(entry, tmp_path):
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    with open_context() as context:
        documents = register(context.catalogue, entry, [str(tmp_path / "a.md")])
        with pytest.raises(InvalidSetting, match=r"assembly\.keep"):
            ingest(entry, documents, context, lambda step: None)
    run("unset", "old", "assembly.keep")  # an unknown key alone changes nothing that is made
    with open_context() as context:
        entry = context.catalogue.knowledge_base("old")
        assert ingest(entry, documents, context, lambda step: None).failures == ()
