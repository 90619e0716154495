"""Keys and passwords of a knowledge base were printed by every listing, and lay where all could read them."""

from __future__ import annotations

import json
import stat

import pytest
from click.testing import CliRunner

from kb_pipeline.cli import kb
from kb_pipeline.errors import EndpointError, InvalidSetting
from kb_pipeline.operations.doctor import examine
from kb_pipeline.settings import Settings, load_settings, parse_assignments, reveal, reveal_options, shown
from kb_pipeline.stages.pipeline import open_context
from kb_pipeline_tests.openai_server import Fault, OpenAIServer

SECRETS = ("llm.api_key=sk-one", "render.password=pw-two", "index.uri=http://me:pw-three@milvus:19530")
WORDS = ("sk-one", "pw-two", "pw-three")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(kb, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def rights(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_no_command_prints_a_secret(kb_home):
    printed = run("create", "one", "--json", *(word for one in SECRETS for word in ("--set", one)))
    for arguments in (("set", "one"), ("set", "one", "--json"), ("list", "--json"), ("rename", "one", "two", "--json")):
        printed += run(*arguments)
    assert not [word for word in WORDS if word in printed]
    own = json.loads(run("set", "two", "--json"))["settings"]
    assert own == {"llm.api_key": "***", "render.password": "***", "index.uri": "http://milvus:19530"}


def test_options_of_a_store_are_shown_without_what_may_be_secret():
    options = {"key": "AK", "secret": "pw", "endpoint_url": "http://s3:9000", "client_kwargs": {"token": "t"}, "n": 3}
    assert shown({"storage.options": options})["storage.options"] == {
        "key": "***", "secret": "***", "endpoint_url": "http://s3:9000", "client_kwargs": {"token": "***"}, "n": 3,
    }  # fmt: skip


def test_a_value_that_is_refused_is_not_quoted_where_it_is_secret():
    with pytest.raises(InvalidSetting) as caught:
        Settings().merged({"llm.api_key": ["sk-one"]})
    assert "sk-one" not in f"{caught.value} {caught.value.remedy} {caught.value.__cause__}"


def test_an_error_names_no_credentials_of_an_address_and_no_key():
    settings = load_settings({"llm.base_url": "http://me:pw-three@127.0.0.1:9/v1"})
    from kb_pipeline.endpoints.calls import Endpoint

    failed = Endpoint("llm", settings.llm.base_url, "sk-one", 1, 1, 0).failed("refused: the key sk-one is unknown")
    assert not [word for word in WORDS if word in f"{failed.reason} {failed}"]
    assert "127.0.0.1:9" in str(failed)


def test_a_folder_that_is_made_here_is_the_users_own_and_so_are_files_with_secrets(kb_home):
    run("create", "open")
    run("create", "closed", "--set", SECRETS[0])
    assert rights(kb_home) == 0o700
    files = {path.parent.name: rights(path) for path in kb_home.rglob("kb.json")}
    assert files["kbn_closed"] == 0o600 != files["kbn_open"]
    run("set", "open", SECRETS[1])
    assert rights(kb_home / "store" / "kbs" / "kbn_open" / "kb.json") == 0o600


def test_doctor_warns_of_a_secret_that_others_may_read(kb_home):
    run("create", "one", "--set", SECRETS[0])
    stored = kb_home / "store" / "kbs" / "kbn_one" / "kb.json"
    stored.chmod(0o644)
    toml = kb_home / "kb.toml"
    toml.write_text('[llm]\napi_key = "sk-one"\n')
    toml.chmod(0o644)
    with open_context() as context:
        found = {one.problem: one.fix for one in examine(context, fix=True) if one.check == "secrets"}
    assert [problem for problem in found if str(toml) in problem and f"chmod 600 {toml}" in found[problem]]
    assert len(found) == 2 and rights(stored) == 0o600
    toml.chmod(0o600)
    with open_context() as context:
        assert not [one for one in examine(context) if one.check == "secrets"]
    toml.write_text('[llm]\napi_key = "env:MY_KEY"\n')
    toml.chmod(0o644)
    with open_context() as context:
        assert not [one for one in examine(context) if one.check == "secrets"]


def test_a_variable_stands_in_place_of_a_secret_and_is_read_at_use(kb_home, monkeypatch):
    from kb_pipeline.embedding.choose import embedder

    with OpenAIServer(api_key="sk-right") as server:
        own = parse_assignments(
            ("embedding.provider=openai", f"embedding.base_url={server.base_url}", f"embedding.model={server.model}",
             "embedding.api_key=env:MY_KEY", "embedding.max_retries=0"),
        )  # fmt: skip
        settings = load_settings(own)
        with pytest.raises(InvalidSetting, match="MY_KEY"):
            embedder(settings.embedding)
        monkeypatch.setenv("MY_KEY", "sk-right")
        assert embedder(settings.embedding).embed_passages(["x"]).shape == (1, 16)
        assert server.requests[-1].headers["authorization"] == "Bearer sk-right"
        server.script(Fault(401))
        with pytest.raises(EndpointError) as caught:
            embedder(settings.embedding).embed_passages(["y"])
        assert "sk-right" not in caught.value.reason
    assert shown(own)["embedding.api_key"] == "env:MY_KEY"
    assert reveal(load_settings({"render.password": "env:MY_KEY"}).render.password) == "sk-right"
    assert reveal_options({"secret": "env:MY_KEY", "deep": {"a": "env:MY_KEY"}, "n": 1}) == {
        "secret": "sk-right", "deep": {"a": "sk-right"}, "n": 1,
    }  # fmt: skip


def test_credentials_in_an_address_are_in_no_fingerprint():
    slices = [Settings().merged({"index.uri": uri}).slice(("index",)) for uri in ("http://a:b@m:1", "http://m:1")]
    assert slices[0] == slices[1] and "b@" not in str(slices)
