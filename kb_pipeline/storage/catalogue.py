"""The catalogue: knowledge bases, their documents, and which version of a document readers see.

kbs/<kb id>/kb.json                 the knowledge base: name, settings, sources; it exists when this object does
kbs/<kb id>/index.json              the index that readers see
kbs/<kb id>/documents/<id>.json     a document of it: readable path and its version in each index
documents/<id>/document.json        the same document by id alone: knowledge base, path, source
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from kb_pipeline.errors import InvalidName, KnowledgeBaseExists, UnknownDocument, UnknownKnowledgeBase, UsageError
from kb_pipeline.records import Record, decode, encode
from kb_pipeline.settings import holds_secrets
from kb_pipeline.storage.damaged import undamaged
from kb_pipeline.storage.names import collection_name, numbered_collection_name
from kb_pipeline.storage.objects import ObjectStore
from kb_pipeline.text.credentials import holds_credentials

SLUG_LENGTH = 40  # characters; keeps keys readable in the Dagster UI and far from its 255-byte limit
BOOSTS = (0.5, 2.0)  # minimum and maximum factor of a document's scores
NAME_LENGTH = 200  # characters of a knowledge base's name


class KnowledgeBaseEntry(Record, frozen=True):
    """A knowledge base: `id` is its collection's name, `settings` its own values by dotted key."""

    id: str
    name: str
    created: float
    settings: dict[str, Any] = {}
    sources: tuple[str, ...] = ()


class DocumentEntry(Record, frozen=True):
    """A document: `path` is readable and unique in its knowledge base, `source` where its bytes come from, `gone_since`
    when that was first found to be there no more; 0 while it is."""

    id: str
    kb: str
    path: str
    source: str
    added: float
    gone_since: float = 0.0


class KnowledgeBaseIndex(Record, frozen=True):
    """An index of a knowledge base: a collection, and what made its rows comparable.

    `key` hashes the schema and all that shapes a vector; rows of another key belong into another collection. `uri`:
    the Milvus that holds it, empty for Milvus Lite in KB_HOME. `embedding`: settings of its model, secrets left out;
    `weights`: hashes of the model's files, where it is a local one.
    """

    collection: str
    key: str
    uri: str
    embedding: dict[str, Any]
    weights: dict[str, str] = {}


class Pointer(Record, frozen=True):
    """What readers see of a document: the version of its rows, by collection; nothing where there is none. `boost`
    multiplies the scores of its chunks. `artefacts`: by version, the fingerprints of the artefacts that readers look
    at, by stage, since the document may be in the middle of another ingest, or one that failed."""

    path: str
    versions: dict[str, str] = {}
    boost: float = 1.0
    artefacts: dict[str, dict[str, str]] = {}


