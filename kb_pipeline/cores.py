"""How many cores this process may use."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Cores that this process is allowed to run on; where the system has no such limit (macOS), all there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
