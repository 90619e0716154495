"""Collection names of knowledge bases: three prefixes that no two names can share.

| knowledge base's name                              | collection                  | reversed by          |
| -------------------------------------------------- | --------------------------- | -------------------- |
| lower-case ASCII letters, digits, `_`; short enough | `kbn_<name>`                | cutting the prefix   |
| any other, its hex short enough                    | `kb_<hex of its UTF-8>`     | decoding the hex     |
| longer than that                                   | `kb_h_<sha256 of its UTF-8>` | whoever keeps the name |

Upper case goes the hex way: SQLite, under Milvus Lite, knows table names only without regard to case. `h` is no hex
digit, so the second and third form never meet.
"""

from __future__ import annotations

import hashlib
import re

MAX_LENGTH = 255  # characters of a collection name, Milvus' limit

PLAIN, HEX, HASHED = "kbn_", "kb_", "kb_h_"

_PLAIN = re.compile(r"[a-z0-9_]+")
_HEX = re.compile(r"(?:[0-9a-f]{2})+")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def collection_name(name: str) -> str:
    """The collection of a knowledge base: `[A-Za-z_][A-Za-z0-9_]*`, at most 255 characters, one for each name.

    Raises:
        ValueError: an empty name, or one that is not Unicode text (lone surrogates).
    """
    if not name:
        raise ValueError("a knowledge base needs a name")
    if _PLAIN.fullmatch(name) and len(PLAIN) + len(name) <= MAX_LENGTH:
        return PLAIN + name
    data = name.encode("utf-8")
    if len(HEX) + 2 * len(data) <= MAX_LENGTH:
        return HEX + data.hex()
    return HASHED + hashlib.sha256(data).hexdigest()


def numbered_collection_name(name: str, number: int) -> str:
    """A further collection for a name, by hash: its first one may belong to a knowledge base that was renamed."""
    return HASHED + hashlib.sha256(f"{name}\0{number}".encode()).hexdigest()


def beside_collection_name(collection: str, key: str) -> str:
    """A collection beside another one of the same knowledge base, for rows that must not be mixed with its rows."""
    return HASHED + hashlib.sha256(f"{collection}\0{key}".encode()).hexdigest()


def knowledge_base_name(collection: str) -> str | None:
    """The knowledge base of a collection; None where the collection is none of ours, or a hash."""
    if collection.startswith(PLAIN):
        name = collection.removeprefix(PLAIN)
    else:
        name = _from_hex(collection.removeprefix(HEX)) if collection.startswith(HEX) else ""
    return name if name and collection_name(name) == collection else None


def is_collection_name(collection: str) -> bool:
    """Whether a collection is named as `collection_name` does; a server may hold others."""
    hashed = collection.startswith(HASHED) and _DIGEST.fullmatch(collection.removeprefix(HASHED))
    return bool(hashed) or knowledge_base_name(collection) is not None


def _from_hex(digits: str) -> str:
    if not _HEX.fullmatch(digits):
        return ""
    try:
        return bytes.fromhex(digits).decode("utf-8")
    except UnicodeDecodeError:
        return ""
