"""One spelling for matching: NFKC, simplified characters, plain hyphens, no accents. Index and query share it."""

from __future__ import annotations

import re
import unicodedata

from kb_pipeline.tokenization.simplified import SIMPLIFIED

# Hyphens, dashes and minus signs: standards and drill holes are printed with any of them.
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹘﹣－⁻", "-"))
# NFKC would glue these to the number before them: 10² is not 102, 2½ is not 21/2.
_POWER = re.compile(r"(?<=\d)(?=[⁰¹²³⁴-⁹⁺⁻])")
_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")  # 1,234,567
_ACCENTS = re.compile("[\u0300-\u036f]+")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b", re.IGNORECASE)


def normalised(text: str) -> str:
    """The text as all matching sees it, case kept (identifiers written apart are told by their capitals)."""
    if text.isascii():
        return _grouped(_POSSESSIVE.sub("", text))
    text = unicodedata.normalize("NFKC", _FRACTION.sub(" ", _POWER.sub("^", text)).translate(_DASHES))
    text = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))
    return _grouped(_POSSESSIVE.sub("", text.translate(SIMPLIFIED)))


def _grouped(text: str) -> str:
    return _GROUPED.sub(lambda match: match.group().replace(",", ""), text) if "," in text else text
