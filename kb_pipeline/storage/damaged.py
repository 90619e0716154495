"""Records whose bytes are damaged (a disk that was full, a crash of old): taken for missing, and made again."""

from __future__ import annotations

import logging
from typing import TypeVar

import msgspec

from kb_pipeline.records import decode

log = logging.getLogger(__name__)
T = TypeVar("T")


def undamaged(data: bytes | None, kind: type[T], of: str) -> T | None:
    """The record in these bytes, None where there are none or they are damaged, which is logged. `of`: whose it is."""
    try:
        return decode(data, kind) if data else None
    except msgspec.DecodeError as error:
        log.warning("%s: a damaged %s in the store is taken for missing: %s", of, kind.__name__, error)
        return None
