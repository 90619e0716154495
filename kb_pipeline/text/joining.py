"""How the text of one line joins the next: space or none, and hyphens at line ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

SOFT_HYPHEN = "\u00ad"
HYPHENS = ("-", "\u2010", SOFT_HYPHEN)
# first parts of English compounds that keep their hyphen when a line breaks after it
_COMPOUND = re.compile(
    r"all|anti|cross|ex|full|half|high|inter|large|long|low|mid|multi|near|non|off|on|one|open|pre|"
    r"post|real|self|semi|short|single|small|state|sub|super|third|three|time|two|user|well|"
    r"nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_WORD_AT_END = re.compile(r"[^\W\d_]+$")
_WORD_AT_START = re.compile(r"[^\W\d_]+")


def spaceless(character: str) -> bool:
    """Whether a script writes without spaces at this character: Chinese, Japanese, and their punctuation."""
    code = ord(character)
    return (
        0x2E80 <= code <= 0x303F  # radicals, CJK punctuation
        or 0x3040 <= code <= 0x30FF  # kana
        or 0x3100 <= code <= 0x312F  # bopomofo
        or 0x31A0 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE4F
        or 0xFF00 <= code <= 0xFF60
        or 0x20000 <= code <= 0x3FFFF
    )


def separator(before: str, after: str) -> str:
    """What stands between two lines of one paragraph: nothing beside Chinese or Japanese, else one space."""
    if not before or not after or spaceless(before[-1]) or spaceless(after[0]):
        return ""
    return " "


def words(text: str) -> set[str]:
    """Words of a line, lower case, hyphenated ones whole: the vocabulary that `hyphen` asks."""
    return {word.lower() for word in _WORD.findall(text)}


def hyphen(before: str, after: str, vocabulary: Collection[str]) -> str:
    """What to do where a line ends with a hyphen: "" (no hyphen there), "drop" or "keep" (either way: no space).

    A soft hyphen is dropped. Another is dropped where lower-case letters follow letters, unless the document writes
    the hyphenated word itself, or the first part is one of the usual first parts of compounds. The document's own
    spelling without a hyphen decides first.
    """
    if not before.endswith(HYPHENS) or len(before) < 2 or not after:
        return ""
    if before.endswith(SOFT_HYPHEN):
        return "drop"
    head, tail = _WORD_AT_END.search(before[:-1]), _WORD_AT_START.match(after)
    if head is None or tail is None:
        return "keep" if before[-2].isalnum() and after[0].isalnum() else ""
    first, second = head.group().lower(), tail.group().lower()
    if unicodedata.category(after[0]) != "Ll":
        return "keep"
    if first + second in vocabulary:
        return "drop"
    compound = f"{first}-{second}"
    if _COMPOUND.fullmatch(first) or compound in vocabulary or before[: head.start()].endswith(HYPHENS):
        return "keep"
    return "drop"
