"""What the scripted HTTP servers of the tests share: a server on loopback with a life of its own, and its answers."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Served:
    """A server for the time of a `with`; `closing` is set at its end, for handlers that wait."""

    port: int

    def handler(self) -> type[BaseHTTPRequestHandler]:
        raise NotImplementedError

    def start(self) -> None:
        self.closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self._http.daemon_threads = True
        self.port = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()


class Answers(BaseHTTPRequestHandler):
    """A quiet handler with whole answers, and one that is cut."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def posted(self) -> dict[str, Any]:
        return json.loads(self.rfile.read(int(self.headers["content-length"])))

    def do_POST(self) -> None:
        """An answer to what was posted, for a client that may hang up in the middle of it."""
        try:
            self.answer(self.posted())
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def answer(self, body: dict[str, Any]) -> None:
        raise NotImplementedError

    def hang(self, closing: threading.Event, seconds: float) -> None:
        """Silence, and then a closed connection."""
        closing.wait(seconds)
        self.close_connection = True

    def send_json(self, value: Any, status: int = 200, retry_after: object = None, **headers: str) -> None:
        if retry_after is not None:
            headers["retry-after"] = str(retry_after)
        self.send_bytes(status, json.dumps(value).encode(), "application/json", **headers)

    def send_bytes(self, status: int, data: bytes, kind: str = "text/plain", **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def send_cut(self, head: bytes) -> None:
        """A body that ends long before the length it was announced with."""
        self.send_response(200)
        self.send_header("content-length", str(len(head) + 1000))
        self.end_headers()
        self.wfile.write(head)
        self.close_connection = True
