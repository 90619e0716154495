"""One document's file, opened for its pages: pictures are rendered where they are needed and never stored in full."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kb_pipeline.engine.stage import Work
from kb_pipeline.formats.registry import FORMATS
from kb_pipeline.settings import Settings, reveal
from kb_pipeline.stages.raw_file import raw_file

if TYPE_CHECKING:
    import numpy as np

    from kb_pipeline.deepdoc.files.paged_file import PagedFile


class PageSource:
    """An opened file whose last rendered picture a worker keeps, since its next stage wants the same page."""

    def __init__(self, data: bytes, kind: str, name: str, settings: Settings):
        self.name = name
        self.file = open_paged(data, kind, name, settings)
        self._kept = threading.local()

    @property
    def page_count(self) -> int:
        return self.file.page_count

    def keep(self, page: int, scale: float, picture: np.ndarray) -> None:
        """Remember a picture for this worker's next stage."""
        self._kept.value = (page, scale, picture)

    def picture(self, page: int, scale: float) -> np.ndarray:
        """The page at `scale` pixels per point, BGR: the one this worker just made, or rendered again."""
        kept = getattr(self._kept, "value", None)
        if kept and kept[:2] == (page, scale):
            return kept[2]
        picture = self.file.render(page, scale)
        self.keep(page, scale, picture)
        return picture

    def close(self) -> None:
        self._kept = threading.local()
        self.file.close()


def without_pages(work: Work) -> str:
    """The type of a file that has no pages to be read by page stages; empty where it has."""
    kind = raw_file(work).kind
    return "" if FORMATS[kind].pages else kind


def open_pages(work: Work) -> PageSource:
    """The document's file, opened for its pages.

    Raises:
        DocumentError: the file is empty, damaged or encrypted.
    """
    content = work.read("raw_file", "content")
    return PageSource(content, raw_file(work).kind, work.document.path, work.settings)


def open_paged(data: bytes, kind: str, name: str, settings: Settings) -> PagedFile:
    """The file, read by the reader for that type in a process of its own.

    Raises:
        DocumentError: the file is empty, damaged or encrypted.
    """
    from kb_pipeline.deepdoc.files.isolation import IsolatedFile

    return IsolatedFile(FORMATS[kind].reader, data, name, reveal(settings.render.password))
