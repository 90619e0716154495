"""The Dagster instance of this installation, in KB_HOME/dagster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kb_pipeline.settings import home, make_home

if TYPE_CHECKING:
    from dagster import DagsterInstance

INSTANCE_FILE = Path(__file__).with_name("dagster.yaml")  # in a checkout a link to the one at its top


def dagster_home() -> Path:
    """KB_HOME/dagster, with dagster.yaml in it: a link to the project's, unless the user put an own file there."""
    folder = make_home(home()) / "dagster"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "dagster.yaml"
    if not target.exists() or (target.is_symlink() and target.readlink() != INSTANCE_FILE):
        target.unlink(missing_ok=True)  # a link to an installation that moved, or to another one
        target.symlink_to(INSTANCE_FILE)
    return folder


def environment() -> dict[str, str]:
    """Variables under which every Dagster process of this installation runs."""
    return {
        "KB_HOME": str(home()),
        "DAGSTER_HOME": str(dagster_home()),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        # one planned event per run instead of nine per document: 0.6 s where 500 documents took 5.5
        "DAGSTER_EMIT_PARTITION_SUBSET_IN_PLANNED_EVENTS": "1",
    }


@contextmanager
def open_instance() -> Iterator[DagsterInstance]:
    """Dagster's instance of this installation."""
    os.environ.update(environment())
    import dagster as dg

    with dg.DagsterInstance.get() as instance:
        yield instance
