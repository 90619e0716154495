"""Find what is broken or left over, say the command that mends it, and mend it when asked to."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb_pipeline.engine.context import Context
from kb_pipeline.errors import KbError
from kb_pipeline.operations.gone import gone_documents
from kb_pipeline.records import Record
from kb_pipeline.settings import PRIVATE_FILE, holds_secrets, toml_settings, unusable
from kb_pipeline.stages.index_rows import written_rows
from kb_pipeline.stages.indexes import knowledge_base_indexes, missing_documents, target_index
from kb_pipeline.storage.artefacts import DocumentState
from kb_pipeline.storage.catalogue import KnowledgeBaseEntry, KnowledgeBaseIndex
from kb_pipeline.storage.leases import is_leased
from kb_pipeline.storage.objects import FolderStore
from kb_pipeline.text.credentials import hide_credentials
from kb_pipeline.weights.fetch import missing, status
from kb_pipeline.weights.manifest import DEEPDOC, Model, deepdoc_files, in_use

if TYPE_CHECKING:
    from pymilvus import MilvusClient


class Finding(Record, frozen=True):
    """A check that failed: what is wrong, the command that mends it, whether it was mended now."""

    check: str
    problem: str
    fix: str
    fixed: bool = False


Mend = Callable[[], object]


def examine(context: Context, fix: bool = False) -> list[Finding]:
    """Run every check; with `fix`, mend what can be mended without the user's choice."""
    findings = []
    for check in CHECKS:
        try:
            found = list(check(context))
        except KbError as error:
            findings.append(Finding(_title(check), error.message, error.remedy))
            continue
        for problem, command, mend in found:
            if fix and mend:
                mend()
            findings.append(Finding(_title(check), problem, command, bool(fix and mend)))
    return findings


def _title(check: Callable[..., object]) -> str:
    return check.__name__.strip("_").replace("_", " ")


Problems = Iterator[tuple[str, str, Mend | None]]


def _models(context: Context) -> Problems:
    bases = context.catalogue.knowledge_bases()
    parsers = {base.name: context.settings_of(base.id).parser for base in bases}
    parsers = parsers or {"the installation": context.settings.parser}
    local = any(parser.engine == "local" for parser in parsers.values())
    for model in missing():
        if local or model.role == "embedding":
            yield f"{model.name} ({model.role}) is missing", "kb models fetch", None
    for name, parser in parsers.items():
        if parser.engine == "remote" and not parser.base_url:
            yield f"{name}: parser.engine is remote and parser.base_url is empty", "set parser.base_url", None
    for model in deepdoc_files():
        yield from ((*problem, None) for problem in _dropped_in(model))


def _dropped_in(model: Model) -> Iterator[tuple[str, str]]:
    """What keeps a file of DeepDOC from being used as it was dropped in."""
    from kb_pipeline.deepdoc.vision.deepdoc_weights.check import check_deepdoc_file

    there, used = status(model) != "missing", in_use(model.role) == DEEPDOC
    if there and not used:
        yield f"{model.name} does nothing without its net", "put the net there, or take the file away"
    elif there:
        try:
            check_deepdoc_file(model.role)
        except KbError as error:
            yield error.message, error.remedy


def _settings(context: Context) -> Problems:
    """Stored settings that this release cannot use."""
    for kb in context.catalogue.knowledge_bases():
        for key, why in unusable(kb.settings).items():
            yield f"{kb.name}: its setting {key} is not used: {why}", f"kb unset {kb.name} {key}", None


def _secrets(context: Context) -> Problems:
    """Files with secrets that other users of the machine can read."""
    toml = context.settings.home / "kb.toml"
    if holds_secrets(toml_settings(context.settings.home)) and _is_open(toml):
        yield f"{toml} holds a secret and others may read it", f"chmod 600 {toml}, or write env:NAME in its place", None
    objects = context.catalogue.objects
    if not isinstance(objects, FolderStore):
        return
    for kb in context.catalogue.knowledge_bases():
        file = objects.root / "kbs" / kb.id / "kb.json"
        if holds_secrets(kb.settings) and _is_open(file):
            yield (
                f"{kb.name}: its settings hold a secret and others may read them in {file}",
                "kb doctor --fix",
                lambda f=file: f.chmod(PRIVATE_FILE),
            )


