"""kb_pipeline: a document knowledge base whose every answer points at the place it came from."""
