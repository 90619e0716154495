"""Every test runs in a home of its own; what it starts there is ended."""

from __future__ import annotations

import os

import pytest

os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"


@pytest.fixture
def kb_home(tmp_path, monkeypatch):
    """An empty KB_HOME with the settings' defaults; its index owner is ended afterwards."""
    for name in [name for name in os.environ if name.startswith("KB_") and name != "KB_MODELS"]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    monkeypatch.setenv("KB_HOME", str(home))
    monkeypatch.setenv("DAGSTER_HOME", str(home / "dagster"))
    yield home
    if (home / "index").exists():
        from kb_pipeline.index.lite_server import stop

        stop(home / "index")
