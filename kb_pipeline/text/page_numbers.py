"""Texts shaped like a page number: `12`, `- 12 -`, `xiv`, `7-45`, `第 3 页 共 9 页`, `Page 3 of 9`."""

from __future__ import annotations

import re
import unicodedata

_NUMBER = re.compile(r"[-–—·•|~\s]*(\d{1,5})[-–—·•|~\s]*")
_ROMAN = re.compile(r"[-–—·\s]*(?=[ivxlc])(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})[-–—·\s]*", re.I)
_IN_CHAPTER = re.compile(r"(?:\d{1,2}|[A-Z])[-–]\d{1,3}")
_SPELLED = re.compile(
    r"(?:第\s*(\d{1,4})\s*页(?:\s*[,，/]?\s*共\s*\d{1,4}\s*页)?|共\s*\d{1,4}\s*页\s*[,，/]?\s*第\s*(\d{1,4})\s*页"
    r"|page\s*(\d{1,4})(?:\s*(?:of|/)\s*\d{1,4})?|p\.?\s*(\d{1,4})|(\d{1,4})\s*(?:of|/)\s*\d{1,4}(?:\s*页)?|[-–—]\s*(\d{1,4})\s*[-–—])",
    re.I,
)


def page_number(text: str) -> int | None:
    """The number of a line shaped like a page number; 0 for Roman numerals and for `7-45`; None for all else."""
    folded = unicodedata.normalize("NFKC", text).strip()
    match = _SPELLED.fullmatch(folded) or _NUMBER.fullmatch(folded)
    if match:
        return int(next(group for group in match.groups() if group))
    return 0 if _ROMAN.fullmatch(folded) or _IN_CHAPTER.fullmatch(folded) else None


def is_spelled_page_number(text: str) -> bool:
    """Whether a text says itself that it is a page number: `第 3 页`, `Page 3 of 9`, `- 3 -`."""
    return bool(_SPELLED.fullmatch(text))


def is_chapter_page_number(text: str) -> bool:
    """Whether a text is a page number within its chapter: `7-45`."""
    return bool(_IN_CHAPTER.fullmatch(text))
