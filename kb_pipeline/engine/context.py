"""What a process needs to run stages, and what it tells of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from kb_pipeline.cores import usable_cores
from kb_pipeline.engine.memory import bound_allocator
from kb_pipeline.engine.stage import Stage
from kb_pipeline.errors import InvalidSetting
from kb_pipeline.settings import UNKNOWN, Settings, unusable
from kb_pipeline.storage.artefacts import Artefact, Artefacts
from kb_pipeline.storage.catalogue import Catalogue, DocumentEntry, KnowledgeBaseEntry


@dataclass(frozen=True)
class Progress:
    """How far a document is: `done` of `total` pages of a page stage, or 1 of 1 when a stage ended."""

    document: str
    path: str
    stage: str
    done: int
    total: int


@dataclass(frozen=True)
class Outcome:
    """What became of a stage of a document: an artefact, or the reason why there is none.

    `reused`: the artefact was there under its fingerprint, nothing was computed. `changed` is false where the same
    artefact was in force before, so that nobody need be told. `error` is what `reason` tells in one line.
    """

    stage: str
    document: DocumentEntry
    artefact: Artefact | None = None
    reused: bool = False
    changed: bool = True
    reason: str = ""
    error: Exception | None = None

    @property
    def made(self) -> Artefact:
        """The artefact; ValueError where the stage failed."""
        if self.artefact is None:
            raise ValueError(f"{self.stage} made nothing: {self.reason}")
        return self.artefact


@dataclass
class Context:
    """What a process needs to run stages: store, settings, the stages in order, workers, and who listens."""

    settings: Settings
    artefacts: Artefacts
    catalogue: Catalogue
    pipeline: tuple[Stage, ...]
    listen: Callable[[Progress], None] = lambda progress: None
    stopped: threading.Event = field(default_factory=threading.Event)
    _kb_settings: dict[str, Settings] = field(default_factory=dict)
    _wrong_settings: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        bound_allocator()
        # page workers are threads, since the models, OpenCV and pdfium all leave Python's lock
        self.page_pool = ThreadPoolExecutor(self.workers, "page", initializer=_one_thread_each)

    @property
    def workers(self) -> int:
        """Documents, and pages, that this process has in hand at a time."""
        return self.settings.pipeline.workers or usable_cores()

    def settings_of(self, kb: str) -> Settings:
        """Settings of a knowledge base by id; stored ones that this release cannot use are left aside."""
        if kb not in self._kb_settings:
            entry = self.catalogue.knowledge_base_by_id(kb)
            self._take(kb, entry.settings if entry else {}, {})
        return self._kb_settings[kb]

    def _take(self, kb: str, stored: Mapping[str, Any], overrides: Mapping[str, Any]) -> None:
        self._kb_settings[kb] = self.settings.with_stored(stored, overrides)
        wrong = {k: why for k, why in unusable(stored).items() if why != UNKNOWN and k not in overrides}
        self._wrong_settings[kb] = "; ".join(wrong.values())

    def check_settings(self, kb: str) -> None:
        """Raise where a value that a knowledge base has stored is not allowed any more. It can be read and deleted,
        but what was made of it under that value is not made again under another one unasked.

        Raises:
            InvalidSetting
        """
        self.settings_of(kb)
        if wrong := self._wrong_settings.get(kb):
            raise InvalidSetting(wrong, remedy="`kb set` another value, or `kb unset` it")

    def override_settings(self, kb: KnowledgeBaseEntry, overrides: Mapping[str, Any]) -> None:
        """Take these settings for a knowledge base's own from now on, without storing them."""
        self._take(kb.id, kb.settings, overrides)

    def settings_for(self, document: DocumentEntry) -> Settings:
        """Settings of a document: those of its knowledge base, with the chunk mode that holds for its path.

        Raises:
            InvalidSetting: as `check_settings`.
        """
        self.check_settings(document.kb)
        settings = self.settings_of(document.kb)
        return settings.model_copy(update={"chunking": settings.chunking.for_document(document.path)})

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the page workers; what they are at is not kept, what they finished is."""
        self.stopped.set()
        self.page_pool.shutdown(cancel_futures=True)


def _one_thread_each() -> None:
    import cv2

    cv2.setNumThreads(1)
