from __future__ import annotations

from kb_pipeline_tests.index.conftest import client, index_folder

__all__ = ["client", "index_folder"]
