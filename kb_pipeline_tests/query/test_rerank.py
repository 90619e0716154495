from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kb_pipeline.query.fusion import PRESETS
from kb_pipeline.query.question import Question, read_question
from kb_pipeline.query.rerank import rerank
from kb_pipeline.query.rescore import CandidateFeatures, Scored, rescore, total
from kb_pipeline.settings import RerankSettings
from kb_pipeline.tokenization.keys import ids
from kb_pipeline.tokenization.tokens import fine
from kb_pipeline_tests.query.shelf import WordVectors

TEXTS = {
    "a": "天气记录与道路情况。" * 10,
    "b": "铜山矿区ZK305孔见矿，伴生金品位0.47克每吨。",
    "c": "铜山矿区ZK306孔见矿，伴生金品位0.39克每吨。",
}


class Model(WordVectors):
    cosine_window = (0.0, 1.0)


def scored(question: Question) -> list[Scored]:
    vectors = Model().embed_passages(list(TEXTS.values()))
    candidates = [
        CandidateFeatures(key, "d", "1", frozenset(fine(text)), frozenset(ids(text)), vector)
        for (key, text), vector in zip(TEXTS.items(), vectors, strict=True)
    ]
    return rescore(question, candidates, fusion=PRESETS["windowed"], window=(0.0, 1.0))


@pytest.fixture
def question() -> Question:
    return read_question("铜山矿区 ZK306 的金品位是多少？", Model())


class Server(http.server.ThreadingHTTPServer):
    """A /rerank endpoint that answers as it is told and keeps what it was sent."""

    def __init__(self, answer, status: int = 200):
        self.answer, self.status, self.sent = answer, status, []
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.sent.append((self.path, self.headers.get("Authorization"), body))
        data = json.dumps(self.server.answer(body)).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


@pytest.fixture
def serve() -> Iterator:
    servers = []

    def start(answer, status: int = 200) -> Server:
        server = Server(answer, status)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def settings(server: Server, **more) -> RerankSettings:
    return RerankSettings(provider="endpoint", base_url=f"http://127.0.0.1:{server.server_port}/v1", **more)


def by_length(key: str):
    def answer(body):
        lengths = [len(text) for text in body["documents"]]
        found = [{"index": i, key: n / max(lengths)} for i, n in enumerate(lengths)]
        return sorted(found, key=lambda one: -one[key])

    return answer


def test_the_rules_show_every_factor_and_recompute(question: Question) -> None:
    ranked, note = rerank(question, scored(question), TEXTS, RerankSettings(provider="rules"))
    assert note == ""
    assert [one.candidate.chunk_id for one in ranked] == ["c", "b", "a"]
    for one in ranked:
        factors = {name: value for name, value in one.scores.items() if name.startswith("rule ")}
        assert set(factors) == {f"rule {n}" for n in ("fuzzy", "keyword", "semantic", "length", "position", "names")}
        assert all(0 <= value <= 1 for value in factors.values())
        assert total(one.scores) == one.score
    assert ranked[0].scores["rule names"] > ranked[1].scores["rule names"], "an identifier counts whole"


@pytest.mark.parametrize("shape", ["jina", "bare"])
def test_an_endpoint_gets_raw_texts_and_its_order_counts(question: Question, serve, shape: str) -> None:
    key = "relevance_score" if shape == "jina" else "score"
    answer = by_length(key)
    server = serve((lambda body: {"results": answer(body)}) if shape == "jina" else answer)
    ranked, note = rerank(question, scored(question), TEXTS, settings(server, model="m", api_key="secret", weight=1.0))
    assert note == ""
    path, authorization, body = server.sent[0]
    assert (path, authorization, body["model"]) == ("/v1/rerank", "Bearer secret", "m")
    assert body["query"] == question.text
    assert sorted(body["documents"]) == sorted(TEXTS.values())
    assert ranked[0].candidate.chunk_id == "c", "the named identifier stays a tier of its own"
    assert ranked[1].candidate.chunk_id == "a", "then the endpoint's order"
    assert all(total(one.scores) == one.score for one in ranked)


def test_logits_become_shares(question: Question, serve) -> None:
    server = serve(lambda body: {"results": [{"index": i, "relevance_score": 5.0 - 9 * i} for i in range(3)]})
    ranked, _ = rerank(question, scored(question), TEXTS, settings(server))
    assert all(0 <= one.scores["rerank"] <= 1 for one in ranked)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"error": "overloaded"}, 503),
        ({"results": []}, 200),
        ({"results": [{"index": 0}]}, 200),
        ("text", 200),
        ([1, 2], 200),
    ],
)
def test_a_failing_endpoint_changes_nothing_and_is_noted(question: Question, serve, answer, status: int) -> None:
    before = scored(question)
    ranked, note = rerank(question, before, TEXTS, settings(serve(lambda body: answer, status)))
    assert ranked == before
    assert note.startswith("not reranked: ")


def test_nobody_at_the_address_and_no_model_are_noted(question: Question, tmp_path: Path) -> None:
    before = scored(question)
    for broken in (
        RerankSettings(provider="endpoint", base_url="http://127.0.0.1:9", timeout_s=2),
        RerankSettings(provider="endpoint"),
        RerankSettings(provider="onnx", model=str(tmp_path)),
    ):
        ranked, note = rerank(question, before, TEXTS, broken)
        assert ranked == before
        assert note.startswith("not reranked: ")


def test_a_local_cross_encoder_is_run(question: Question, tmp_path: Path) -> None:
    """A model that counts tokens stands for one: it likes the longest text."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {c: i for i, c in enumerate(sorted({c for text in TEXTS.values() for c in text} | {"[UNK]"}))}
    tokens = Tokenizer(models.WordLevel(words, "[UNK]"))
    tokens.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokens.save(str(tmp_path / "tokenizer.json"))
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("ReduceSum", ["mask", "axis"], ["count"], keepdims=1),
            helper.make_node("Mul", ["count", "scale"], ["logits"]),
        ],
        "count",
        [helper.make_tensor_value_info(n, TensorProto.INT64, [1, None]) for n in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 1])],
        [
            numpy_helper.from_array(np.array([1], np.int64), "axis"),
            numpy_helper.from_array(np.array([0.01], np.float32), "scale"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(tmp_path / "model.onnx"))
    ranked, note = rerank(question, scored(question), TEXTS, RerankSettings(provider="onnx", model=str(tmp_path)))
    assert note == ""
    shares = {one.candidate.chunk_id: one.scores["rerank"] for one in ranked}
    assert shares["a"] > max(shares["b"], shares["c"]) > 0.5
