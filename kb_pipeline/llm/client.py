"""Chat with any OpenAI-compatible endpoint: whole answers or a stream of text, never a silently shortened one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import openai

from kb_pipeline.endpoints.calls import Endpoint, check_deadline, encodable, fault, json_call, retried
from kb_pipeline.errors import EndpointError
from kb_pipeline.settings import LlmSettings, reveal

Message = dict[str, Any]  # {"role": …, "content": text or parts}, as the protocol has it

TEMPERATURE = 0.0  # answers rest on quoted passages: no invention, and the same question gives the same words
CUT_SHORT = {
    "length": ("the answer was cut at the model's length limit", "ask for less, or raise the model's output limit"),
    "content_filter": ("the service's content filter stopped the answer", "put the question in other words"),
}


class ChatClient:
    """A chat model; safe to use from many threads.

    Raises:
        EndpointError: llm.base_url or llm.model is not set.
    """

    def __init__(self, settings: LlmSettings):
        if not settings.base_url or not settings.model:
            raise EndpointError("no language model is set", remedy="set llm.base_url and llm.model")
        self.model = settings.model
        self._endpoint = Endpoint(
            "llm",
            settings.base_url,
            reveal(settings.api_key),
            settings.timeout_s,
            settings.deadline_s,
            settings.max_retries,
        )
        self._client = self._endpoint.client()

    def complete(self, messages: Sequence[Message]) -> str:
        """The whole answer.

        Raises:
            EndpointError: unreachable, refused, late, empty, cut short, or no answer of this protocol.
        """
        create = self._client.chat.completions.with_streaming_response.create
        data = json_call(
            self._endpoint, lambda: create(model=self.model, messages=_sendable(messages), temperature=TEMPERATURE)
        )
        choice = self._choice(data.get("choices"))
        message = choice.get("message")
        text = message.get("content") if isinstance(message, dict) else None
        self._check_finish(choice.get("finish_reason"))
        if not isinstance(text, str) or not text.strip():
            raise self._endpoint.failed("the answer holds no text", "check that llm.model is a chat model")
        return text

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """Pieces of the answer as they come. Faults before the first piece are tried again, later ones are not.

        Raises:
            EndpointError: as `complete`, also where the stream ends without saying that the answer did.
        """
        deadline = time.monotonic() + self._endpoint.deadline_s
        create = self._client.chat.completions.create
        events = retried(
            self._endpoint,
            lambda: create(model=self.model, messages=_sendable(messages), temperature=TEMPERATURE, stream=True),
            deadline,
        )
        if not hasattr(events, "close"):
            raise self._endpoint.failed("the answer is no stream of events")
        try:
            yield from self._pieces(events, deadline)
        except openai.OpenAIError as error:
            raise fault(self._endpoint, error) from error
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise self._endpoint.failed(f"an event of the stream cannot be read: {error}") from error
        finally:
            events.close()

    def _pieces(self, events: Any, deadline: float) -> Iterator[str]:
        finish, some = None, False
        for event in events:
            check_deadline(self._endpoint, deadline)
            for choice in (getattr(event, "choices", None) or ())[:1]:
                finish = choice.finish_reason or finish
                text = choice.delta.content if choice.delta else None
                if text:
                    some = True
                    yield text
        self._check_finish(finish)
        if not some:
            raise self._endpoint.failed("the answer holds no text", "check that llm.model is a chat model")

    def _choice(self, choices: object) -> dict[str, Any]:
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise self._endpoint.failed("the answer has no choices", "check that llm.model is a chat model")
        return choices[0]

    def _check_finish(self, reason: str | None) -> None:
        if reason in CUT_SHORT:
            raise self._endpoint.failed(*CUT_SHORT[reason])
        if reason is None:
            raise self._endpoint.failed("the answer broke off before its end")


def _sendable(messages: Sequence[Message]) -> list[Any]:
    """Messages as the protocol has them; openai types each role apart, callers here give plain dictionaries."""
    return [{k: encodable(v) if isinstance(v, str) else v for k, v in message.items()} for message in messages]
