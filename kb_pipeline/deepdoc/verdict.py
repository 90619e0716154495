"""Whether a page's character layer can be trusted: clean, garbled, scan, scan noise or blank, with the figures."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from kb_pipeline.deepdoc.characters import INVISIBLE, Characters
from kb_pipeline.records import Verdict

# Share of characters that cannot be right (private use, replacement, controls, unassigned) on a garbled page / line.
GARBAGE_PAGE = 0.3
GARBAGE_LINE = 0.5
# Images over this share of the page make it a scan when they carry the text.
SCAN_COVERAGE = 0.5


def page_verdict(characters: Characters, picture_coverage: float, drawings: int = 0) -> Verdict:
    """The label of a page, and the figures that led to it.

    `picture_coverage`: share of the page that images cover; `drawings`: number of vector paths that show.
    """
    seen = characters.take(characters.seen)
    hidden = int((characters.dropped == INVISIBLE).sum())
    garbage = garbage_share("".join(seen.text.tolist()))
    figures = {
        "characters": float(len(characters)),
        "seen": float(len(seen)),
        "hidden": float(hidden),
        "picture_coverage": round(picture_coverage, 4),
        "drawings": float(drawings),
        "garbage": round(garbage, 4),
        "unmapped": round(float(seen.unmapped.mean()) if len(seen) else 0.0, 4),
    }
    if not len(seen):
        blank = picture_coverage <= 0 and not drawings and not hidden
        return Verdict("blank" if blank else "scan", figures)
    if hidden > 4 * len(seen) and picture_coverage >= SCAN_COVERAGE:
        return Verdict("scan", figures)
    return Verdict("garbled" if garbage >= GARBAGE_PAGE else "clean", figures)


def line_is_garbled(text: str, unmapped: Sequence[bool] | np.ndarray = ()) -> bool:
    """Whether most of a line's characters cannot be right. `unmapped`: for each, the font does not name it."""
    return garbage_share(text) >= GARBAGE_LINE


def garbage_share(text: str) -> float:
    """Share of the non-space characters of a text that cannot be right."""
    letters = re.sub(r"\s", "", text)
    return sum(map(_is_garbage, letters)) / len(letters) if letters else 0.0


def _is_garbage(character: str) -> bool:
    return character == "\ufffd" or unicodedata.category(character) in ("Co", "Cc", "Cs", "Cn")
