"""Settings that a knowledge base has of its own: given, taken back, and shown without their secrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kb_pipeline.errors import InvalidSetting
from kb_pipeline.records import Record
from kb_pipeline.settings import full_name, parse_assignments, shown, unusable
from kb_pipeline.storage.catalogue import Catalogue, KnowledgeBaseEntry


class ListedKnowledgeBase(Record, frozen=True):
    """A knowledge base in a listing; `unusable`: why this release cannot use a stored setting, by key."""

    name: str
    id: str
    documents: int
    settings: dict[str, Any]
    unusable: dict[str, str]


def listed(catalogue: Catalogue) -> list[ListedKnowledgeBase]:
    """All knowledge bases, by name."""
    return [
        ListedKnowledgeBase(e.name, e.id, len(catalogue.document_ids(e.id)), shown(e.settings), unusable(e.settings))
        for e in catalogue.knowledge_bases()
    ]


def give(catalogue: Catalogue, name: str, assignments: Sequence[str]) -> KnowledgeBaseEntry:
    """The knowledge base with `key=value` assigned.

    Raises:
        UnknownKnowledgeBase.
        InvalidSetting: an unknown key, a value that is not allowed, or a setting of the installation as a whole.
    """
    entry = catalogue.knowledge_base(name)
    own = {**entry.settings, **parse_assignments(tuple(assignments), of_knowledge_base=True)}
    return _saved(catalogue, entry, own) if assignments else entry


def take_back(catalogue: Catalogue, name: str, keys: Sequence[str]) -> KnowledgeBaseEntry:
    """The knowledge base without settings of its own under those keys, which may be unknown to this release.

    Raises:
        UnknownKnowledgeBase.
        InvalidSetting: it has none of its own under a key.
    """
    entry = catalogue.knowledge_base(name)
    gone = {key if key in entry.settings else full_name(key) for key in keys}
    absent = sorted(gone - set(entry.settings))
    if absent:
        own = ", ".join(entry.settings) or "none"
        raise InvalidSetting(f"{name} has no {', '.join(absent)} of its own", remedy=f"its own are: {own}")
    return _saved(catalogue, entry, {key: value for key, value in entry.settings.items() if key not in gone})


def _saved(catalogue: Catalogue, entry: KnowledgeBaseEntry, own: dict[str, Any]) -> KnowledgeBaseEntry:
    changed = msgspec.structs.replace(entry, settings=own)
    catalogue.save(changed)
    return changed


def without_secrets(entry: KnowledgeBaseEntry) -> KnowledgeBaseEntry:
    """A knowledge base as it may be shown."""
    return msgspec.structs.replace(entry, settings=shown(entry.settings))
