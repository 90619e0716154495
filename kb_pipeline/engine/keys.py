"""Fingerprints of stages: what a stage is, what it reads, and the key under which its artefact is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kb_pipeline.engine.stage import Stage
from kb_pipeline.errors import UpstreamMissing
from kb_pipeline.settings import Settings
from kb_pipeline.storage import sources
from kb_pipeline.storage.artefacts import Artefact
from kb_pipeline.storage.catalogue import DocumentEntry
from kb_pipeline.storage.fingerprints import value_hash
from kb_pipeline.text.credentials import hide_credentials
from kb_pipeline.weights.manifest import model_hash


def stage_basis(stage: Stage, settings: Settings) -> dict[str, Any]:
    """What a stage is under given settings: code version, its slice of the settings, hashes of its weight files.

    Raises:
        ModelMissing: a weight file is not there.
    """
    weights = {f"{role} {variant}".strip(): model_hash(role, variant) for role, variant in stage.models(settings)}
    return {"code": stage.code_version, "settings": settings.slice(stage.settings), "weights": weights}


def stage_inputs(stage: Stage, document: DocumentEntry, inputs: Mapping[str, Artefact]) -> dict[str, str]:
    """What a stage reads of a document: content hashes of upstream artefacts, or the facts of its source.

    Raises:
        SourceMissing: raw_file's source is gone.
        UpstreamMissing: a stage before it has no artefact.
    """
    if not stage.upstream:
        return {"source": hide_credentials(document.source), "path": document.path, **sources.stat(document.source)}
    for name in stage.upstream:
        if name not in inputs:
            raise UpstreamMissing(f"{stage.name} needs {name}", remedy=f"run {name} first")
    return {name: inputs[name].content_hash for name in stage.upstream}


def fingerprint(stage: Stage, basis: Mapping[str, Any], inputs: Mapping[str, str]) -> str:
    """Fingerprint of a stage for a document, under which its artefact is stored."""
    return value_hash(stage.name, basis, inputs)
