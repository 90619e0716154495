"""Files over real HTTP on loopback, with the headers that a server gives or leaves out."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote, urlsplit

from kb_pipeline_tests.scripted_http import Answers, Served


@dataclass
class FileServer(Served):
    """Serves `files` by path and query. `tagged`: with an ETag; `dates`: Last-Modified by file, in seconds since 1970;
    `credentials`: `user:password` that are asked for."""

    files: dict[str, bytes] = field(default_factory=dict)
    tagged: bool = False
    dates: dict[str, float] = field(default_factory=dict)
    credentials: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> FileServer:
        self.start()
        return self

    def handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(Answers):
            def do_GET(self) -> None:
                self.give(body=True)

            def do_HEAD(self) -> None:
                self.give(body=False)

            def give(self, body: bool) -> None:
                server.asked.append(f"{self.command} {self.path}")
                given = self.headers.get("authorization", "").removeprefix("Basic ")
                if server.credentials and base64.b64decode(given).decode() != server.credentials:
                    return self.send_bytes(401, b"")
                parts = urlsplit(self.path)
                name = unquote(parts.path) + (f"?{parts.query}" if parts.query else "")
                data = server.files.get(name)
                if data is None:
                    return self.send_bytes(404, b"")
                headers = {"etag": f'"{hash(data)}"'} if server.tagged else {}
                if name in server.dates:
                    headers["last-modified"] = formatdate(server.dates[name], usegmt=True)
                self.send_response(200)
                self.send_header("content-length", str(len(data)))
                for key, value in headers.items():
                    self.send_header(key, value)
                self.end_headers()
                if body:
                    self.wfile.write(data)

        return Handler
