"""What is used of Dagster's inside: all of it is listed here, and each use fails here when Dagster changes it."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import dagster as dg

PACKAGE = Path(__file__).parent.parent.parent / "kb_pipeline"
KNOWN = {
    ("orchestration/batch.py", "dagster._core.events"),
    ("orchestration/sqlite_storage.py", "dagster._core.storage.event_log.sqlite.sqlite_event_log"),
    ("orchestration/sqlite_storage.py", "dagster._core.storage.sqlite"),
    ("orchestration/sqlite_storage.py", "dagster._core.storage.sqlite_storage"),
    ("orchestration/supervisor.py", "dagster._daemon"),
}


def test_nothing_else_of_the_inside_is_used():
    found = {
        (str(path.relative_to(PACKAGE)), name)
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r"\bdagster\._[\w.]+", path.read_text("utf-8"))
    }
    assert found == KNOWN


def test_a_planned_event_can_be_made_for_one_partition():
    """How a failed document's partition turns red; test_assets.py looks at the outcome."""
    from dagster._core.events import AssetMaterializationPlannedData, DagsterEvent

    planned = AssetMaterializationPlannedData(dg.AssetKey("chunks"), partition="a")
    event = DagsterEvent.build_asset_materialization_planned_event("ingest", "document_stages", planned)
    assert event.partition == "a" and event.asset_key == dg.AssetKey("chunks")
    assert list(inspect.signature(dg.DagsterInstance.report_dagster_event).parameters)[1:3] == [
        "dagster_event",
        "run_id",
    ]


def test_the_event_log_keeps_its_connections(tmp_path):
    """What KeptSqliteEventLogStorage takes over from its parent, and that its parent asks it for connections."""
    from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage

    from kb_pipeline.orchestration.sqlite_storage import KeptSqliteEventLogStorage, KeptSqliteStorage

    assert list(inspect.signature(SqliteEventLogStorage._connect).parameters) == ["self", "shard"]
    storage = KeptSqliteStorage.from_config_value(None, {"base_dir": str(tmp_path)})
    log = storage.event_log_storage
    assert type(log) is KeptSqliteEventLogStorage
    assert {"_db_lock", "_initialized_dbs"} <= set(vars(log))
    with log.index_connection():
        pass
    (kept,) = log._engines.values()
    with log.index_connection():
        pass
    assert list(log._engines.values()) == [kept]
    with kept.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 1  # NORMAL
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_the_daemon_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "dagster._daemon", "run", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--workspace" in done.stdout


def test_the_event_before_this_one_has_a_number():
    with dg.instance_for_test() as instance:
        instance.report_runless_asset_event(dg.AssetMaterialization("chunks", partition="a"))
        assert instance.event_log_storage.get_maximum_record_id() > 0
