"""End what commands left running in this installation."""

from __future__ import annotations

from kb_pipeline.index import lite_server
from kb_pipeline.orchestration import processes
from kb_pipeline.orchestration.supervisor import SUPERVISOR
from kb_pipeline.records import Record
from kb_pipeline.settings import home

SUPERVISOR_STOP_S = 45.0  # it ends its own children first, which have 15 s before they are killed


class Ended(Record, frozen=True):
    """What ran, by name; whether it is gone now."""

    name: str
    gone: bool


def end_all() -> list[Ended]:
    """End supervisor, its processes, ingests that were left behind, and the index owner, in this order.

    Only processes that are written down in KB_HOME and are still the same are ended. Commands that somebody else runs
    now are not, and the index comes back for them by itself.

    Raises:
        IndexUnavailable: the index owner does not end.
    """
    ended = []
    supervisors = [process for process in processes.living() if process.name == SUPERVISOR]
    processes.end(supervisors, SUPERVISOR_STOP_S)
    others = processes.living()
    processes.end(others)
    for process in [*supervisors, *(p for p in others if p not in supervisors)]:
        ended.append(Ended(f"{process.name} (process {process.pid})", not process.lives))
    if lite_server.stop(home() / "index"):
        ended.append(Ended("index", True))
    return ended
