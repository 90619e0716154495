"""Files read in a process of their own: what crashes or hangs there is an error of that file's page, and no more.

PDFium and the decoders of pictures are native code that reads whatever people send. A process is kept for the next file
when one is closed; it starts afresh, never as a fork, and ends with this one.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from multiprocessing import Pipe
from typing import Any

import numpy as np

from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.files.file_process import Picture
from kb_pipeline.deepdoc.files.rulings import Rulings
from kb_pipeline.errors import DamagedFile, DocumentError, FileClosed, PageFailed
from kb_pipeline.records import Bookmark, Box

MAX_SECONDS = 120.0  # of one request; the slowest page known, a map of half a million paths, takes some 20
MAX_LOSSES = 3  # processes that a file may cost; a page of it that comes after fails at once
MAX_IDLE = 2  # processes that wait for the next file
# one thread of linear algebra is enough there, and each takes address space
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from kb_pipeline.deepdoc.files.file_process import serve
serve(int(sys.argv[2]), int(sys.argv[3]))
"""


def _shared_buffer() -> int:
    """Descriptor of a file without a name: in memory where the system has that (Linux), else in a temporary folder."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("file")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class ProcessLost(Exception):
    """The process ended in the middle of a request; the message says how."""


class FileProcess:
    """One process with one file open at a time."""

    def __init__(self) -> None:
        self._channel, other = Pipe()
        self._buffer = _shared_buffer()
        ends = other.fileno(), self._buffer
        command = [sys.executable, "-c", START, json.dumps(sys.path), *map(str, ends)]
        # a session of its own: an interrupt at the terminal is for this process, which then ends the other
        self._process = subprocess.Popen(
            command, pass_fds=ends, env=os.environ | ONE_THREAD, stdin=subprocess.DEVNULL, start_new_session=True
        )
        other.close()

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def put(self, data: bytes) -> None:
        """Lay a file's bytes into the buffer."""
        at = 0
        while at < len(data):
            at += os.pwrite(self._buffer, memoryview(data)[at:], at)

    def ask(self, seconds: float, method: str, *arguments: object) -> Any:
        """The answer to a request.

        Raises:
            ProcessLost: the process crashed, took longer than `seconds`, or needed too much memory.
            Exception: whatever the request raised there.
        """
        try:
            self._channel.send((seconds, method, arguments))
            well, answer = self._channel.recv()
        except (EOFError, OSError) as error:
            code = self._process.wait()
            if code == -signal.SIGALRM:
                raise ProcessLost(f"took more than {seconds:.0f} s") from error
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            raise ProcessLost(f"crashed the library that reads it ({how})") from error
        if isinstance(answer, MemoryError):
            self.end()
            raise ProcessLost("needs more memory than is safe") from answer
        if not well:
            raise answer
        return self._array(answer) if isinstance(answer, Picture) else answer

    def _array(self, picture: Picture) -> np.ndarray:
        array = np.empty(picture.shape, picture.kind)
        data = array.data.cast("B")
        at = 0
        while at < len(data):
            at += os.preadv(self._buffer, [data[at:]], at)
        return array

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._channel.close()
        if self._buffer >= 0:
            os.close(self._buffer)
            self._buffer = -1


