"""The process in which a file is opened and its pages are read, so that a library that crashes or hangs on it ends
alone. See isolation.py for the side that asks."""

from __future__ import annotations

import importlib
import os
import resource
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

MAX_MEMORY = 4 << 30  # bytes of address space; the largest picture that is ever decoded takes about half


class Picture:
    """What stands for an array that lies in the shared buffer."""

    def __init__(self, shape: tuple[int, ...], kind: str):
        self.shape, self.kind = shape, kind


def serve(channel: int, buffer: int) -> None:
    """Answer requests until the other side is gone.

    A request is (seconds, method, arguments); `open` has the reader's `module:name`, the size of the file in the
    buffer, its name, and what else the reader takes. The kernel's alarm ends this process when a request takes longer:
    no lock of Python or of a library can keep it from that. An answer is (whether it went well, result or error).
    """
    if sys.platform == "linux":  # macOS does not hold a process to it
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    asked, file = Connection(channel), None
    while True:
        try:
            seconds, method, arguments = asked.recv()
        except (EOFError, OSError):
            return
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            if method == "open":
                file = _closed(file)
                reader, size, name, *more = arguments
                file = _loaded(reader)(os.pread(buffer, size, 0), name, *more)
                answer: Any = file.page_count
            elif method == "close":
                file = answer = _closed(file)
            else:
                answer = _in_buffer(getattr(file, method)(*arguments), buffer)
            told = True, answer
        except Exception as error:  # the process's edge: it is raised again on the other side
            told = False, error
        signal.setitimer(signal.ITIMER_REAL, 0)
        asked.send(told)


def _loaded(reader: str) -> Callable[..., Any]:
    module, _, name = reader.partition(":")
    return getattr(importlib.import_module(module), name)


def _closed(file: Any) -> None:
    if file is not None:
        file.close()


def _in_buffer(answer: Any, buffer: int) -> Any:
    """Arrays go through the buffer, which is several times as fast as the channel."""
    if not isinstance(answer, np.ndarray):
        return answer
    data = np.ascontiguousarray(answer).data.cast("B")
    at = 0
    while at < len(data):
        at += os.pwrite(buffer, data[at:], at)
    return Picture(answer.shape, answer.dtype.str)
