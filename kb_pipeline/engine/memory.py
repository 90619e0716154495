"""How this process gets memory for pictures and model inputs, so that page workers do not pile up what they freed."""

from __future__ import annotations

import ctypes
from functools import cache

# parameters of glibc's mallopt(3)
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
ARENAS = 2
LARGE = 4 << 20  # bytes from which a block is mapped by itself and goes back to the system when it is freed


@cache
def bound_allocator() -> bool:
    """Tell glibc to keep few arenas and to hand large blocks back at once; once per process, elsewhere nothing.

    Without it every worker thread's arena keeps the largest pictures that it ever held: two workers stood at 640 MB
    where 340 were enough.
    """
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return False
    settings = ((M_ARENA_MAX, ARENAS), (M_MMAP_THRESHOLD, LARGE), (M_TRIM_THRESHOLD, LARGE))
    return all([mallopt(name, value) == 1 for name, value in settings])
