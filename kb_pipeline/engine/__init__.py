"""Takes documents through stages: fingerprints, what is reused, what is stale, failures."""
