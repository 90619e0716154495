"""What the reader of a native format gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kb_pipeline.records import ParsedDocument


@dataclass(frozen=True)
class NativeDocument:
    """A document, and the pictures of its figures by part name."""

    document: ParsedDocument
    pictures: Mapping[str, bytes] = field(default_factory=dict)
