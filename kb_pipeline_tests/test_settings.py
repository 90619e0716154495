"""Settings: sources in order, unknown keys refused, secrets out of fingerprints."""

from __future__ import annotations

import pytest

from kb_pipeline.errors import InvalidSetting
from kb_pipeline.settings import Settings, load_settings, parse_assignments, setting_names


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("KB_HOME", str(tmp_path))
    return tmp_path


def test_a_knowledge_base_wins_over_variables_and_those_over_the_file(own_home, monkeypatch):
    (own_home / "kb.toml").write_text("[chunking]\nchunk_tokens = 100\noverlap = 0.1\n[query]\ncandidates = 50\n")
    monkeypatch.setenv("KB_CHUNKING__OVERLAP", "0.2")
    settings = load_settings({"query.candidates": 60})
    assert (settings.chunking.chunk_tokens, settings.chunking.overlap, settings.query.candidates) == (100, 0.2, 60)


@pytest.mark.parametrize("where", ["file", "variable", "own"])
def test_an_unknown_key_is_refused_and_the_allowed_ones_are_listed(own_home, monkeypatch, where):
    if where == "file":
        (own_home / "kb.toml").write_text("[chunking]\nchunk_token = 100\n")
    elif where == "variable":
        monkeypatch.setenv("KB_CHUNKING__CHUNK_TOKEN", "1")
    with pytest.raises(InvalidSetting) as caught:
        load_settings({"chunking.chunk_token": 1} if where == "own" else {})
    assert caught.value.exit_code == 2
    assert "did you mean chunking.chunk_tokens?" in caught.value.remedy
    assert "query.candidates" in caught.value.remedy


def test_a_value_out_of_bounds_names_the_key_and_the_bound():
    with pytest.raises(InvalidSetting, match=r"chunking\.chunk_tokens.*32.*'5'"):
        parse_assignments(("chunking.chunk_tokens=5",))


def test_a_bare_key_is_enough_where_only_one_group_has_it():
    assert parse_assignments(("chunk_tokens=256",)) == {"chunking.chunk_tokens": "256"}
    with pytest.raises(InvalidSetting):
        parse_assignments(("base_url=http://x",))


def test_broken_toml_is_wrong_usage(own_home):
    (own_home / "kb.toml").write_text("[chunking\n")
    with pytest.raises(InvalidSetting, match="not valid TOML"):
        load_settings()


def test_slices_hold_only_what_was_named_and_no_secret():
    settings = Settings().merged({"llm.api_key": "sk-secret", "render.password": "hidden"})
    found = settings.slice(("llm", "render", "embedding.model"))
    assert "embedding.model" in found and "embedding.batch" not in found and "llm.model" in found
    assert "secret" not in str(found) and "hidden" not in str(found)
    assert not any(key.endswith(("api_key", "password", "token")) for key in found)
    assert "sk-secret" not in repr(settings)


def test_every_setting_has_a_name():
    assert "render.dpi" in setting_names() and len(set(setting_names())) == len(setting_names())
