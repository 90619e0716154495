"""What would run, and why: the stages of a document that are stale, told without running anything."""

from __future__ import annotations

from kb_pipeline.engine.context import Context
from kb_pipeline.engine.keys import fingerprint, stage_basis, stage_inputs
from kb_pipeline.engine.stage import Stage, Work
from kb_pipeline.errors import InvalidSetting, KbError
from kb_pipeline.records import Record
from kb_pipeline.storage.artefacts import Artefact, StageState
from kb_pipeline.storage.catalogue import DocumentEntry


class StaleStage(Record, frozen=True):
    """A stage that would run, why, and how many seconds it took the last time (0 where it never ran)."""

    stage: str
    reason: str
    seconds: float


def stale_stages(document: DocumentEntry, context: Context) -> list[StaleStage]:
    """Stages of a document that would run now, in order. A stage after a stale one is listed too: whether it really
    runs shows when what it reads comes out (the same output stops the wave)."""
    try:
        settings = context.settings_for(document)
    except InvalidSetting as error:
        return [StaleStage(context.pipeline[0].name, error.reason, 0.0)]
    states = context.artefacts.state(document.id).stages
    inputs: dict[str, Artefact] = {}
    stale: list[StaleStage] = []
    for stage in context.pipeline:
        state = states.get(stage.name, StageState("failed", reason="never run"))
        waiting = [name for name in stage.upstream if any(s.stage == name for s in stale)]
        if waiting:
            stale.append(StaleStage(stage.name, f"after {waiting[0]}", state.seconds))
            continue
        try:
            reason = _reason(stage, document, state, inputs, context, settings)
        except KbError as error:
            reason = error.reason
        if reason:
            stale.append(StaleStage(stage.name, reason, state.seconds))
    return stale


def _reason(stage: Stage, document: DocumentEntry, state: StageState, inputs, context: Context, settings) -> str:
    """Why a stage is stale; empty where it is not, and then its artefact is added to `inputs`."""
    basis, read = stage_basis(stage, settings), stage_inputs(stage, document, inputs)
    if state.state != "done":
        return state.reason or "interrupted"
    artefact = context.artefacts.artefact(document.id, stage.name, state.fingerprint)
    if artefact is None:
        return "its artefact is gone from the store"
    if state.fingerprint == fingerprint(stage, basis, read):
        work = Work(document, settings, context.artefacts, context.catalogue, inputs, map, state.fingerprint)
        if not stage.still_valid(work, artefact):
            return "its rows are no longer in the index"
        inputs[stage.name] = artefact
        return ""
    if artefact.inputs != read:
        changed = sorted(name for name in {*artefact.inputs, *read} if artefact.inputs.get(name) != read.get(name))
        return "source changed" if not stage.upstream else f"{', '.join(changed)} came out differently"
    for what, name in (("code", "code version"), ("weights", "weight file"), ("settings", "setting")):
        if artefact.basis[what] != basis[what]:
            old, new = artefact.basis[what], basis[what]
            if what == "code":
                return f"{name} {old} -> {new}"
            keys = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
            if what == "weights":
                return f"{name} changed: {', '.join(keys)}"
            return "; ".join(f"{key}: {old.get(key)} -> {new.get(key)}" for key in keys)
    return "fingerprint changed"