def _is_open(file: Path) -> bool:
    return bool(file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


def _index(context: Context) -> Problems:
    """Rows of every knowledge base against what was written; rows nobody points at; collections without a base."""
    from kb_pipeline.index.collections import document_counts, list_collections
    from kb_pipeline.index.connect import connect
    from kb_pipeline.index.rows import delete_versions

    bases = context.catalogue.knowledge_bases()
    indexes = [
        (kb, index)
        for kb in bases
        for index in knowledge_base_indexes(kb.id, context.settings_of(kb.id), context.catalogue)
    ]
    for uri in sorted({"", context.settings.index.uri, *(index.uri for _, index in indexes)}):
        here = [(kb, index) for kb, index in indexes if index.uri == uri]
        if not here and not uri and not (context.settings.home / "index").is_dir():
            continue  # no Milvus Lite was ever started
        settings = context.settings_of(here[0][0].id).index if here else context.settings.index
        client = connect(settings, context.settings.home / "index", uri)
        collections = set(list_collections(client))
        yield from _unknown_collections(client, collections - {index.collection for _, index in here}, uri)
        for kb, index in here:
            expected = _expected_rows(kb, index, context)
            if index.collection not in collections:
                if any(expected.values()):
                    yield f"{kb.name}: its collection is gone", *_reindex(kb, index, list(expected), context)
                continue
            found = document_counts(client, index.collection)
            for document, rows in sorted(found.items()):
                if document not in expected:
                    yield (
                        f"{kb.name}: {rows} rows of {document}, which is not in the knowledge base",
                        "kb doctor --fix",
                        lambda c=client, i=index, d=document: delete_versions(c, i.collection, d, keep=None),
                    )
            wrong = [document for document, rows in expected.items() if rows and found.get(document, 0) < rows]
            if wrong:
                yield f"{kb.name}: rows are missing of {', '.join(wrong[:5])}", *_reindex(kb, index, wrong, context)


def _unknown_collections(client: MilvusClient, names: set[str], uri: str) -> Problems:
    """Collections that look like ours and belong to no knowledge base here. Those of a server may belong to another
    installation and are left for the user to drop."""
    from kb_pipeline.index.collections import drop_collection

    for name in sorted(names):
        problem = f"collection {name} belongs to no knowledge base"
        if uri:
            yield f"{problem} of this installation", "drop it in Milvus, if it is of no other installation", None
        else:
            yield problem, "kb doctor --fix", lambda n=name: drop_collection(client, n)


def _expected_rows(kb: KnowledgeBaseEntry, index: KnowledgeBaseIndex, context: Context) -> dict[str, int]:
    """Rows that an index should have, by document; 0 where its newest rows are in another one."""
    expected = {}
    pointers = context.catalogue.pointers(kb.id, context.catalogue.document_ids(kb.id))
    for document, pointer in pointers.items():
        version = pointer.versions.get(index.collection, "")
        rows = written_rows(document, context.artefacts)
        newest = rows is not None and (rows.collection, rows.version) == (index.collection, version)
        expected[document] = rows.count if rows and newest else 0
    return expected


def _incomplete_indexes(context: Context) -> Problems:
    """Indexes that readers do not see yet, since documents are missing in them."""
    for kb in context.catalogue.knowledge_bases():
        target = target_index(kb.id, context.settings_of(kb.id), context.catalogue)
        missing = list(missing_documents(kb.id, target, context.catalogue))
        paths = sorted(entry.path for entry in map(context.catalogue.document, missing) if entry)
        if paths:
            yield (
                f"{kb.name}: readers see the index of before; {len(paths)} documents are not in the new one: "
                + ", ".join(paths[:5]),
                f"kb ingest --kb {kb.name}, and kb rm what cannot be ingested any more",
                None,
            )


def _gone_sources(context: Context) -> Problems:
    for kb in context.catalogue.knowledge_bases():
        for document in gone_documents(kb, (), context):
            yield (
                f"{kb.name}: the source of {document.path} is gone: {hide_credentials(document.source)}",
                f"put it back, or kb ingest --kb {kb.name} --prune",
                None,
            )


def _reindex(
    kb: KnowledgeBaseEntry, index: KnowledgeBaseIndex, documents: list[str], context: Context
) -> tuple[str, Mend]:
    """Make their index_rows stale, so that the next ingest writes the rows again from what is stored."""

    def mend() -> None:
        for document in documents:
            entry = context.catalogue.document(document)
            if entry:
                context.catalogue.point(entry, index.collection, "")

    return f"kb doctor --fix, then kb ingest --kb {kb.name}", mend


def _interrupted_documents(context: Context) -> Problems:
    for kb in context.catalogue.knowledge_bases():
        for document in context.catalogue.documents(kb.id):
            state = context.artefacts.state(document.id)
            if state.process and not is_leased(context.artefacts.objects, document.id):
                yield (
                    f"{kb.name}: {document.path} was interrupted",
                    f"kb ingest --kb {kb.name}",
                    lambda d=document.id, s=state: context.artefacts.save_state(d, _without_process(s)),
                )


def _lost_parts(context: Context) -> Problems:
    """Artefacts in force of which the store lost a part: taken back, so that the next ingest makes them again."""
    for kb in context.catalogue.knowledge_bases():
        for document in context.catalogue.documents(kb.id):
            for stage in context.artefacts.state(document.id).stages:
                artefact = context.artefacts.current(document.id, stage)
                kept = set(context.artefacts.objects.names(f"documents/{document.id}/{stage}/parts"))
                lost = sorted(
                    {t for t in (artefact.parts.values() if artefact else ()) if t.rsplit("/", 1)[-1] not in kept}
                )
                if lost:
                    yield (
                        f"{kb.name}: {document.path}: {len(lost)} stored parts of {stage} are gone",
                        f"kb doctor --fix, then kb ingest --kb {kb.name}",
                        lambda lost=lost: _forget(lost, context),
                    )


def _forget(lost: list[str], context: Context) -> None:
    for target in lost:
        context.artefacts.forget_part(target)


def _without_process(state: DocumentState) -> DocumentState:
    stages = {name: stage for name, stage in state.stages.items() if stage.state != "running"}
    return DocumentState(stages, "")


def _leftover_documents(context: Context) -> Problems:
    """Stored documents that no knowledge base lists, from removals that were cut short."""
    listed = {
        document for kb in context.catalogue.objects.names("kbs") for document in context.catalogue.document_ids(kb)
    }
    for document in context.catalogue.objects.names("documents"):
        if document not in listed:
            yield (
                f"{document} is stored and in no knowledge base",
                "kb doctor --fix",
                lambda d=document: context.artefacts.remove(d),
            )


def _partitions(context: Context) -> Problems:
    from kb_pipeline.orchestration.instance import open_instance
    from kb_pipeline.orchestration.partitions import DOCUMENTS, add_partitions, delete_partitions

    listed = {d for kb in context.catalogue.knowledge_bases() for d in context.catalogue.document_ids(kb.id)}
    with open_instance() as instance:
        keys = set(instance.get_dynamic_partitions(DOCUMENTS))
    orphans = sorted(keys - listed)
    missing = sorted(
        d for d in listed - keys if context.artefacts.state(d).stages
    )  # queued ones get theirs when they run
    if orphans:
        yield (
            f"partitions without a document: {', '.join(orphans)}",
            "kb doctor --fix",
            lambda: _with(delete_partitions, orphans),
        )
    if missing:
        yield (
            f"documents without a partition: {', '.join(missing)}",
            "kb doctor --fix",
            lambda: _with(add_partitions, missing),
        )


def _with(change: Callable[[Any, list[str]], None], keys: list[str]) -> None:
    from kb_pipeline.orchestration.instance import open_instance

    with open_instance() as instance:
        change(instance, keys)


def _runs(context: Context) -> Problems:
    from kb_pipeline.orchestration.dead_runs import end_dead_runs
    from kb_pipeline.orchestration.instance import open_instance

    with open_instance() as instance:
        dead = end_dead_runs(instance)
    for run in dead:
        yield f"run {run[:8]} had lost its process and was marked as failed", "nothing: it is done", lambda: None


CHECKS = (
    _models,
    _settings,
    _secrets,
    _index,
    _incomplete_indexes,
    _gone_sources,
    _interrupted_documents,
    _lost_parts,
    _leftover_documents,
    _partitions,
    _runs,
)
