"""Who works on a document, and whether that process is still there."""

from __future__ import annotations

import os
import socket

PROCESS = f"{socket.gethostname()}:{os.getpid()}"
"""This process, as `host:pid`."""


def process_lives(process: str) -> bool:
    """Whether `host:pid` still runs; processes of other machines count as running."""
    host, _, pid = process.rpartition(":")
    if host != PROCESS.rpartition(":")[0]:
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
