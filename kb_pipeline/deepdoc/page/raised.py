"""Raised and lowered figures of a line, told by smaller type on another baseline: 10⁵, 10⁻³, H₂O, m².

They are written in their Unicode forms, one for one, so that places and sums stay exact. Letters, which run into
nothing, stay as they are (1st), and so do formulas, whose layout is more than raised and lowered figures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from kb_pipeline.text.scripts import lowered_form, raised_form

SMALLER = 0.85  # times the line's type size, up to which type is raised or lowered
RAISED = 0.15  # type sizes by which the baseline of raised type lies higher at least (TeX 0.36, Word 0.33)
LOWERED = 0.07  # and that of lowered type deeper (TeX 0.15, Word 0.14)
FURTHEST = 0.8  # type sizes by which it lies higher or deeper at most: another line beyond
ASCENT = 0.8  # share of a loose box above its baseline
LONGEST = 6  # characters of a run; longer ones are small print
BEFORE = 0.15  # type sizes of space at most between a run and what it belongs to: less than between words
_FORMULA = re.compile(r"[=∑∫∏√≤≥≈∂∇]")
_WORD = re.compile(r"[^\W\d_]{3,}")
MIN_WORDS = 2  # words beside a relation sign from which a line is prose
_NUMBER = re.compile(r"(?<![\d.,])(?:\d[\d.,]*)?\d$")


def scripted(
    texts: Sequence[str], size: np.ndarray, across: np.ndarray, along: np.ndarray
) -> tuple[list[str], set[int]]:
    """A line's characters with raised and lowered figures in their forms, and where a note's mark begins.

    `size` [N] type sizes, `across` and `along` [N, 2] extents of loose boxes in points, from the line's top and along
    it. A mark is a raised number behind another number that it is no exponent of: `50 ¹²`.
    """
    base = float(np.sort(size)[len(size) // 2])
    small = size <= SMALLER * base
    if not small.any() or small.all() or _is_formula("".join(texts)):
        return list(texts), set()
    baseline = across[:, 0] + ASCENT * (across[:, 1] - across[:, 0])
    shift = (baseline - float(np.median(baseline[~small & (size <= base / SMALLER)]))) / base
    kinds = np.where(small & (shift <= -RAISED) & (shift >= -FURTHEST), -1, 0)
    kinds = np.where(small & (shift >= LOWERED) & (shift <= FURTHEST), 1, kinds)
    result, marks = list(texts), set()
    start = 0
    while start < len(texts):
        end = start
        while end < len(texts) and kinds[end] == kinds[start]:
            end += 1
        run = "".join(texts[start:end])
        beside = start > 0 and along[start, 0] - along[start - 1, 1] <= BEFORE * base
        if kinds[start] and beside and end - start <= LONGEST and any(map(str.isdigit, run)):
            form = raised_form if kinds[start] < 0 else lowered_form
            result[start:end] = [form(text) for text in texts[start:end]]
            following = texts[end] if end < len(texts) else ""
            if kinds[start] < 0 and run.isdigit() and _is_marked("".join(texts[max(0, start - 12) : start]), following):
                marks.add(start)
        start = end
    return result, marks


def _is_formula(text: str) -> bool:
    return bool(_FORMULA.search(text)) and len(_WORD.findall(text)) < MIN_WORDS


def _is_marked(before: str, following: str) -> bool:
    """Whether a raised number behind a number marks a note: powers are of ten or of one figure."""
    number = _NUMBER.search(before)
    return number is not None and len(number.group()) > 1 and number.group() != "10" and following not in "=+−-×*/^"
