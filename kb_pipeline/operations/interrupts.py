"""A command that is told to end does so within seconds, whatever its workers are waiting for.

The signal's own handler may be Dagster's, which holds it back, and an interrupted command waits for its workers, of
which one may wait minutes for a service. So a thread of its own hears of the signal and ends the process when the grace
is over. Nothing that was finished is lost by that: artefacts are written whole, and a lease of a process that is gone
holds no more.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

GRACE_S = 5.0  # seconds for workers to finish the page that they are at
ENDING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def ended_in_time() -> Iterator[None]:
    """SIGTERM interrupts the block as Ctrl-C does, and both end the process after `GRACE_S` where it is still there."""
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    threading.Thread(target=_watch, args=(reading,), name="interrupts", daemon=True).start()
    handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    other = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)  # heard of whosever handler is called
    try:
        yield
    finally:
        signal.set_wakeup_fd(other)
        signal.signal(signal.SIGTERM, handler)
        writing.close()


def _watch(reading: socket.socket) -> None:
    """Wait for a signal, or for the end of the block; after a signal the block's end is waited for no longer."""
    with reading:
        while heard := reading.recv(1):
            if heard[0] in ENDING:
                time.sleep(GRACE_S)
                os.write(2, b"stopped: what was finished is kept\n")
                os._exit(128 + heard[0])
