"""Settings that were taken without a word and changed nothing."""

from __future__ import annotations

import pytest

from kb_pipeline.definitions import build_definitions
from kb_pipeline.errors import InvalidSetting
from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.settings import load_settings, parse_assignments
from kb_pipeline.stages.pipeline import open_context
from kb_pipeline_tests.openai_server import OpenAIServer


def test_as_many_texts_as_embedding_batch_says_go_into_one_request(kb_home, tmp_path):
    file = tmp_path / "long.md"
    file.write_text("".join(f"# Hole {n}\n\nHole ZK{n} ended at {n} metres.\n\n" for n in range(100)))
    with OpenAIServer() as server, open_context() as context:
        own = {"provider": "openai", "base_url": server.base_url, "api_key": server.api_key, "model": server.model,
               "batch": 100, "dimension": 16}  # fmt: skip
        kb = context.catalogue.create("one", {f"embedding.{key}": value for key, value in own.items()})
        assert ingest(kb, register(context.catalogue, kb, [str(file)]), context, lambda step: None).failures == ()
        sent = [len(seen.json["input"]) for seen in server.requests]
    assert max(sent) > 64


def test_a_backfill_takes_as_many_documents_per_run_as_pipeline_batch_says(kb_home):
    kb_home.mkdir()
    (kb_home / "kb.toml").write_text("[pipeline]\nbatch = 7\n")
    stages = next(one for one in build_definitions().assets if len(list(one.keys)) > 1)
    assert stages.backfill_policy.max_partitions_per_run == 7


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("KB_CHUNKING__MODES", "*.xlsx=table,faq/*=qa", ("*.xlsx=table", "faq/*=qa")),
        ("KB_CHUNKING__MODES", '["a,b.md=qa"]', ("a,b.md=qa",)),
        ("KB_ASSEMBLY__KEEP", "watermark, contents", ("watermark", "contents")),
        ("KB_STORAGE__OPTIONS", '{"anon": true, "endpoint_url": "http://s3"}', {"anon": True, "endpoint_url": "http://s3"}),
    ],
)  # fmt: skip
def test_lists_and_tables_come_from_variables(kb_home, monkeypatch, name, text, value):
    monkeypatch.setenv(name, text)
    group, key = name.removeprefix("KB_").lower().split("__")
    assert getattr(getattr(load_settings(), group), key) == value


def test_a_table_that_is_no_json_says_how_to_write_it(kb_home, monkeypatch):
    monkeypatch.setenv("KB_STORAGE__OPTIONS", "key=x")
    with pytest.raises(InvalidSetting) as caught:
        load_settings()
    assert "storage.options" in str(caught.value) and "JSON" in caught.value.remedy


def test_a_delimiter_may_be_a_comma():
    assert parse_assignments(('child_delimiters=[",", "\\n"]',)) == {"chunking.child_delimiters": [",", "\n"]}


def test_a_knowledge_base_is_given_no_setting_of_the_whole_installation():
    with pytest.raises(InvalidSetting, match=r"storage\.uri holds for all"):
        parse_assignments(("storage.uri=s3://x",), of_knowledge_base=True)
