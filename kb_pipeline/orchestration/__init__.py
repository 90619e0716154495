"""The Dagster side: instance, partitions, batches of documents, schedules, and the supervisor of its processes."""
