"""Readers whose native calls crash or hang on some pages, to be run in a process of their own."""

from __future__ import annotations

import ctypes
import os

import numpy as np

from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.errors import PageFailed

libc = ctypes.PyDLL(None)  # calls keep Python's own lock, as the fast ones of pdfium.py do


class Faulty:
    """Four pages by the words in the file: `2 crashes 3 hangs`; the page 0 is opening."""

    page_count = 4

    def __init__(self, data: bytes, name: str, password: str = ""):
        words = data.decode().split()
        self.faults = {int(page): fault for page, fault in zip(words[::2], words[1::2], strict=True)}
        self.name = name
        self._fault(0)

    def _fault(self, page: int) -> None:
        fault = self.faults.get(page)
        if fault == "crashes":
            ctypes.string_at(0)
        elif fault == "hangs":
            libc.sleep(600)
        elif fault == "loops":
            while True:
                pass
        elif fault == "ends":
            os._exit(7)
        elif fault == "swallows":
            np.ones(6 << 30, np.uint8)
        elif fault == "fails":
            raise PageFailed("it cannot be read", document=self.name, page=page, remedy="save it again")

    def size(self, page: int) -> tuple[float, float]:
        self._fault(page)
        return (100.0 + page, 200.0)

    def rotation(self, page: int) -> int:
        return 0

    def characters(self, page: int) -> Characters:
        return Characters.empty()

    def render(self, page: int, scale: float) -> np.ndarray:
        self._fault(page)
        return np.full((20, 10, 3), page, np.uint8)

    def bookmarks(self) -> tuple[()]:
        return ()

    def close(self) -> None:
        """Nothing is held open."""
