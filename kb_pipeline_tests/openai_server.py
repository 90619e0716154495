"""A scripted OpenAI-compatible server on loopback: real HTTP, no model, and the faults that real services show.

    with OpenAIServer() as server:
        server.script(Reply("the answer [1]"), Fault(429, retry_after=0.1), Fault(mode="cut stream"))
        ... base_url=server.base_url, api_key=server.api_key, model=server.model ...
        server.requests[-1].json

Chat requests take the next scripted item, or `default`. Embedding requests take a scripted Fault if one is next, else
they answer with vectors made of the words' hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kb_pipeline_tests.scripted_http import Answers, Served

STREAM_FAULTS = ("cut stream", "end stream", "broken event", "error event", "stalled stream")
EMBEDDING_FAULTS = ("short", "other dimension", "nan", "reversed", "no index", "floats", "ragged", "zero", "text")


@dataclass
class Reply:
    """An answer; `delay` seconds before it, `piece_delay` between its pieces (stream) or bytes' blocks."""

    text: str = ""
    finish: str | None = "stop"
    delay: float = 0.0
    piece_delay: float = 0.0
    reasoning: str = ""


@dataclass
class Fault:
    """A fault. Without `mode` an HTTP status; `mode` is one of the stream or embedding faults above or `hang`,
    `html`, `invalid json`, `empty`, `json text`, `no choices`, `error body`, `cut body`, `trickle`."""

    status: int = 500
    mode: str = ""
    retry_after: float | str | None = None
    code: str = ""
    seconds: float = 5.0
    pieces: int = 3  # of a stream, before the fault


@dataclass
class Seen:
    """A request as it came."""

    path: str
    json: dict[str, Any]
    headers: dict[str, str]
    at: float


@dataclass
class OpenAIServer(Served):
    api_key: str = "sk-test"
    model: str = "test-model"
    more_models: tuple[str, ...] = ()
    dimension: int = 16
    default: Reply | Fault | None = None
    queue: list[Reply | Fault] = field(default_factory=list)
    requests: list[Seen] = field(default_factory=list)

    def script(self, *items: Reply | Fault) -> OpenAIServer:
        self.queue.extend(items)
        return self

    def reset(self) -> None:
        self.queue.clear()
        self.requests.clear()
        self.default = None

    def next(self) -> Reply | Fault:
        with self._lock:
            if self.queue:
                return self.queue.pop(0)
        return self.default or Fault(599)

    def next_fault(self) -> Fault | None:
        with self._lock:
            return self.queue.pop(0) if self.queue and isinstance(self.queue[0], Fault) else None  # type: ignore[return-value]

    def __enter__(self) -> OpenAIServer:
        self._lock = threading.Lock()
        self.start()
        self.base_url = f"http://127.0.0.1:{self.port}/v1"
        return self

    def handler(self) -> type[Answers]:
        return _handler(self)


def vector(text: str, dimension: int) -> list[float]:
    """A vector of a text's words, not of length 1: the same words give the same direction."""
    values = [0.0] * dimension
    for word in re.findall(r"[\u4e00-\u9fff]|\w+", text.lower()) or [text]:
        number = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        values[number % dimension] += 1.0 if number >> 63 else 2.0
    return values


