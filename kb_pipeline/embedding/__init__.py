"""Vectors and token counts: the bundled local model, any OpenAI-compatible endpoint, and the vector cache."""