class _Idle:
    """Processes that wait for the next file."""

    def __init__(self) -> None:
        self._lock, self._owner = threading.Lock(), os.getpid()
        self._waiting: list[FileProcess] = []

    def take(self) -> FileProcess:
        with self._lock:
            if self._owner != os.getpid():  # a fork: those that wait are the other's
                self._owner, self._waiting = os.getpid(), []
            while self._waiting:
                process = self._waiting.pop()
                if process.lives:  # the system may have ended it while it waited
                    return process
            return FileProcess()

    def give(self, process: FileProcess) -> None:
        with self._lock:
            if len(self._waiting) < MAX_IDLE:
                self._waiting.append(process)
                return
        process.end()

    def end(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if self._owner == os.getpid():
            for process in waiting:
                process.end()


_IDLE = _Idle()
atexit.register(_IDLE.end)


class IsolatedFile:
    """A file with pages (paged_file.py) that another process reads; a context manager. Safe to use from several
    threads: requests take turns.

    Args:
        reader: `module:name` of what opens the file there, from its bytes, its name, and `more`.
        seconds: that a request may take.

    Raises:
        DocumentError: what the reader raises; DamagedFile where opening it crashes or hangs.
    """

    def __init__(self, reader: str, data: bytes, name: str, *more: str, seconds: float = MAX_SECONDS):
        self.name = name
        self._reader, self._data, self._more, self._seconds = reader, data, more, seconds
        self._lock = threading.RLock()
        self._process: FileProcess | None = None
        self._closed, self._losses, self._lost = False, 0, dict[int, str]()
        try:
            self.page_count: int = self._opened()
        except ProcessLost as lost:
            raise self._damaged(lost) from lost

    def __enter__(self) -> IsolatedFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def size(self, page: int) -> tuple[float, float]:
        return self._ask(page, "size", page)

    def rotation(self, page: int) -> int:
        return self._ask(page, "rotation", page)

    def characters(self, page: int) -> Characters:
        return self._ask(page, "characters", page)

    def render(self, page: int, scale: float) -> np.ndarray:
        return self._ask(page, "render", page, scale)

    def rulings(self, page: int) -> Rulings:
        return self._ask(page, "rulings", page)

    def drawing_count(self, page: int) -> int:
        return self._ask(page, "drawing_count", page)

    def picture_boxes(self, page: int) -> list[Box]:
        return self._ask(page, "picture_boxes", page)

    def picture_coverage(self, page: int) -> float:
        return self._ask(page, "picture_coverage", page)

    def bookmarks(self) -> tuple[Bookmark, ...]:
        return self._ask(0, "bookmarks")

    def attachments(self) -> tuple[str, ...]:
        return self._ask(0, "attachments")

    def close(self) -> None:
        """Close the file and leave its process to the next one; may be called twice."""
        with self._lock:
            process, self._process, self._closed = self._process, None, True
            if process is not None and self._quietly(lambda: process.ask(self._seconds, "close")):
                _IDLE.give(process)

    # ------------------------------------------------------------ the other process

    def _ask(self, page: int, method: str, *arguments: object) -> Any:
        with self._lock:
            if self._closed:
                raise FileClosed("the file was closed", document=self.name, page=page)
            if page in self._lost or self._losses >= MAX_LOSSES:
                raise self._failed(page, self._lost.get(page, f"comes after {MAX_LOSSES} that could not be read"))
            try:
                if self._process is None:
                    self._opened()
                assert self._process is not None
                return self._process.ask(self._seconds, method, *arguments)
            except ProcessLost as lost:
                self._drop()
                self._lost[page] = str(lost)
                raise self._failed(page, str(lost)) from lost

    def _opened(self) -> int:
        process = _IDLE.take()
        try:
            process.put(self._data)
            pages = process.ask(self._seconds, "open", self._reader, len(self._data), self.name, *self._more)
        except ProcessLost:
            self._quietly(process.end)
            raise
        except DocumentError:
            _IDLE.give(process)
            raise
        self._process = process
        return pages

    def _drop(self) -> None:
        self._losses += 1
        process, self._process = self._process, None
        if process is not None:
            process.end()

    @staticmethod
    def _quietly(call: Callable[[], object]) -> bool:
        """Whether it went well; what is to be ended may have ended already."""
        try:
            call()
        except (ProcessLost, OSError):
            return False
        return True

    def _failed(self, page: int, why: str) -> DocumentError:
        if not page:
            return DamagedFile(f"reading its outline {why}", document=self.name, remedy="save it again in a viewer")
        return PageFailed(
            f"reading it {why}" if why[:5] != "comes" else f"it {why}", document=self.name, page=page,
            remedy="open the file in a viewer and save it again",
        )  # fmt: skip

    def _damaged(self, lost: ProcessLost) -> DamagedFile:
        return DamagedFile(
            f"opening it {lost}", document=self.name, remedy="open the file in a viewer and save it again"
        )
