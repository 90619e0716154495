"""index_rows: chunks, enrichments and vectors written to Milvus as a new version that readers then see at once."""

from __future__ import annotations

from kb_pipeline.engine.stage import Output, Stage, Work
from kb_pipeline.records import Enrichment, IndexRows, decode, encode
from kb_pipeline.stages.chunks import read_chunks
from kb_pipeline.stages.embeddings import read_vectors
from kb_pipeline.stages.indexes import SCHEMA_VERSION, switch_when_complete, target_index
from kb_pipeline.storage.artefacts import Artefact, Artefacts
from kb_pipeline.storage.pictures import FIGURE_PICTURES, PAGE_PICTURES

VERSION_DIGITS = 12  # hex digits of the fingerprint: 48 bits tell the few versions of one document apart


def compute(work: Work) -> Output:
    """Write the document's rows under a new version, let readers see it, then delete the rows of older versions.

    Raises:
        IndexUnavailable, DimensionMismatch.
    """
    from kb_pipeline.embedding.choose import embedder
    from kb_pipeline.index.collections import ensure_collection
    from kb_pipeline.index.connect import connect
    from kb_pipeline.index.rows import delete_versions, write_document
    from kb_pipeline.index.vectors import Vectors
    from kb_pipeline.tokenization.tokens import tokenizer

    kb, catalogue = work.document.kb, work.catalogue
    client = connect(work.settings.index, work.settings.home / "index")
    model = embedder(work.settings.embedding)
    index = target_index(kb, work.settings, catalogue)
    ensure_collection(client, index.collection, model.dimension)
    version = work.fingerprint[:VERSION_DIGITS]
    enrichments = decode(work.read("llm_enrichments", "enrichments.json"), tuple[Enrichment, ...])
    words = tokenizer(work.settings.index.user_words)
    vectors = Vectors(*read_vectors(work), model.language_offsets)
    rows = write_document(
        client,
        index.collection,
        work.document.id,
        version,
        read_chunks(work),
        enrichments,
        vectors,
        words,
    )
    looked_at = [stage for stage in (PAGE_PICTURES, FIGURE_PICTURES) if stage in work.inputs]
    pictured = {stage: work.inputs[stage].fingerprint for stage in looked_at}
    catalogue.point(work.document, index.collection, version, pictured)
    delete_versions(client, index.collection, work.document.id, keep=version)
    seen = switch_when_complete(kb, index, work.settings, catalogue)
    facts = {"rows": len(rows.ids), "collection": index.collection, "version": version, "readers see it": seen}
    return Output({"rows.json": encode(rows)}, facts)


def still_valid(work: Work, artefact: Artefact) -> bool:
    """Whether the index still has that version: rows of others are deleted, and other models have other indexes."""
    rows = decode(work.artefacts.part(artefact, "rows.json"), IndexRows)
    pointer = work.catalogue.pointer(work.document.kb, work.document.id)
    target = target_index(work.document.kb, work.settings, work.catalogue)
    return (
        pointer is not None
        and target.collection == rows.collection
        and pointer.versions.get(rows.collection) == rows.version
    )


def written_rows(document: str, artefacts: Artefacts) -> IndexRows | None:
    """What was last written of a document, by its id; None where nothing was."""
    artefact = artefacts.current(document, STAGE.name)
    return decode(artefacts.part(artefact, "rows.json"), IndexRows) if artefact else None


STAGE = Stage(
    "index_rows",
    ("chunks", "llm_enrichments", "embeddings"),
    f"2, schema {SCHEMA_VERSION}",
    "Rows in Milvus: version, ids and count.",
    settings=("index.uri", "index.user_words"),
    compute=compute,
    still_valid=still_valid,
    kinds=("milvus",),
    serves_readers=True,
)
