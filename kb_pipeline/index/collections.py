"""Collections: made, dropped, listed, counted, loaded on demand."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pymilvus import MilvusClient
from pymilvus.client.types import LoadState
from pymilvus.exceptions import MilvusException

from kb_pipeline.errors import DimensionMismatch
from kb_pipeline.index.connect import CALL_S, is_lite, milvus_errors
from kb_pipeline.index.schema import VECTOR_FIELDS, collection_indexes, collection_schema, dimension_of
from kb_pipeline.storage.names import is_collection_name

COUNT_BATCH = 10_000  # rows read at a time


def ensure_collection(client: MilvusClient, collection: str, dimension: int) -> None:
    """Make the collection if it is not there, and load it.

    Args:
        dimension: length of the vectors that are going to be written.

    Raises:
        DimensionMismatch: it is there with vectors of another length.
        IndexUnavailable, IndexRequestFailed.
    """
    with milvus_errors(f"making {collection}"):
        if not client.has_collection(collection, timeout=CALL_S):
            _create(client, collection, dimension)
        if not set(VECTOR_FIELDS) <= set(client.list_indexes(collection, timeout=CALL_S)):
            # not waited for: there is nothing to index yet, and each wait is at least half a second
            client.create_index(collection, collection_indexes(client, is_lite(client)), sync=False, timeout=CALL_S)
    check_dimension(client, collection, dimension)
    load_collection(client, collection)


def check_dimension(client: MilvusClient, collection: str, dimension: int) -> None:
    """Compare the collection's vectors with those that the embedding model makes.

    Raises:
        DimensionMismatch: they differ in length, so that they cannot be compared.
        IndexUnavailable, IndexRequestFailed.
    """
    with milvus_errors(f"describing {collection}"):
        description: Any = client.describe_collection(collection, timeout=CALL_S)  # a decorator hides its type
        found = dimension_of(description)
    if found != dimension:
        raise DimensionMismatch(
            f"{collection} holds vectors of {found} numbers, the embedding model makes {dimension}",
            remedy="set the embedding model back, or ingest into a new knowledge base",
        )


def _create(client: MilvusClient, collection: str, dimension: int) -> None:
    try:
        client.create_collection(
            collection, schema=collection_schema(dimension), consistency_level="Strong", timeout=CALL_S
        )
    except MilvusException:
        if not client.has_collection(collection, timeout=CALL_S):  # else somebody made it in between
            raise


def load_collection(client: MilvusClient, collection: str) -> None:
    """Load the collection where it is not loaded; a server asks for it before it reads.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    with milvus_errors(f"loading {collection}"):
        if client.get_load_state(collection, timeout=CALL_S)["state"] != LoadState.Loaded:
            client.load_collection(collection, timeout=CALL_S)


def has_collection(client: MilvusClient, collection: str) -> bool:
    """Whether the collection is there. Raises IndexUnavailable, IndexRequestFailed."""
    with milvus_errors(f"looking for {collection}"):
        return bool(client.has_collection(collection, timeout=CALL_S))


def drop_collection(client: MilvusClient, collection: str) -> None:
    """Drop the collection with all its rows; nothing happens where there is none.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    with milvus_errors(f"dropping {collection}"):
        if client.has_collection(collection, timeout=CALL_S):
            client.drop_collection(collection, timeout=CALL_S)


def list_collections(client: MilvusClient) -> list[str]:
    """Collections that belong to knowledge bases, by name; a server may hold others, which are left alone.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    with milvus_errors("listing collections"):
        names: Any = client.list_collections(timeout=CALL_S)  # a decorator hides its type
        return sorted(name for name in names if is_collection_name(name))


def row_count(client: MilvusClient, collection: str, where: str = "") -> int:
    """Rows of the collection, of all versions; `where` is a filter made of checked ids only.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    with milvus_errors(f"counting rows of {collection}"):
        found = client.query(
            collection, filter=where, output_fields=["count(*)"], consistency_level="Strong", timeout=CALL_S
        )
    return int(found[0]["count(*)"])


def document_counts(client: MilvusClient, collection: str) -> dict[str, int]:
    """Rows per document, of all versions, by document id.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    counts: Counter[str] = Counter()
    load_collection(client, collection)
    with milvus_errors(f"counting rows of {collection}"):
        rows = client.query_iterator(
            collection, batch_size=COUNT_BATCH, output_fields=["document"], consistency_level="Strong", timeout=CALL_S
        )
        try:
            while batch := rows.next():
                counts.update(row["document"] for row in batch)
        finally:
            rows.close()
    return dict(sorted(counts.items()))
