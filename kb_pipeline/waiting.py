"""Waits that take long are logged, so that nobody wonders what a command is doing."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator

TELL_S = 2.0  # a wait that is longer is logged
log = logging.getLogger(__name__)


@contextlib.contextmanager
def told(what: str) -> Iterator[None]:
    """Log what is waited for as soon as the block took more than TELL_S seconds."""
    timer = threading.Timer(TELL_S, log.warning, ("waiting for %s", what))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
