"""What a start costs and leaves behind, and what the index makes of the tokens."""

from __future__ import annotations

import os
import subprocess
import sys

from kb_pipeline.tokenization.tokens import fine

LOAD = """
import sys, time
started = time.process_time()
from kb_pipeline.tokenization.term_weights import query_weights
query_weights("铜矿体")
heavy = ("jieba", "pkg_resources", "numpy", "onnxruntime")
print(time.process_time() - started, *[name for name in heavy if name in sys.modules])
"""


def test_loading_is_quick_quiet_and_leaves_no_file(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path), "KB_HOME": str(tmp_path / "home")}
    done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, env=environment, check=True)
    seconds, *modules = done.stdout.split()
    assert float(seconds) < 2  # 0.8 on an idle core
    assert modules == []
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_every_token_survives_the_analyzer_of_the_index(tmp_path):
    """Each fine token alone finds its row in Milvus Lite, and no token finds the row without it."""
    from pymilvus import DataType, Function, FunctionType, MilvusClient

    text = "国家标准 GB/T 13908-2020、ZK12-3、A_1#2 0.85% CuFeS₂ 三码合一 deposits Müller カナ ǀ"
    tokens = list(dict.fromkeys(fine(text)))
    client = MilvusClient(str(tmp_path / "tokens.db"))
    schema = client.create_schema()
    schema.add_field("id", DataType.INT64, is_primary=True)
    analyzer = {"tokenizer": "standard", "filter": ["lowercase"]}
    schema.add_field("text", DataType.VARCHAR, max_length=9999, enable_analyzer=True, analyzer_params=analyzer)
    schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_function(Function("bm25", FunctionType.BM25, ["text"], ["sparse"]))
    index = client.prepare_index_params()
    index.add_index("sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
    client.create_collection("tokens", schema=schema, index_params=index)
    client.insert("tokens", [{"id": i, "text": token} for i, token in enumerate(tokens)])
    found = client.search("tokens", tokens, anns_field="sparse", limit=len(tokens), consistency_level="Strong")
    client.close()
    assert [[hit["id"] for hit in hits] for hits in found] == [[i] for i in range(len(tokens))]
