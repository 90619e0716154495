"""How good retrieval and tracing are: self-recall, question sets, highlights against true places."""