class Catalogue:
    """Knowledge bases and documents of one store."""

    def __init__(self, objects: ObjectStore):
        self.objects = objects

    # ------------------------------------------------------------ knowledge bases

    def create(self, name: str, settings: dict[str, Any]) -> KnowledgeBaseEntry:
        """A new knowledge base.

        Raises:
            InvalidName: empty, too long, or holding control characters.
            KnowledgeBaseExists: the name is taken.
        """
        _check_name(name)
        self._check_free(name)
        entry = KnowledgeBaseEntry(self._free_id(name), name, round(time.time(), 3), settings)
        self.save(entry)
        return entry

    def rename(self, name: str, new_name: str) -> KnowledgeBaseEntry:
        """Give a knowledge base another name. Its id, and with it collection and documents, stay.

        Raises:
            UnknownKnowledgeBase, InvalidName, KnowledgeBaseExists.
        """
        entry = self.knowledge_base(name)
        if new_name == name:
            return entry
        _check_name(new_name)
        self._check_free(new_name)
        renamed = msgspec.structs.replace(entry, name=new_name)
        self.save(renamed)
        return renamed

    def _check_free(self, name: str) -> None:
        if self._by_name(name):
            raise KnowledgeBaseExists(
                f"knowledge base {name!r} exists", remedy="take another name, or `kb delete` it first"
            )

    def _free_id(self, name: str) -> str:
        """The id that goes with a name, another one where a knowledge base that was renamed has it."""
        found, tries = collection_name(name), 1
        while self.objects.read(f"kbs/{found}/kb.json"):
            tries += 1
            found = numbered_collection_name(name, tries)
        return found

    def _by_name(self, name: str) -> KnowledgeBaseEntry | None:
        entry = self.knowledge_base_by_id(collection_name(name)) if name.strip() else None
        if entry and entry.name == name:
            return entry
        return next((one for one in self.knowledge_bases() if one.name == name), None)

    def save(self, entry: KnowledgeBaseEntry) -> None:
        self.objects.write(f"kbs/{entry.id}/kb.json", encode(entry), private=holds_secrets(entry.settings))

    def knowledge_base(self, name: str) -> KnowledgeBaseEntry:
        """The knowledge base of that name.

        Raises:
            UnknownKnowledgeBase: none has it; the message lists those that are there.
        """
        entry = self._by_name(name)
        if entry is None:
            names = ", ".join(k.name for k in self.knowledge_bases()) or "none yet"
            raise UnknownKnowledgeBase(
                f"no knowledge base {name!r}", remedy=f"there are: {names}; `kb create NAME` makes one"
            )
        return entry

    def knowledge_base_by_id(self, kb: str) -> KnowledgeBaseEntry | None:
        data = self.objects.read(f"kbs/{kb}/kb.json")
        return decode(data, KnowledgeBaseEntry) if data else None

    def knowledge_bases(self) -> list[KnowledgeBaseEntry]:
        """All knowledge bases, by name."""
        found = [self.knowledge_base_by_id(kb) for kb in self.objects.names("kbs")]
        return sorted((entry for entry in found if entry), key=lambda entry: entry.name)

    def remove_knowledge_base(self, kb: str) -> None:
        """Remove the entry and its pointers; documents are removed before, by their own ids."""
        self.objects.remove(f"kbs/{kb}/kb.json")
        self.objects.remove(f"kbs/{kb}")

    # ------------------------------------------------------------ documents

    def register(self, kb: str, path: str, source: str) -> DocumentEntry:
        """The document at `path` of a knowledge base: a new entry, or the known one with its source up to date."""
        known = self.document(document_id(kb, path))
        if known and known.source == source and not known.gone_since:
            return known
        entry = DocumentEntry(document_id(kb, path), kb, path, source, known.added if known else round(time.time(), 3))
        self._write_document(entry)
        if self.pointer(kb, entry.id) is None:
            self._change_pointer(entry, lambda known: known)
        return entry

    def mark_gone(self, entry: DocumentEntry, gone: bool) -> None:
        """Note whether a document's source is gone; a new registration takes that back."""
        if gone != bool(entry.gone_since):
            since = round(time.time(), 3) if gone else 0.0
            self._write_document(msgspec.structs.replace(entry, gone_since=since))

    def _write_document(self, entry: DocumentEntry) -> None:
        private = holds_credentials(entry.source)
        self.objects.write(f"documents/{entry.id}/document.json", encode(entry), private)

    def document(self, document: str) -> DocumentEntry | None:
        """The document of that id, or None."""
        data = self.objects.read(f"documents/{document}/document.json")
        return undamaged(data, DocumentEntry, document)

    def documents(self, kb: str) -> list[DocumentEntry]:
        """Documents of a knowledge base, by path."""
        return sorted(self.documents_by_id(self.document_ids(kb)).values(), key=lambda entry: entry.path)

    def documents_by_id(self, documents: Iterable[str]) -> dict[str, DocumentEntry]:
        """Those of these documents that are there, read at once."""
        ids = list(documents)
        found = self.objects.read_many([f"documents/{document}/document.json" for document in ids])
        known = {document: undamaged(data, DocumentEntry, document) for document, data in zip(ids, found, strict=True)}
        return {document: entry for document, entry in known.items() if entry}

    def document_ids(self, kb: str) -> list[str]:
        return [name.removesuffix(".json") for name in self.objects.names(f"kbs/{kb}/documents")]

    def find(self, kb: str, name: str) -> DocumentEntry:
        """The document with that id or path.

        Raises:
            UnknownDocument: there is none.
        """
        entry = self.document(name) if re.fullmatch(r"[a-z0-9-]+", name) else None
        entry = entry or self.document(document_id(kb, name))
        if entry is None or entry.kb != kb:
            raise UnknownDocument(f"no document {name!r}", remedy="`kb status` lists ids and paths")
        return entry

    # ------------------------------------------------------------ what readers see

    def served_index(self, kb: str) -> KnowledgeBaseIndex | None:
        """The index that readers see; None before the first document was written."""
        data = self.objects.read(f"kbs/{kb}/index.json")
        return decode(data, KnowledgeBaseIndex) if data else None

    def serve(self, kb: str, index: KnowledgeBaseIndex) -> None:
        """Let readers see that index from now on."""
        self.objects.write(f"kbs/{kb}/index.json", encode(index))

    def pointer(self, kb: str, document: str) -> Pointer | None:
        data = self.objects.read(f"kbs/{kb}/documents/{document}.json")
        return undamaged(data, Pointer, document)

    def point(
        self, entry: DocumentEntry, collection: str, version: str, artefacts: Mapping[str, str] | None = None
    ) -> None:
        """Let readers of a collection see `version` of a document from now on; nothing of it where that is empty.

        Args:
            artefacts: fingerprints, by stage, of what readers look at beside the rows.
        """

        def pointed(known: Pointer) -> Pointer:
            others = {name: kept for name, kept in known.versions.items() if name != collection}
            versions = others | ({collection: version} if version else {})
            kept = {**known.artefacts, **({version: dict(artefacts)} if version and artefacts else {})}
            looked_at = {name: kept[name] for name in sorted(set(versions.values())) if name in kept}
            return msgspec.structs.replace(known, versions=versions, artefacts=looked_at)

        self._change_pointer(entry, pointed)

    def boost(self, entry: DocumentEntry, factor: float) -> None:
        """Multiply the scores of a document's chunks by a factor from now on; it outlives new versions.

        Raises:
            UsageError: a factor outside of 0.5…2.
        """
        low, high = BOOSTS
        if not low <= factor <= high:
            raise UsageError(f"a boost of {factor}", remedy=f"{low} to {high}, 1 for none")
        self._change_pointer(entry, lambda known: msgspec.structs.replace(known, boost=factor))

    def _change_pointer(self, entry: DocumentEntry, change: Callable[[Pointer], Pointer]) -> None:
        """Change a document's pointer, keeping what others change of it at the same time."""

        def changed(data: bytes | None) -> bytes | None:
            made = encode(change(undamaged(data, Pointer, entry.path) or Pointer(entry.path)))
            return None if made == data else made

        self.objects.update(f"kbs/{entry.kb}/documents/{entry.id}.json", changed)

    def looked_at(self, entry: DocumentEntry, stage: str) -> set[str]:
        """Fingerprints of a stage's artefacts that readers of a document look at."""
        pointer = self.pointer(entry.kb, entry.id)
        return {found[stage] for found in (pointer.artefacts if pointer else {}).values() if stage in found}

    def hide(self, entry: DocumentEntry) -> None:
        """Take a document out of the knowledge base: readers see it no more."""
        self.objects.remove(f"kbs/{entry.kb}/documents/{entry.id}.json")

    def pointers(self, kb: str, documents: Iterable[str]) -> dict[str, Pointer]:
        """Pointers of those documents that the knowledge base lists, read at once."""
        ids = list(documents)
        found = self.objects.read_many([f"kbs/{kb}/documents/{document}.json" for document in ids])
        known = {document: undamaged(data, Pointer, document) for document, data in zip(ids, found, strict=True)}
        return {document: pointer for document, pointer in known.items() if pointer}


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > NAME_LENGTH or not name.isprintable():
        raise InvalidName(
            f"{name!r} is no name for a knowledge base", remedy=f"1 to {NAME_LENGTH} printable characters"
        )


def document_id(kb: str, path: str) -> str:
    """Partition key: a readable ASCII slug and 12 hex digits of the hash of knowledge base and path.

    The same for every version of a document; safe as a path, an S3 key, a URL and a Dagster partition key.
    """
    digest = hashlib.sha256(f"{kb}\0{path}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
    slug = re.sub(r"[^a-z0-9]+", "-", path.rsplit("/", 1)[-1].lower())[:SLUG_LENGTH].strip("-")
    return f"{slug}-{digest}" if slug else digest
