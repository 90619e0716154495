"""One dynamic partition per document, over all knowledge bases; its key is the document id."""

from __future__ import annotations

import dagster as dg

DOCUMENTS = "documents"

documents = dg.DynamicPartitionsDefinition(name=DOCUMENTS)


def add_partitions(instance: dg.DagsterInstance, keys: list[str]) -> None:
    """Make partitions of those documents that have none yet."""
    missing = sorted(set(keys) - set(instance.get_dynamic_partitions(DOCUMENTS)))
    if missing:
        instance.add_dynamic_partitions(DOCUMENTS, missing)


def delete_partitions(instance: dg.DagsterInstance, keys: list[str]) -> None:
    """Delete documents' partitions; nothing happens for those that have none."""
    for key in sorted(set(keys) & set(instance.get_dynamic_partitions(DOCUMENTS))):
        instance.delete_dynamic_partition(DOCUMENTS, key)
