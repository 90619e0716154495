"""Artefacts: what a stage made of a document, stored under its fingerprint, and the document's state.

documents/<id>/state.json                      one object that tells the document's state at every stage
documents/<id>/<stage>/<fingerprint>.json      the artefact's record, written last: it commits the artefact
documents/<id>/<stage>/parts/<hash>.<suffix>   its parts, by content hash, shared between fingerprints
documents/<id>/<stage>/pages/<fingerprint>.json  which parts a page came out as: a killed run resumes at the page
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from kb_pipeline.errors import PartLost
from kb_pipeline.records import Record, encode
from kb_pipeline.storage.damaged import undamaged
from kb_pipeline.storage.fingerprints import content_hash, parts_hash
from kb_pipeline.storage.objects import ObjectStore


class Artefact(Record, frozen=True):
    """Record of an artefact.

    `parts`: part name -> object name. `content_hash`: over names and contents of the parts. `basis`: code version,
    settings and weight files that the fingerprint covers; `inputs`: content hashes of what was read. `seconds`: time
    of the computation. `metadata`: plain facts for the listing (pages, counts, …).
    """

    stage: str
    fingerprint: str
    content_hash: str
    parts: dict[str, str]
    basis: dict[str, Any]
    inputs: dict[str, str]
    seconds: float
    at: float
    metadata: dict[str, Any]


class StageState(Record, frozen=True):
    """A stage of a document as it was left: `done` (its artefact is current), `failed`, or `running`. `hit`: whether
    the last run reused the artefact; it keeps its name of old, under which it lies in stores."""

    state: Literal["done", "failed", "running"]
    fingerprint: str = ""
    content_hash: str = ""
    seconds: float = 0.0
    hit: bool = False
    at: float = 0.0
    reason: str = ""
    metadata: dict[str, Any] = {}


class PageNote(Record, frozen=True):
    """How one page came out of a page stage: its parts (name -> object name), facts that are summed up for the
    document, and the seconds it took."""

    parts: dict[str, str]
    facts: dict[str, float]
    seconds: float


class DocumentState(Record, frozen=True):
    """`stages` by name; `process` is `host:pid` of who works on it, empty when nobody does."""

    stages: dict[str, StageState] = {}
    process: str = ""


class Artefacts:
    """Artefacts and states of the documents in one store."""

    def __init__(self, objects: ObjectStore, keep_versions: int = 5):
        self.objects, self.keep_versions = objects, keep_versions

    # ------------------------------------------------------------ state

    def state(self, document: str) -> DocumentState:
        """The document's state; empty where nothing was run yet."""
        data = self.objects.read(f"documents/{document}/state.json")
        return undamaged(data, DocumentState, document) or DocumentState()

    def save_state(self, document: str, state: DocumentState) -> None:
        self.objects.write(f"documents/{document}/state.json", encode(state))

    # ------------------------------------------------------------ artefacts

    def artefact(self, document: str, stage: str, fingerprint: str) -> Artefact | None:
        """The committed artefact of that fingerprint, or None."""
        data = self.objects.read(f"documents/{document}/{stage}/{fingerprint}.json")
        return undamaged(data, Artefact, document)

    def current(self, document: str, stage: str) -> Artefact | None:
        """The artefact of a stage that is in force; None where the stage is not done."""
        state = self.state(document).stages.get(stage)
        return self.artefact(document, stage, state.fingerprint) if state and state.state == "done" else None

    def save_part(self, document: str, stage: str, name: str, data: bytes) -> str:
        """Store a part by its content; returns its object name."""
        suffix = name.rsplit(".", 1)[-1] if "." in name else "bin"
        target = f"documents/{document}/{stage}/parts/{content_hash(data)}.{suffix}"
        self.objects.write(target, data)
        return target

    def part(self, artefact: Artefact, name: str) -> bytes:
        """Bytes of a part.

        Raises:
            KeyError: the artefact has no such part.
            PartLost: the store lost it.
        """
        return self.stored(artefact.parts[name])

    def stored(self, target: str) -> bytes:
        """Bytes of a part by its object name. Raises PartLost."""
        data = self.objects.read(target)
        if data is None:
            raise PartLost(f"{target} is gone from the store", part=target, remedy="ingest the document again")
        return data

    def forget_part(self, target: str) -> None:
        """Remove the records and page notes that name a part which is gone, so that it is made again."""
        folder = target.rsplit("/parts/", 1)[0]
        _, document, stage = folder.split("/")
        for name in self.objects.names(f"{folder}/pages"):
            note = self.page(document, stage, name.removesuffix(".json"))
            if note is None or target in note.parts.values():
                self.objects.remove(f"{folder}/pages/{name}")
        for name in self.objects.names(folder):
            if name.endswith(".json"):
                artefact = self.artefact(document, stage, name.removesuffix(".json"))
                if artefact is None or target in artefact.parts.values():
                    self.objects.remove(f"{folder}/{name}")

    def commit(
        self,
        document: str,
        stage: str,
        fingerprint: str,
        parts: Mapping[str, str],
        *,
        basis: Mapping[str, Any],
        inputs: Mapping[str, str],
        seconds: float,
        metadata: Mapping[str, Any],
        display: str,
        pinned: Callable[[], Collection[str]] = tuple,
    ) -> Artefact:
        """Write the record that makes stored parts an artefact, and prune the oldest beyond `keep_versions`.

        Parts whose names end in `display` do not count for the content hash. `pinned`: fingerprints that stay whatever
        their age, since readers look at them.
        """
        ordered = dict(sorted(parts.items()))
        read = {name: part_hash(target) for name, target in ordered.items() if not name.endswith(display)}
        artefact = Artefact(
            stage=stage,
            fingerprint=fingerprint,
            content_hash=parts_hash(read),
            parts=ordered,
            basis=dict(basis),
            inputs=dict(sorted(inputs.items())),
            seconds=round(seconds, 4),
            at=round(time.time(), 3),
            metadata=dict(metadata),
        )
        self.objects.write(f"documents/{document}/{stage}/{fingerprint}.json", encode(artefact))
        self._prune(document, stage, pinned)
        return artefact

    def _prune(self, document: str, stage: str, pinned: Callable[[], Collection[str]]) -> None:
        folder = f"documents/{document}/{stage}"
        records = [name for name in self.objects.names(folder) if name.endswith(".json")]
        if len(records) <= self.keep_versions:
            return
        kept = [self.artefact(document, stage, name.removesuffix(".json")) for name in records]
        kept = sorted((a for a in kept if a), key=lambda a: a.at, reverse=True)
        stay = {artefact.fingerprint for artefact in kept[: self.keep_versions]} | set(pinned())
        used = {part for artefact in kept if artefact.fingerprint in stay for part in artefact.parts.values()}
        old = [artefact for artefact in kept if artefact.fingerprint not in stay]
        gone = {part for artefact in old for part in artefact.parts.values()} - used
        for name in self.objects.names(f"{folder}/pages"):  # notes first: a note never names a part that is not there
            note = self.page(document, stage, name.removesuffix(".json"))
            if note is None or gone.intersection(note.parts.values()):
                self.objects.remove(f"{folder}/pages/{name}")
        for artefact in old:
            self.objects.remove(f"{folder}/{artefact.fingerprint}.json")
        for part in sorted(gone):
            self.objects.remove(part)

    # ------------------------------------------------------------ pages

    def page(self, document: str, stage: str, fingerprint: str) -> PageNote | None:
        """The note of a page that came out under that fingerprint, or None."""
        data = self.objects.read(f"documents/{document}/{stage}/pages/{fingerprint}.json")
        return undamaged(data, PageNote, document)

    def save_page(
        self,
        document: str,
        stage: str,
        fingerprint: str,
        parts: Mapping[str, bytes],
        facts: Mapping[str, float],
        seconds: float,
    ) -> PageNote:
        """Store a page's parts and then the note that names them."""
        stored = {name: self.save_part(document, stage, name, data) for name, data in sorted(parts.items())}
        note = PageNote(stored, dict(facts), round(seconds, 4))
        self.objects.write(f"documents/{document}/{stage}/pages/{fingerprint}.json", encode(note))
        return note

    # ------------------------------------------------------------ the whole document

    def remove(self, document: str) -> None:
        """Remove everything kept of a document."""
        self.objects.remove(f"documents/{document}")


def part_hash(part: str) -> str:
    """Content hash of a stored part, which its object name carries."""
    return part.rsplit("/", 1)[-1].split(".", 1)[0]
