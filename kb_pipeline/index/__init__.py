"""Milvus: collection names and schema, the owner process of Milvus Lite, writes by version."""
