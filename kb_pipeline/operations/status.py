"""The state of documents: what `kb status` and `kb plan` tell."""

from __future__ import annotations

import time
from typing import Literal

from kb_pipeline.engine.context import Context
from kb_pipeline.engine.plan import StaleStage, stale_stages
from kb_pipeline.records import Record
from kb_pipeline.stages import chunks, sections
from kb_pipeline.storage.artefacts import StageState
from kb_pipeline.storage.catalogue import DocumentEntry
from kb_pipeline.storage.leases import is_leased


class StageStatus(Record, frozen=True):
    """A stage of a document: `seconds` of its computation, whether the last run reused its artefact (`hit`, the key
    that is promised), when it ended."""

    state: str
    seconds: float
    hit: bool
    at: float


State = Literal["indexed", "failed", "running", "queued", "stale"]


class DocumentStatus(Record, frozen=True):
    """A document as `kb status --json` prints it."""

    document: str
    id: str
    state: State
    reason: str
    pages: int
    chunks: int
    queued_s: float
    stages: dict[str, StageStatus]


def document_status(document: DocumentEntry, context: Context) -> DocumentStatus:
    """State, reason, counts and stages of one document."""
    kept = context.artefacts.state(document.id)
    states = kept.stages
    first = min((state.at for state in states.values() if state.at), default=time.time())
    state, reason = _state(document, states, kept.process, context)
    return DocumentStatus(
        document=document.path,
        id=document.id,
        state=state,
        reason=reason,
        pages=int(_fact(states, sections.STAGE.name, "pages")),
        chunks=int(_fact(states, chunks.STAGE.name, "chunks")),
        queued_s=round(max(0.0, first - document.added), 1),
        stages={name: StageStatus(s.state, s.seconds, s.hit, s.at) for name, s in states.items()},
    )


def _state(document: DocumentEntry, states: dict[str, StageState], process: str, context: Context) -> tuple[State, str]:
    if process and is_leased(context.artefacts.objects, document.id):
        return "running", next((name for name, state in states.items() if state.state == "running"), "")
    for state in states.values():
        if state.state == "failed":
            return "failed", state.reason
    if not states:
        return "queued", "not ingested yet"
    if process:
        at = next((name for name, state in states.items() if state.state == "running"), "a stage")
        return "failed", f"interrupted in {at} (run `kb ingest` again: it goes on from there)"
    stale = stale_stages(document, context)
    if stale:
        return "stale", f"{stale[0].stage}: {stale[0].reason}"
    if empty := without_chunks(document, states, context):
        return "indexed", empty
    facts = states[sections.STAGE.name].metadata
    failed = facts.get("failed pages")
    if failed:
        pages = ", ".join(map(str, failed))
        return "indexed", f"without page {pages}: {facts.get('failure', '')}"
    missing = facts.get("pictures missing")
    if missing:
        return "indexed", f"without {len(missing)} of its pictures: {missing[0]}"
    return "indexed", ""


def without_chunks(document: DocumentEntry, states: dict[str, StageState], context: Context) -> str:
    """Why nothing can be found of a document that went through; empty where something can."""
    if chunks.STAGE.name not in states or _fact(states, chunks.STAGE.name, "chunks"):
        return ""
    parsed = sections.read_document(document.id, context.artefacts)
    dropped = parsed.characters.dropped if parsed else {}
    if parsed and parsed.characters.in_ and dropped:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(dropped.items()))
        return f"no chunks: nothing is left of its {parsed.characters.in_} characters (dropped: {reasons})"
    pages = len(parsed.pages) if parsed else 0
    return "no chunks: no text was found" + (f" on its {pages} pages" if pages else " in it")


def _fact(states: dict[str, StageState], stage: str, name: str) -> float:
    state = states.get(stage)
    return state.metadata.get(name, 0) if state else 0


class DocumentPlan(Record, frozen=True):
    """Stages of a document that would run, why, and the seconds that they took the last time."""

    document: str
    id: str
    stages: tuple[StaleStage, ...]
    seconds: float


def plan(documents: list[DocumentEntry], context: Context) -> list[DocumentPlan]:
    """Plans of those documents that are not up to date."""
    plans = []
    for document in documents:
        stale = stale_stages(document, context)
        if stale:
            seconds = round(sum(stage.seconds for stage in stale), 2)
            plans.append(DocumentPlan(document.path, document.id, tuple(stale), seconds))
    return plans
