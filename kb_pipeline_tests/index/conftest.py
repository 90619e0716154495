from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pymilvus import MilvusClient

from kb_pipeline.index import lite_server
from kb_pipeline.index.connect import connect
from kb_pipeline.settings import IndexSettings


@pytest.fixture(scope="session")
def index_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a running Milvus Lite, ended after the tests."""
    folder = tmp_path_factory.mktemp("index")
    yield folder
    lite_server.stop(folder)


@pytest.fixture(scope="session")
def client(index_folder: Path) -> MilvusClient:
    return connect(IndexSettings(), index_folder)
