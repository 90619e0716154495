"""From the characters of one line, in the order in which they stand, to its text and character edges.

Pure functions on rows in the *reading frame*: `u` grows along the reading direction, whatever way the line is turned.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np

# A gap between two characters is a space from this share of the line's mean character width on.
SPACE_SHARE = 0.25
# Beside a Chinese character, spaces are wider: automatic spacing of a quarter em is none. Shares of the type size.
MIXED_GAP = 0.4
IDEOGRAPH_GAP = 0.9
# A space in the file counts only where there is a gap at all, measured by the type size.
HINTED_GAP = 0.08
# A justified line stretches the gaps between Chinese characters; so many of them tell by how much.
MIN_STRETCHED = 4
# A line is letter-spaced when this share of its gaps would be spaces; only gaps that stand out are then real.
SPACED_SHARE = 0.6
STAND_OUT = 1.6


@lru_cache(maxsize=65_536)
def is_ideographic(character: str) -> bool:
    """Han, kana and full-width forms: scripts that set no spaces between words (Hangul does)."""
    code = ord(character[0])
    return (
        0x2E80 <= code <= 0x312F
        or 0x3190 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE4F
        or 0xFF00 <= code <= 0xFFEF
        or 0x20000 <= code <= 0x3FFFF
    )


@lru_cache(maxsize=65_536)
def _direction(character: str) -> str:
    """`R`ight-to-left, `L`eft-to-right, `N`umber, or `-` for neutral."""
    kind = unicodedata.bidirectional(character[0])
    if kind in ("R", "AL", "RLE", "RLO", "RLI"):
        return "R"
    if kind == "L":
        return "L"
    return "N" if kind in ("EN", "AN") else "-"


def logical_order(texts: list[str]) -> tuple[list[int], bool]:
    """Indexes of characters given from left to right in the order in which they are read, and whether they mix
    directions.

    A line with more right-to-left than left-to-right letters is read from the right; runs of the other direction and
    numbers keep their own. Follows the Unicode bidirectional algorithm (UAX 9) as far as one level of embedding.
    """
    directions = [_direction(t) for t in texts]
    right = directions.count("R")
    if not right:
        return list(range(len(texts))), False
    base = "R" if right >= directions.count("L") else "L"
    resolved = _resolved(directions, texts, base)
    order = list(range(len(texts)))
    result: list[int] = []
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and resolved[end] == resolved[start]:
            end += 1
        run = order[start:end]
        if resolved[start] == "R":
            run = run[::-1]
        result = run + result if base == "R" else result + run
        start = end
    return result, len(set(resolved)) > 1


def _resolved(directions: list[str], texts: list[str], base: str) -> list[str]:
    """Each character's direction: numbers run left to right, neutrals take their neighbours' or the base's."""
    strong = ["L" if d == "N" else d for d in directions]
    for i, d in enumerate(strong):
        between = 0 < i < len(texts) - 1 and directions[i - 1] == directions[i + 1] == "N"
        if d == "-" and texts[i] in ".,:/-−" and between:
            strong[i] = "L"
    result = list(strong)
    i = 0
    while i < len(strong):
        if strong[i] != "-":
            i += 1
            continue
        end = i
        while end < len(strong) and strong[end] == "-":
            end += 1
        before = strong[i - 1] if i else base
        after = strong[end] if end < len(strong) else base
        result[i:end] = [before if before == after else base] * (end - i)
        i = end
    return result


def spaces_between(texts: list[str], start: np.ndarray, end: np.ndarray, size: float, hinted: list[bool]) -> list[bool]:
    """For each character from the second on, whether a space stands before it.

    `start`, `end`: [N] extents along the reading direction in points, by loose boxes. `hinted`: [N - 1], the file has
    a space there.
    """
    if len(texts) < 2:
        return []
    gaps = start[1:] - end[:-1]
    ideographic = np.array([is_ideographic(t) for t in texts])
    both = ideographic[1:] & ideographic[:-1]
    either = ideographic[1:] | ideographic[:-1]
    widths = (end - start)[~ideographic]
    width = float(widths.mean()) if len(widths) else size / 2
    stretch = max(0.0, float(np.median(gaps[both]))) if both.sum() >= MIN_STRETCHED else 0.0
    spaces = np.where(either, gaps >= MIXED_GAP * size, gaps - stretch > SPACE_SHARE * width)
    spaces |= np.array(hinted, dtype=bool) & (gaps - stretch > HINTED_GAP * size) & ~either
    spaces &= ~both
    plain = ~either
    if plain.sum() >= 4 and spaces[plain].mean() >= SPACED_SHARE:
        spaces[plain] = gaps[plain] > STAND_OUT * float(np.median(gaps[plain]))
    wide = both & (gaps >= IDEOGRAPH_GAP * size)
    if wide.any() and wide.sum() <= both.sum() / 2:
        spaces |= wide
    return spaces.tolist()


def text_and_edges(
    texts: list[str], start: np.ndarray, end: np.ndarray, spaces: list[bool]
) -> tuple[str, tuple[float, ...]]:
    """The line's text, and its len(text) + 1 character boundaries along the reading direction, never decreasing."""
    parts = [texts[0]] if texts else []
    edges = [float(start[0])] if texts else []
    for i in range(1, len(texts)):
        _extend(edges, len(texts[i - 1]), float(end[i - 1]) if spaces[i - 1] else float(end[i - 1] + start[i]) / 2)
        if spaces[i - 1]:
            parts.append(" ")
            _extend(edges, 1, float(start[i]))
        parts.append(texts[i])
    if texts:
        _extend(edges, len(texts[-1]), float(end[-1]))
    return "".join(parts), tuple(edges)


def _extend(edges: list[float], count: int, to: float) -> None:
    """Adds `count` boundaries between the last one and `to`."""
    last = edges[-1]
    to = max(to, last)
    edges += [round(last + (to - last) * k / count, 3) for k in range(1, count + 1)]
