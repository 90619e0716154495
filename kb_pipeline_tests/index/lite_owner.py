"""The process that owns an index folder: its id, and its sudden end."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from kb_pipeline.index import lite_server


def owner_pid(folder: Path) -> int:
    """Process id of the folder's living owner, 0 for none."""
    folder = folder.resolve()
    with lite_server._launching(folder):
        return int(lite_server._announced(folder).get("pid", 0)) if lite_server._owned(folder) else 0


def kill_owner(folder: Path) -> None:
    """End the owner without a word, as a machine short of memory does, and wait until it is gone."""
    pid = owner_pid(folder)
    assert pid > 0
    os.kill(pid, signal.SIGKILL)
    while owner_pid(folder):
        time.sleep(0.01)
