"""The last answer of this installation, so that `kb trace --citation N` can follow it."""

from __future__ import annotations

import os

from kb_pipeline.errors import UsageError
from kb_pipeline.records import Answer, Citation, Record, decode, encode
from kb_pipeline.settings import home, make_home

FILE = "last_answer.json"


class LastAnswer(Record, frozen=True):
    """An answer and the name of the knowledge base that gave it."""

    kb: str
    answer: Answer


def remember(kb: str, answer: Answer) -> None:
    """Keep an answer until the next one."""
    target = make_home(home()) / FILE
    partial = target.with_name(f"{FILE}.{os.getpid()}")
    partial.write_bytes(encode(LastAnswer(kb, answer)))
    os.replace(partial, target)


def recall(number: int) -> tuple[str, Citation]:
    """Knowledge base and citation `number` of the last answer.

    Raises:
        UsageError: nothing was asked yet, or the answer has no such citation.
    """
    try:
        last = decode((home() / FILE).read_bytes(), LastAnswer)
    except FileNotFoundError:
        raise UsageError("there is no answer yet", remedy="`kb ask` gives one") from None
    for citation in last.answer.citations:
        if citation.n == number:
            return last.kb, citation
    raise UsageError(f"the last answer has no citation {number}", remedy=f"it has {len(last.answer.citations)}")
