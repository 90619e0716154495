"""The client of OpenAI-compatible endpoints."""
