"""One dynamic partition a document, over all knowledge bases; its key is the document id."""

from __future__ import annotations

import dagster as dg

documents = dg.DynamicPartitionsDefinition(name="documents")


def add_partitions(instance: dg.DagsterInstance, keys: list[str]) -> None:
    """Make partitions of those documents that have none yet."""
    missing = sorted(set(keys) - set(instance.get_dynamic_partitions(documents.name)))
    if missing:
        instance.add_dynamic_partitions(documents.name, missing)


def delete_partitions(instance: dg.DagsterInstance, keys: list[str]) -> None:
    """Delete documents' partitions; nothing happens for those that have none."""
    for key in sorted(set(keys) & set(instance.get_dynamic_partitions(documents.name))):
        instance.delete_dynamic_partition(documents.name, key)
