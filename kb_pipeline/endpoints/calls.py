"""Calls to an endpoint, OpenAI-compatible or another, that end in time, with a checked answer or an EndpointError.

What the openai library leaves open is closed here: its timeout is one a read and not one a call; it obeys a Retry-After
of two minutes; a body that is HTML, or JSON cut short, surfaces as a string or as a bare parsing error; proxies of the
environment are used for the machine's own addresses too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
import openai

from kb_pipeline.errors import EndpointError
from kb_pipeline.text.credentials import HIDDEN
from kb_pipeline.waiting import told

T = TypeVar("T")

CONNECT_S = 10.0
FIRST_WAIT_S = 0.5  # doubled with each attempt
LONGEST_WAIT_S = 30.0  # also of a Retry-After: who asks for more is down for this call
RETRIED_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})  # a 429 that waiting does not cure
EXCERPT = 200  # characters of a wrong body that a message quotes
LARGEST_BODY = 256 << 20  # bytes


REMEDIES = MappingProxyType(
    {
        400: "check {group}.model",
        401: "check {group}.api_key",
        403: "check {group}.api_key",
        404: "check {group}.base_url and {group}.model",
        413: "the texts are too long for this model",
        429: "the service limits requests: wait, or ask for a higher limit",
    }
)
"""What to do about a status of an OpenAI-compatible service; 400 also stands for every other below 500."""


@dataclass(frozen=True)
class Endpoint:
    """Where calls go. `group`: the settings' group that describes it, for the remedies.

    `timeout_s`: longest silence; `deadline_s`: longest call, retries included. `remedies`: by status, as `REMEDIES`.
    """

    group: str
    base_url: str
    api_key: str
    timeout_s: float
    deadline_s: float
    max_retries: int
    remedies: Mapping[int, str] = field(default_factory=lambda: REMEDIES)

    def client(self) -> openai.OpenAI:
        """A client without retries of its own.

        Raises:
            EndpointError: no address is set, or it is none.
        """
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise EndpointError(
                f"{self.group}.base_url is {self.base_url!r}", remedy=f"set {self.group}.base_url to http(s)://…/v1"
            )
        if not self.api_key.isascii() or not self.api_key.isprintable():
            raise EndpointError("the key holds characters that no key has", remedy=f"check {self.group}.api_key")
        timeout = openai.Timeout(self.timeout_s, connect=min(CONNECT_S, self.timeout_s))
        http = openai.DefaultHttpxClient(timeout=timeout, trust_env=not is_loopback(parts.hostname))
        return openai.OpenAI(
            base_url=self.base_url, api_key=self.api_key or "none", timeout=timeout, max_retries=0, http_client=http
        )

    def failed(self, message: str, remedy: str = "") -> EndpointError:
        remedy = remedy or f"check {self.group}.base_url and that the service runs"
        if self.api_key:  # services like to quote the key that they refuse
            message = message.replace(self.api_key, HIDDEN)
        return EndpointError(f"{self.base_url}: {message}", remedy=remedy)


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def json_call(endpoint: Endpoint, open_response: Callable[[], AbstractContextManager[Any]]) -> dict[str, Any]:
    """The JSON object that a call answers with.

    Args:
        open_response: begins the call through `with_streaming_response`.

    Raises:
        EndpointError: it failed for good, or its body is no JSON object.
    """
    deadline = time.monotonic() + endpoint.deadline_s

    def attempt() -> dict[str, Any]:
        try:
            with open_response() as response:
                body = read_body(endpoint, response.iter_bytes(), deadline)
        except httpx2.HTTPError as error:  # the library wraps what fails before the body, not within it
            raise Unreadable(f"the answer broke off: {error or type(error).__name__}") from error
        try:
            data = json.loads(body)
        except ValueError as error:
            raise Unreadable(f"the answer is no JSON: {excerpt(body)}") from error
        if not isinstance(data, dict):
            raise Unreadable(f"the answer is no JSON object: {excerpt(body)}")
        if data.get("error"):
            raise endpoint.failed(f"answered with an error: {excerpt(json.dumps(data['error']).encode())}")
        return data

    return retried(endpoint, attempt, deadline)


class Unreadable(Exception):
    """A body that a gateway may have put in place of the answer; worth another attempt."""


def retried(endpoint: Endpoint, attempt: Callable[[], T], deadline: float) -> T:
    """What an attempt returns, tried again after passing faults until `deadline` (of time.monotonic).

    Raises:
        EndpointError: the fault does not pass, or attempts or time ran out.
    """
    for number in range(endpoint.max_retries + 1):
        try:
            return attempt()
        except (openai.OpenAIError, Unreadable) as error:
            wait = _wait(error, number)
            last = number == endpoint.max_retries
            if last or wait is None or time.monotonic() + wait >= deadline:
                raise fault(endpoint, error) from error
            with told(f"another attempt: {fault(endpoint, error).message}"):
                time.sleep(wait)
    raise AssertionError("unreachable: the last attempt returns or raises")


def _wait(error: Exception, number: int) -> float | None:
    """Seconds until the next attempt; None where another would not help."""
    backoff = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**number)
    if isinstance(error, openai.APIStatusError):
        if error.status_code not in RETRIED_STATUS or error.code in SPENT:
            return None
        asked = _retry_after(error.response.headers.get("retry-after"))
        if asked is None:
            return backoff
        return asked if asked <= LONGEST_WAIT_S else None
    return backoff if isinstance(error, openai.APIConnectionError | Unreadable) else None


def _retry_after(value: str | None) -> float | None:
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def fault(endpoint: Endpoint, error: Exception) -> EndpointError:
    """The error that a user reads."""
    group = endpoint.group
    if isinstance(error, openai.APITimeoutError):
        return endpoint.failed(
            f"no answer within {endpoint.timeout_s:g} s", f"raise {group}.timeout_s or check the load"
        )
    if isinstance(error, openai.APIStatusError):
        status, message = error.status_code, excerpt(str(error.message).encode())
        remedy = endpoint.remedies.get(status, endpoint.remedies[400] if status < 500 else "")
        return endpoint.failed(f"status {status}: {message}", remedy.format(group=group))
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error
        return endpoint.failed(f"cannot be reached or broke off: {cause}")
    return endpoint.failed(excerpt(str(error).encode()))


def read_body(endpoint: Endpoint, blocks: Iterable[bytes], deadline: float) -> bytes:
    body = bytearray()
    for block in blocks:
        body += block
        if len(body) > LARGEST_BODY:
            raise endpoint.failed(f"the answer is longer than {LARGEST_BODY >> 20} MB")
        check_deadline(endpoint, deadline)
    return bytes(body)


def check_deadline(endpoint: Endpoint, deadline: float) -> None:
    """Raises EndpointError once the deadline (of time.monotonic) has passed."""
    if time.monotonic() > deadline:
        raise endpoint.failed(f"the answer took longer than {endpoint.deadline_s:g} s", "check the service's load")


def encodable(text: str) -> str:
    """The text without lone surrogates, which no request can carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def excerpt(body: bytes) -> str:
    """The head of a body on one line, for a message."""
    text = " ".join(body[: 4 * EXCERPT].decode("utf-8", "replace").split())
    return (text[:EXCERPT] + "…" if len(text) > EXCERPT else text) or "(empty)"
