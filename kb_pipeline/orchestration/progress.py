"""Who listens to the progress of runs in this process: the command line's progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_pipeline.engine.context import Progress

_listeners: list[Callable[[Progress], None]] = []


@contextmanager
def listening(listener: Callable[[Progress], None]) -> Iterator[None]:
    """Call `listener` for every step of runs inside the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(progress: Progress) -> None:
    """Pass a step on to who listens."""
    for listener in list(_listeners):
        listener(progress)
