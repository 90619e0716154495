"""Calls to a layout-parsing service: a file in base64 goes out, its pages come back; pictures are fetched after."""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx2
import openai

from kb_pipeline.endpoints.calls import CONNECT_S, Endpoint, Unreadable, excerpt, is_loopback, read_body, retried
from kb_pipeline.errors import EndpointError
from kb_pipeline.settings import ParserSettings, reveal

T = TypeVar("T")

PATH = "/layout-parsing"
PDF, PICTURE = 0, 1  # the service's file types
LONGEST_SCHEME = 20  # characters in which the colon of an address's scheme stands; base64 has none

_ADDRESS = re.compile(r"[\w./%~?=&+,;@-]+")  # of a picture, relative to the service's own

REMEDIES = MappingProxyType(
    {
        400: "check {group}.base_url and what the service says",
        401: "check {group}.token",
        403: "check {group}.token",
        404: "check {group}.base_url",
        413: "lower {group}.pages, or let the service take larger requests",
        429: "the service limits requests: wait, or ask for a higher limit",
    }
)


class PictureUnavailable(Exception):
    """A picture of the answer cannot be had; the message says why."""


@dataclass(frozen=True)
class Service:
    """An open connection; `deadline` (of time.monotonic) bounds all calls together."""

    endpoint: Endpoint
    settings: ParserSettings
    client: httpx2.Client
    deadline: float

    @property
    def url(self) -> str:
        return self.endpoint.base_url


@contextmanager
def open_service(settings: ParserSettings) -> Iterator[Service]:
    """The service of these settings.

    Raises:
        EndpointError: no address is set, or address or token are none.
    """
    address, token = settings.base_url.rstrip("/"), reveal(settings.token)
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise EndpointError(
            f"parser.base_url is {settings.base_url!r}",
            remedy="set parser.base_url to the service's http(s) address, or parser.engine=local",
        )
    if not token.isascii() or not token.isprintable():
        raise EndpointError("the token holds characters that no token has", remedy="check parser.token")
    url = address if parts.path.endswith(PATH) else address + PATH
    endpoint = Endpoint(
        "parser", url, token, settings.timeout_s, settings.deadline_s, settings.max_retries, REMEDIES
    )  # fmt: skip
    with httpx2.Client(trust_env=not is_loopback(parts.hostname)) as client:
        yield Service(endpoint, settings, client, time.monotonic() + settings.deadline_s)


def parse_file(service: Service, data: bytes, file_type: int) -> dict[str, Any]:
    """The service's `result` for a file: a PDF, or a picture of one page.

    Raises:
        EndpointError: unreachable, refused, no JSON, or an error code in the answer.
    """
    settings, endpoint = service.settings, service.endpoint
    body = json.dumps(
        {
            "file": base64.b64encode(data).decode("ascii"),
            "fileType": file_type,
            "useDocOrientationClassify": settings.orientation_classify,
            "useDocUnwarping": False,  # a page that was bent flat has no place on the displayed page any more
            "useChartRecognition": settings.chart_recognition,
            "visualize": False,  # pictures of the analysis would be half of the answer
        }
    ).encode()
    headers = {"content-type": "application/json"}
    if endpoint.api_key:
        headers["authorization"] = f"token {endpoint.api_key}"

    def attempt() -> dict[str, Any]:
        answer = _request(service, "POST", endpoint.base_url, body, headers)
        try:
            found = json.loads(answer)
        except ValueError as error:
            raise Unreadable(f"the answer is no JSON: {excerpt(answer)}") from error
        if not isinstance(found, dict):
            raise Unreadable(f"the answer is no JSON object: {excerpt(answer)}")
        return found

    answer = retried(endpoint, attempt, service.deadline)
    code = answer.get("errorCode", 0)
    if code != 0:
        raise endpoint.failed(f"error code {code}: {_message(answer)}", "look into the service's log")
    result = answer.get("result")
    if not isinstance(result, dict):
        raise endpoint.failed("the answer has no result", REMEDIES[404].format(group="parser"))
    return result


def fetch_picture(service: Service, value: str) -> bytes:
    """Bytes of a picture that an answer names by address, or holds in base64.

    Addresses are only followed to the service's own host: what a service answers must not make this machine call
    others.

    Raises:
        PictureUnavailable: it is elsewhere, cannot be fetched, or is no base64.
    """
    scheme = urlsplit(value).scheme if ":" in value[:LONGEST_SCHEME] else ""
    if scheme in ("", "data"):
        try:
            return base64.b64decode(value.partition(",")[2] if scheme else value, validate=True)
        except (binascii.Error, ValueError) as error:
            if scheme or not _ADDRESS.fullmatch(value):
                raise PictureUnavailable("it is neither an address nor base64") from error
    url = urljoin(service.url, value)
    host, own = urlsplit(url), urlsplit(service.url)
    if host.scheme not in ("http", "https") or host.hostname != own.hostname:
        raise PictureUnavailable(f"{host.scheme}://{host.hostname or ''} is not the service's own host")
    try:
        return retried(replace(service.endpoint, base_url=url), lambda: _request(service, "GET", url), service.deadline)
    except EndpointError as error:
        raise PictureUnavailable(error.message) from error


def _request(
    service: Service, method: str, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> bytes:
    """The body of a good answer. Faults are raised in the words of `retried`: those of the openai library."""
    left = service.deadline - time.monotonic()
    if left <= 0:
        raise service.endpoint.failed(
            f"the document took longer than {service.endpoint.deadline_s:g} s", "raise parser.deadline_s"
        )
    silence = min(service.endpoint.timeout_s, left)
    timeout = httpx2.Timeout(silence, connect=min(CONNECT_S, silence))
    request = service.client.build_request(method, url, content=body, headers=headers, timeout=timeout)
    try:
        response = service.client.send(request, stream=True)
        try:
            answer = read_body(service.endpoint, response.iter_bytes(), service.deadline)
        finally:
            response.close()
    except httpx2.TimeoutException as error:
        raise openai.APITimeoutError(request) from error
    except httpx2.HTTPError as error:
        raise openai.APIConnectionError(request=request) from error
    if response.status_code != 200:
        raise openai.APIStatusError(_said(answer), response=response, body=None)
    return answer


def _said(body: bytes) -> str:
    """What a service says in the body of a refusal."""
    try:
        found = json.loads(body)
    except ValueError:
        return excerpt(body)
    return _message(found) if isinstance(found, dict) else excerpt(body)


def _message(answer: Mapping[str, Any]) -> str:
    return excerpt(str(answer.get("errorMsg") or answer.get("message") or answer.get("detail") or "").encode())
