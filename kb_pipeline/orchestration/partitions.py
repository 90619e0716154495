"""One dynamic partition a document, over all knowledge bases; its key is the document id."""

from __future__ import annotations

import dagster as dg

documents = dg.DynamicPartitionsDefinition(name="documents")


def add_partitions(instance: dg.DagsterInstance, keys: list[str]) -> None:
    """Make partitions of those documents that have none yet."""
    missing = sorted(set(keys) - set(instance.get_dynamic_partitions(documents.name)))
    if missing:
        instance.add_dynamic_partitions(documents.name, missing)


def delete_partition(instance: dg.DagsterInstance, key: str) -> None:
    """Delete a document's partition; nothing happens where there is none."""
    if instance.has_dynamic_partition(documents.name, key):
        instance.delete_dynamic_partition(documents.name, key)
