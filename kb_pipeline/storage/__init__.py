"""Object store, artefacts with fingerprints, and the catalogue of knowledge bases and documents."""
