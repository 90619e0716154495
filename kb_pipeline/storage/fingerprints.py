"""Hashes that tell whether work must be done again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

HASH_BYTES = 16  # 128 bits: no accidental collision in any corpus, 32 hex digits in names


def content_hash(data: bytes) -> str:
    """Hash of bytes."""
    return hashlib.blake2b(data, digest_size=HASH_BYTES).hexdigest()


def value_hash(*parts: Any) -> str:
    """Hash of plain JSON values, independent of the order of keys."""
    return content_hash(json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode())


def parts_hash(parts: Mapping[str, str]) -> str:
    """Content hash of an artefact from its parts' names and hashes: the artefact's data version."""
    return value_hash(sorted(parts.items()))
