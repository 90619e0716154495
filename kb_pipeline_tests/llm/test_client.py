from __future__ import annotations

import time

import pytest
from pydantic import SecretStr

from kb_pipeline.endpoints import calls
from kb_pipeline.errors import EndpointError
from kb_pipeline.llm.client import ChatClient
from kb_pipeline.settings import LlmSettings
from kb_pipeline_tests.openai_server import Fault, OpenAIServer, Reply

QUESTION = [{"role": "user", "content": "ZK305 的见矿厚度？"}]


@pytest.fixture(scope="module")
def running():
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def server(running, monkeypatch):
    running.reset()
    monkeypatch.setattr(calls, "FIRST_WAIT_S", 0.01)
    return running


def client(server, **changes) -> ChatClient:
    values = {"base_url": server.base_url, "api_key": SecretStr(server.api_key), "model": server.model}
    return ChatClient(LlmSettings(**{**values, "timeout_s": 2, "deadline_s": 5, **changes}))


def test_a_whole_answer_and_a_streamed_one_are_the_same_text(server):
    server.script(Reply("见矿 12.5 米 [1]"), Reply("见矿 12.5 米 [1]", reasoning="thinking aloud"))
    assert client(server).complete(QUESTION) == "见矿 12.5 米 [1]"
    assert "".join(client(server).stream(QUESTION)) == "见矿 12.5 米 [1]"
    assert server.requests[0].json["messages"] == QUESTION
    assert server.requests[0].json["temperature"] == 0


def test_pieces_come_before_the_answer_is_complete(server):
    server.script(Reply("abcdefghijkl", piece_delay=0.2))
    started = time.monotonic()
    assert next(client(server).stream(QUESTION)) == "abcd"
    assert time.monotonic() - started < 0.9


@pytest.mark.parametrize("fault", [Fault(500), Fault(503), Fault(429, retry_after=0.05), Fault(mode="html"),
                                   Fault(mode="invalid json"), Fault(mode="empty"), Fault(mode="cut body")],
                         ids=lambda f: f.mode or str(f.status))  # fmt: skip
def test_a_passing_fault_is_tried_again(server, fault):
    server.script(fault, Reply("ok"))
    assert client(server).complete(QUESTION) == "ok"
    assert len(server.requests) == 2


@pytest.mark.parametrize("mode", ["html", "invalid json", "empty", "json text", "cut body"])
def test_a_body_that_is_no_answer_fails_typed_after_the_retries(server, mode):
    server.default = Fault(mode=mode)
    with pytest.raises(EndpointError) as caught:
        client(server).complete(QUESTION)
    assert server.base_url in str(caught.value)
    assert caught.value.remedy
    assert len(server.requests) == 3


@pytest.mark.parametrize(("fault", "word"), [(Fault(mode="no choices"), "no choices"),
                                             (Fault(mode="error body"), "model is loading"), (Fault(400), "status 400"),
                                             (Fault(429, code="insufficient_quota"), "status 429")])  # fmt: skip
def test_a_fault_that_waiting_does_not_cure_fails_at_once(server, fault, word):
    server.default = fault
    with pytest.raises(EndpointError, match=word):
        client(server).complete(QUESTION)
    assert len(server.requests) == 1


@pytest.mark.parametrize("reply", [Reply(""), Reply("half an", finish="length"), Reply("x", finish="content_filter"),
                                   Reply("x", finish=None)], ids=["empty", "length", "filter", "none"])  # fmt: skip
@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_that_is_empty_or_cut_is_never_passed_on_as_whole(server, reply, streamed):
    server.script(reply)
    chat = client(server)
    with pytest.raises(EndpointError):
        list(chat.stream(QUESTION)) if streamed else chat.complete(QUESTION)


@pytest.mark.parametrize("mode", ["cut stream", "end stream", "broken event", "error event", "stalled stream"])
def test_a_stream_that_breaks_off_says_so_after_its_pieces(server, mode):
    server.script(Fault(mode=mode, seconds=3))
    pieces: list[str] = []
    with pytest.raises(EndpointError):
        pieces.extend(client(server, timeout_s=0.3).stream(QUESTION))
    assert "".join(pieces) == "a partia"
    assert len(server.requests) == 1


@pytest.mark.parametrize("mode", ["html", "invalid json", "empty", "no choices"])
def test_a_stream_that_is_none_fails_typed(server, mode):
    server.default = Fault(mode=mode)
    with pytest.raises(EndpointError):
        list(client(server).stream(QUESTION))


def test_a_long_retry_after_is_not_waited_for(server):
    server.default = Fault(429, retry_after=100)
    started = time.monotonic()
    with pytest.raises(EndpointError, match="429"):
        client(server).complete(QUESTION)
    assert time.monotonic() - started < 1
    assert len(server.requests) == 1


def test_a_short_retry_after_is_obeyed(server):
    server.script(Fault(429, retry_after=0.4), Reply("ok"))
    assert client(server).complete(QUESTION) == "ok"
    assert server.requests[1].at - server.requests[0].at >= 0.4


@pytest.mark.parametrize("value", ["soon", "Wed, 21 Oct 2015 07:28:00 GMT", "-3", "nan"])
def test_an_odd_retry_after_does_no_harm(server, value):
    server.script(Fault(503, retry_after=value), Reply("ok"))
    assert client(server).complete(QUESTION) == "ok"


def test_the_deadline_ends_a_body_that_trickles_and_a_stream_that_drags(server):
    server.script(Fault(mode="trickle", seconds=4), Reply("x" * 200, piece_delay=0.1))
    for call in (lambda c: c.complete(QUESTION), lambda c: list(c.stream(QUESTION))):
        started = time.monotonic()
        with pytest.raises(EndpointError, match="longer than"):
            call(client(server, deadline_s=0.6, max_retries=0))
        assert time.monotonic() - started < 2


def test_a_silent_service_is_given_up_within_timeout_and_retries(server):
    server.default = Fault(mode="hang", seconds=3)
    started = time.monotonic()
    with pytest.raises(EndpointError, match="no answer within"):
        client(server, timeout_s=0.2, max_retries=1).complete(QUESTION)
    assert time.monotonic() - started < 2


def test_wrong_key_model_and_address_name_their_setting(server):
    for changes, setting in (
        ({"api_key": SecretStr("sk-wrong")}, "llm.api_key"),
        ({"api_key": SecretStr("sk-密")}, "llm.api_key"),
        ({"model": "no-such"}, "llm.model"),
        ({"base_url": "localhost:80"}, "llm.base_url"),
        ({"base_url": "http://127.0.0.1:9/v1"}, "llm.base_url"),
        ({"base_url": ""}, "llm.base_url"),
    ):
        with pytest.raises(EndpointError) as caught:
            client(server, **{"max_retries": 0, **changes}).complete(QUESTION)
        assert setting in caught.value.remedy
        assert "sk-" not in caught.value.reason


def test_proxies_of_the_environment_are_not_used_for_this_machine(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    server.script(Reply("ok"))
    assert client(server).complete(QUESTION) == "ok"


def test_lone_surrogates_in_a_question_do_not_stop_it(server):
    server.script(Reply("ok"))
    assert client(server).complete([{"role": "user", "content": "a\ud800b"}]) == "ok"
    assert server.requests[0].json["messages"][0]["content"] == "a?b"
