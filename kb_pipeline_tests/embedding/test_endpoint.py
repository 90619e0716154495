from __future__ import annotations

import numpy as np
import pytest
from pydantic import SecretStr

from kb_pipeline.embedding.choose import embedder
from kb_pipeline.embedding.endpoint import EndpointEmbedder
from kb_pipeline.endpoints import calls
from kb_pipeline.errors import DimensionMismatch, EndpointError
from kb_pipeline.settings import EmbeddingSettings
from kb_pipeline_tests.openai_server import Fault, OpenAIServer, vector

TEXTS = ["铜矿体", "gold grade", "ZK305 见矿", "copper", "skarn"]


@pytest.fixture(scope="module")
def running():
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def server(running, monkeypatch):
    running.reset()
    monkeypatch.setattr(calls, "FIRST_WAIT_S", 0.01)
    return running


def values(server, **changes) -> EmbeddingSettings:
    found = {"base_url": server.base_url, "api_key": SecretStr(server.api_key), "model": server.model, "timeout_s": 2}
    return EmbeddingSettings(**{"provider": "openai", **found, **changes})


def expected(texts, dimension=16):
    rows = np.array([vector(text, dimension) for text in texts])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_texts_go_in_batches_and_come_back_as_unit_vectors_in_order(server):
    found = EndpointEmbedder(values(server, batch=2)).embed_passages(TEXTS)
    assert found.dtype == np.float32
    assert np.allclose(found, expected(TEXTS), atol=1e-6)
    assert [len(seen.json["input"]) for seen in server.requests] == [2, 2, 1]


@pytest.mark.parametrize("mode", ["reversed", "no index", "floats"])
def test_variants_of_the_protocol_give_the_same_vectors(server, mode):
    server.script(Fault(mode=mode))
    assert np.allclose(EndpointEmbedder(values(server)).embed_passages(TEXTS), expected(TEXTS), atol=1e-6)


@pytest.mark.parametrize("mode", ["short", "nan", "zero", "ragged", "text", "no choices", "html", "invalid json"])
def test_an_answer_that_does_not_fit_the_request_is_refused(server, mode):
    server.script(*[Fault(mode=mode)] * 5)
    with pytest.raises(EndpointError) as caught:
        EndpointEmbedder(values(server)).embed_passages(TEXTS)
    assert caught.value.remedy


def test_a_busy_service_is_tried_again(server):
    server.script(Fault(429, retry_after=0.05), Fault(503), Fault(mode="cut body"))
    assert len(EndpointEmbedder(values(server)).embed_passages(TEXTS)) == len(TEXTS)
    assert len(server.requests) == 4


def test_the_dimension_is_asked_once_and_a_change_of_it_is_refused(server):
    model = EndpointEmbedder(values(server))
    assert (model.dimension, model.dimension) == (16, 16)
    assert len(server.requests) == 1
    server.script(Fault(mode="other dimension"))
    with pytest.raises(DimensionMismatch):
        model.embed_passages(TEXTS)


def test_a_set_dimension_is_asked_for_and_checked(server):
    model = EndpointEmbedder(values(server, dimension=8))
    assert model.dimension == 8
    assert server.requests == []
    assert model.embed_passages(["x"]).shape == (1, 8)
    assert server.requests[0].json["dimensions"] == 8
    server.script(Fault(mode="other dimension"))
    with pytest.raises(DimensionMismatch, match="9 dimensions instead of 8"):
        model.embed_passages(["x"])


def test_prefixes_are_sent_and_empty_or_unsendable_texts_do_not_stop_a_batch(server):
    model = EndpointEmbedder(values(server, query_prefix="q: ", passage_prefix="p: "))
    model.embed_query("铜")
    model.embed_passages(["金"])
    assert [seen.json["input"] for seen in server.requests] == [["q: 铜"], ["p: 金"]]
    plain = EndpointEmbedder(values(server))
    assert plain.embed_passages(["", "\x00", "a\ud800"]).shape == (3, 16)
    assert server.requests[-1].json["input"] == [" ", " ", "a?"]
    assert plain.embed_passages([]).shape == (0, 16)


def test_models_that_give_other_vectors_have_other_ids(server):
    changes = [{}, {"model": "other"}, {"dimension": 8}, {"passage_prefix": "p: "}, {"revision": "2"}]
    assert len({EndpointEmbedder(values(server, **change)).model_id for change in changes}) == len(changes)
    for change in ({"api_key": SecretStr("sk-other")}, {"base_url": "http://localhost/v1"}):
        assert EndpointEmbedder(values(server, **change)).model_id == EndpointEmbedder(values(server)).model_id


def test_an_endpoint_without_address_or_model_is_refused(server):
    for changes in ({"base_url": ""}, {"model": ""}):
        with pytest.raises(EndpointError, match="no embedding endpoint"):
            embedder(values(server, **changes))


def test_the_same_settings_give_the_same_model_and_nothing_is_loaded_before_use():
    assert embedder(EmbeddingSettings()) is embedder(EmbeddingSettings())
    assert embedder(EmbeddingSettings()).model_id == "multilingual-e5-small-q4"
    assert embedder(EmbeddingSettings()).dimension == 384


@pytest.mark.parametrize(("text", "tokens"), [("", 0), (" \n", 0), ("铜矿石", 3), ("铜,矿", 3), ("gold", 1),
                                             ("grade", 2), ("ab cd", 2), ("ZK305孔", 3), ("カナ한글", 4)])  # fmt: skip
def test_tokens_of_an_unknown_model_are_counted_by_the_documented_rule(server, text, tokens):
    model = EndpointEmbedder(values(server))
    assert model.count_many([text])[0] == tokens
    assert model.count_many([text, text]) == [tokens, tokens]