def _handler(server: OpenAIServer) -> type[Answers]:
    class Handler(Answers):
        def do_GET(self) -> None:
            self.send_json({"object": "list", "data": [{"id": server.model, "object": "model"}]})

        def answer(self, body: dict[str, Any]) -> None:
            server.requests.append(Seen(self.path, body, dict(self.headers), time.monotonic()))
            if self.headers.get("authorization") != f"Bearer {server.api_key}":
                return self.send_error_json(401, "Incorrect API key provided")
            if body.get("model") not in (server.model, *server.more_models):
                return self.send_error_json(404, f"The model {body.get('model')!r} does not exist")
            if self.path == "/v1/embeddings":
                self.embeddings(body)
            elif self.path == "/v1/chat/completions":
                self.chat(body)
            else:
                self.send_error_json(404, "no such path")

        # ---- answers

        def chat(self, body: dict[str, Any]) -> None:
            item = server.next()
            if isinstance(item, Fault):
                return self.fault(item, body)
            server.closing.wait(item.delay)
            if body.get("stream"):
                return self.send_events(_events(item), item.piece_delay)
            message = {"role": "assistant", "content": item.text, "reasoning_content": item.reasoning}
            choice = {"index": 0, "message": message, "finish_reason": item.finish}
            self.send_json({"id": "chat-1", "object": "chat.completion", "model": server.model, "choices": [choice]})

        def embeddings(self, body: dict[str, Any]) -> None:
            item = server.next_fault()
            if item and item.mode not in EMBEDDING_FAULTS:
                return self.fault(item, body)
            mode = item.mode if item else ""
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            dimension = body.get("dimensions") or server.dimension
            rows = [vector(t, dimension + 1 if mode == "other dimension" else dimension) for t in texts]
            if mode == "nan":
                rows[0][0] = float("nan")
            if mode == "zero":
                rows[0] = [0.0] * dimension
            if mode == "ragged":
                rows[-1] = rows[-1][:-1]
            encoded = body.get("encoding_format") == "base64" and mode != "floats"
            data = [
                {"object": "embedding", "index": i, "embedding": _packed(row, encoded)} for i, row in enumerate(rows)
            ]
            if mode == "short":
                data.pop()
            if mode == "reversed":
                data.reverse()
            if mode == "text":
                data[0]["embedding"] = "no base64!"
            if mode == "no index":
                for row in data:
                    del row["index"]
            self.send_json({"object": "list", "data": data, "model": server.model, "usage": {"total_tokens": 1}})

        def fault(self, item: Fault, body: dict[str, Any]) -> None:
            if item.mode == "hang":
                self.hang(server.closing, item.seconds)
            elif item.mode in STREAM_FAULTS:
                self.stream_fault(item)
            elif item.mode == "cut body":
                self.send_cut(b'{"choices": [')
            elif item.mode == "trickle":
                self.send_response(200)
                self.send_header("content-length", "100000")
                self.end_headers()
                until = time.monotonic() + item.seconds
                while time.monotonic() < until and not server.closing.wait(0.05):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                self.close_connection = True
            elif item.mode:
                bodies = {
                    "html": "<html>502 Bad Gateway</html>",
                    "invalid json": '{"id": "x", "choices": [',
                    "empty": "",
                    "json text": '"only a string"',
                    "no choices": '{"object": "chat.completion", "choices": []}',
                    "error body": '{"error": {"message": "model is loading"}}',
                }
                kind = "text/html" if item.mode == "html" else "application/json"
                self.send_bytes(200, bodies[item.mode].encode(), kind)
            else:
                self.send_error_json(item.status, f"scripted {item.status}", item.code, item.retry_after)

        def stream_fault(self, item: Fault) -> None:
            events = list(_events(Reply("a partial answer that never comes to its end")))[: item.pieces]
            if item.mode == "broken event":
                events.append('data: {"id": "x", "choices": [{"index": 0, "delta": {"cont\n\n')
            if item.mode == "error event":
                events.append('data: {"error": {"message": "upstream overloaded", "type": "server_error"}}\n\n')
            self.start_events()
            for event in events:
                self.send_chunk(event)
            if item.mode == "stalled stream":
                server.closing.wait(item.seconds)
            if item.mode == "cut stream":
                self.close_connection = True  # without the chunk that ends a chunked body
                return
            self.send_chunk("")

        # ---- bytes

        def send_events(self, events: Iterator[str], delay: float) -> None:
            self.start_events()
            for event in events:
                self.send_chunk(event)
                server.closing.wait(delay)
            self.send_chunk("")

        def start_events(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()

        def send_chunk(self, text: str) -> None:
            data = text.encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

        def send_error_json(self, status: int, message: str, code: str = "", retry_after: Any = None) -> None:
            error = {"message": message, "type": "test", "code": code or None}
            self.send_json({"error": error}, status, retry_after)

    return Handler


def _events(reply: Reply) -> Iterator[str]:
    def event(delta: dict[str, Any], finish: str | None = None) -> str:
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return f"data: {json.dumps(chunk)}\n\n"

    yield event({"role": "assistant", "content": ""})
    if reply.reasoning:
        yield event({"reasoning_content": reply.reasoning})
    for start in range(0, len(reply.text), 4):
        yield event({"content": reply.text[start : start + 4]})
    yield event({}, reply.finish)
    yield 'data: {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": []}\n\n'
    yield "data: [DONE]\n\n"


def _packed(values: list[float], encoded: bool) -> str | list[float]:
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode() if encoded else values
