"""index_rows: chunks, enrichments and vectors written to Milvus as a new version that readers then see at once."""

from __future__ import annotations

from kb_pipeline.records import Enrichment, IndexRows, decode, encode
from kb_pipeline.settings import home
from kb_pipeline.stages.chunks import read_chunks
from kb_pipeline.stages.embeddings import read_vectors
from kb_pipeline.stages.stage import Output, Stage, Work
from kb_pipeline.storage.artefacts import Artefact

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
    from kb_pipeline.tokenization.tokens import tokenizer

    client = connect(work.settings.index, home() / "index")
    collection = work.document.kb
    ensure_collection(client, collection, embedder(work.settings.embedding).dimension)
    version = work.fingerprint[:VERSION_DIGITS]
    enrichments = decode(work.read("llm_enrichments", "enrichments.json"), tuple[Enrichment, ...])
    words = tokenizer(work.settings.index.user_words)
    rows = write_document(
        client, collection, work.document.id, version, read_chunks(work), enrichments, read_vectors(work), words
    )
    work.catalogue.point(work.document, version)
    delete_versions(client, collection, work.document.id, keep=version)
    return Output({"rows.json": encode(rows)}, {"rows": len(rows.ids), "collection": collection, "version": version})


def in_force(work: Work, artefact: Artefact) -> bool:
    """Whether readers still see that version: rows of others are deleted."""
    rows = decode(work.artefacts.part(artefact, "rows.json"), IndexRows)
    pointer = work.catalogue.pointer(work.document.kb, work.document.id)
    return pointer is not None and pointer.version == rows.version


STAGE = Stage(
    "index_rows",
    ("chunks", "llm_enrichments", "embeddings"),
    "1",
    "Rows in Milvus: version, ids and count.",
    settings=("index.uri", "index.user_words"),
    compute=compute,
    in_force=in_force,
)
