"""One row of a collection: a chunk, or a question that a chunk answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from kb_pipeline.errors import ChunkTooLong
from kb_pipeline.index.locators import stored_list, stored_locators
from kb_pipeline.index.schema import (
    IDENTIFIER_BYTES,
    IDENTIFIERS,
    JSON_BYTES,
    NAME_BYTES,
    PHRASE_BYTES,
    PHRASES,
    SECTIONS,
    TEXT_BYTES,
)
from kb_pipeline.index.vectors import row_vector
from kb_pipeline.records import Chunk, Enrichment, PageLocator
from kb_pipeline.tokenization.keys import ids, is_name
from kb_pipeline.tokenization.language import language
from kb_pipeline.tokenization.tokens import Tokenizer, tokenizer

NO_TOKEN = "kbnotoken"  # stands for a chunk without any: BM25 divides by the mean length of a collection's texts
# How often the tokens of a field count in full-text search, text counting once: BM25F (Robertson, Zaragoza, Taylor
# 2004) for fields of one saturation, by repetition, which every Milvus can do. For headings, 2 is the best mean over
# articles with titles, though 1 to 3 differ by less than 0.001 of nDCG; the others are taken to say as much as these.
HEADING_WEIGHT, KEYWORD_WEIGHT, QUESTION_WEIGHT = 2, 2, 2

ADDED = 1000  # ranges of a chunk that are not its own; 60 bytes of JSON each at most

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def chunk_row(
    document: str,
    version: str,
    chunk: Chunk,
    enrichment: Enrichment,
    vector: np.ndarray,
    offsets: Mapping[tuple[str, str], float],
    words: Tokenizer | None = None,
) -> dict[str, Any]:
    """The row of a chunk.

    Raises:
        ChunkTooLong: a text of more than 65,535 bytes.
    """
    text = _storable(chunk.text)
    if len(text.encode()) > TEXT_BYTES:
        raise ChunkTooLong(
            f"chunk {chunk.ordinal} has {len(text.encode()):,} bytes, the index takes {TEXT_BYTES:,}",
            document=document,
            page=_page(chunk),
            remedy="set chunking.chunk_tokens lower",
        )
    searched = "\n".join(_searched_text(chunk, enrichment))
    tokens = _token_fields(searched, words or tokenizer())
    return {
        "id": row_id(document, version, chunk),
        "document": document,
        "version": version,
        "ordinal": chunk.ordinal,
        "kind": chunk.kind,
        "page": _page(chunk),
        "tokens": chunk.tokens,
        "text": text,
        "summary": _clipped(enrichment.summary, TEXT_BYTES),
        "breadcrumb": stored_list([_storable(heading) for heading in chunk.breadcrumb], JSON_BYTES),
        "locators": stored_locators(chunk.locators, JSON_BYTES),
        "added": {"l": msgspec.to_builtins(chunk.added[:ADDED])},
        "picture": _clipped(chunk.picture, NAME_BYTES),
        "section_ids": list(chunk.section_ids[:SECTIONS]),
        "ids": _identifiers(searched),
        "keywords": _phrases(enrichment.keywords),
        "questions": _phrases(enrichment.questions),
        "tags": _phrases(enrichment.tags),
        **tokens,
        "dense": row_vector(vector, language(chunk.text), tokens["fine"].split(" "), offsets),
    }


def question_row(
    document: str,
    version: str,
    chunk: Chunk,
    number: int,
    question: str,
    vector: np.ndarray,
    offsets: Mapping[tuple[str, str], float],
    words: Tokenizer | None = None,
) -> dict[str, Any]:
    """The row of a question that a chunk answers: found by itself, shown as that chunk, beside the chunk's own row."""
    asked = msgspec.structs.replace(
        chunk,
        text=_clipped(question, TEXT_BYTES),
        breadcrumb=(),
        tokens=0,
        section_ids=(),
        locators=(),
        added=(),
        picture="",
    )
    row = chunk_row(document, version, asked, Enrichment(chunk.ordinal), vector, offsets, words)
    return {**row, "id": f"{row_id(document, version, chunk)}.q{number}", "page": _page(chunk)}


def row_id(document: str, version: str, chunk: Chunk) -> str:
    """The primary key of a chunk's row; that of a child names its parent, which is shown where the child is found."""
    number = f"{chunk.parent}.{chunk.ordinal}" if chunk.parent >= 0 else str(chunk.ordinal)
    return f"{document}:{version}:{number}"


def _searched_text(chunk: Chunk, enrichment: Enrichment) -> Iterator[str]:
    """What full-text search looks through: headings, the text, and what an LLM added, each as often as it counts."""
    yield from chunk.breadcrumb * HEADING_WEIGHT
    yield chunk.text
    yield from enrichment.keywords * KEYWORD_WEIGHT
    yield from enrichment.questions * QUESTION_WEIGHT
    yield enrichment.summary
    yield enrichment.description


def _token_fields(text: str, words: Tokenizer) -> dict[str, str]:
    terms = words.terms(text)
    return {
        "coarse": _token_field([term.token for term in terms]),
        "fine": _token_field([token for term in terms for token in (term.token, *term.parts)]),
    }


def _token_field(tokens: Sequence[str]) -> str:
    """Tokens joined by spaces, cut between tokens at the limit in bytes; the text itself is stored elsewhere."""
    return _clipped(" ".join(tokens) or NO_TOKEN, TEXT_BYTES, " ")


def _identifiers(text: str) -> list[str]:
    """Names first, since the first one is what a row is taken to be about."""
    return sorted((one for one in ids(text) if len(one) <= IDENTIFIER_BYTES), key=lambda one: not is_name(one))[
        :IDENTIFIERS
    ]


def _page(chunk: Chunk) -> int:
    return next((place.page for place in chunk.locators if isinstance(place, PageLocator)), 0)


def _phrases(phrases: Sequence[str]) -> list[str]:
    return [_clipped(phrase, PHRASE_BYTES) for phrase in phrases[:PHRASES]]


def _clipped(text: str, limit: int, boundary: str = "") -> str:
    """The longest head of at most `limit` bytes, cut between characters, or at `boundary` where one is given."""
    data = _storable(text).encode()
    if len(data) <= limit:
        return data.decode()
    head = data[:limit].decode("utf-8", "ignore")
    return head.rpartition(boundary)[0] or head if boundary else head


def _storable(text: str) -> str:
    """NUL and lone surrogates replaced, one for one: Milvus stores neither, and ranges must keep their meaning."""
    return _UNSTORABLE.sub("\ufffd", text)
