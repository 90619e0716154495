"""A layout-parsing service on loopback that answers in PP-StructureV3's form, and with the faults that services show.

    with LayoutParsingServer() as server:
        server.pages["Page one"] = page(block("text", "Hello", (10, 10, 90, 30)))
        server.script(Fault(429, retry_after=0.1))

A posted PDF's pages are told apart by their text: each answers with the entry of `pages` whose key it holds. A posted
picture answers with the entry "picture". Pictures are served from `images` under /imgs/.
"""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass, field
from typing import Any

import pypdfium2

from kb_pipeline_tests.scripted_http import Answers, Served


@dataclass
class Fault:
    """Without `mode` an HTTP status; `mode` is one of `html`, `text`, `cut body`, `hang`, `redirect`, `empty`, `fewer`,
    `no result`, `error code`, `no markdown`."""

    status: int = 500
    mode: str = ""
    retry_after: float | None = None
    seconds: float = 5.0


@dataclass
class LayoutParsingServer(Served):
    token: str = ""
    pages: dict[str, dict[str, Any]] = field(default_factory=dict)
    images: dict[str, bytes] = field(default_factory=dict)
    data_info: dict[str, Any] | None = None
    queue: list[Fault] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)

    def script(self, *faults: Fault) -> None:
        self.queue.extend(faults)

    def __enter__(self) -> LayoutParsingServer:
        self.start()
        self.base_url = f"http://127.0.0.1:{self.port}"
        return self

    def handler(self) -> type[Answers]:
        return _handler(self)

    def results(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        data = base64.b64decode(request["file"])
        if request["fileType"] == 1:
            return [self.pages["picture"]]
        pdf = pypdfium2.PdfDocument(data)
        texts = [page.get_textpage().get_text_range() for page in pdf]
        return [next(found for key, found in self.pages.items() if key in text) for text in texts]


def page(*blocks: dict[str, Any], markdown: str = "", images: dict[str, str] | None = None, width: int = 0,
         height: int = 0, angle: int | None = None) -> dict[str, Any]:  # fmt: skip
    """One entry of layoutParsingResults; without blocks it holds Markdown alone."""
    found: dict[str, Any] = {"markdown": {"text": markdown, "images": images or {}}, "outputImages": None}
    if blocks:
        found["prunedResult"] = {"page_index": 0, "parsing_res_list": list(blocks)}
        if width:
            found["prunedResult"] |= {"width": width, "height": height}
        if angle is not None:
            found["prunedResult"]["doc_preprocessor_res"] = {"angle": angle}
    return found


def block(label: str, content: str, box: tuple[float, float, float, float]) -> dict[str, Any]:
    return {"block_label": label, "block_content": content, "block_bbox": list(box), "block_id": 0}


def _handler(server: LayoutParsingServer) -> type[Answers]:
    class Handler(Answers):
        def do_GET(self) -> None:
            server.fetched.append(self.path)
            data = server.images.get(self.path.removeprefix("/imgs/"))
            self.send_bytes(404, b"gone") if data is None else self.send_bytes(200, data, "image/png")

        def answer(self, body: dict[str, Any]) -> None:
            server.requests.append({**body, "headers": dict(self.headers), "path": self.path, "at": time.monotonic()})
            if self.path != "/layout-parsing":
                return self.send_json({"errorCode": 404, "errorMsg": "no such path"}, 404)
            if server.token and self.headers.get("authorization") != f"token {server.token}":
                return self.send_json({"errorCode": 401, "errorMsg": "invalid token"}, 401)
            fault = server.queue.pop(0) if server.queue else None
            if fault is None:
                return self.send_result(server.results(body))
            if fault.mode == "hang":
                self.hang(server.closing, fault.seconds)
            elif fault.mode == "cut body":
                self.send_cut(b'{"result": {')
            elif fault.mode == "html":
                self.send_bytes(200, b"<html><body>Bad gateway</body></html>", "text/html")
            elif fault.mode == "text":
                self.send_json("only a string")
            elif fault.mode == "redirect":
                self.send_bytes(302, b"", location="http://192.0.2.1/layout-parsing")
            elif fault.mode == "empty":
                self.send_result([])
            elif fault.mode == "fewer":
                self.send_result(server.results(body)[:-1] or server.results(body) * 2)
            elif fault.mode == "no result":
                self.send_json({"logId": "1", "errorCode": 0, "errorMsg": "Success"})
            elif fault.mode == "no markdown":
                self.send_result([{"prunedResult": {}} for _ in server.results(body)])
            elif fault.mode == "error code":
                self.send_json({"logId": "1", "errorCode": 117, "errorMsg": "model pool is exhausted"})
            else:
                error = {"errorCode": fault.status, "errorMsg": f"scripted {fault.status}"}
                self.send_json(error, fault.status, fault.retry_after)

        def send_result(self, results: list[dict[str, Any]]) -> None:
            result: dict[str, Any] = {"layoutParsingResults": results}
            if server.data_info:
                result["dataInfo"] = server.data_info
            self.send_json({"logId": "1", "errorCode": 0, "errorMsg": "Success", "result": result})

    return Handler
