"""Boxes of text: around two, and the part of one that some of its text takes."""

from __future__ import annotations

import unicodedata

from kb_pipeline.locators.place import Box

# A box is one line of text if its short side is at most this many times the side of the square that each of its
# characters gets: 1.1 for one line of Chinese, 1.6 for one of English, 2.2 and more for two lines of either.
ONE_LINE = 1.9


def box_around(a: Box, b: Box) -> Box:
    """The box around both."""
    return (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))


def part_of_box(box: Box, line: str, start: int, end: int) -> Box:
    """The box of `line[start:end]` in the box of a line of text; that of several lines stays whole."""
    x0, top, x1, bottom = box
    width, height = x1 - x0, bottom - top
    total = _advance(line)
    if width <= 0 or height <= 0 or not total:
        return box
    before, after = _advance(line[:start]) / total, _advance(line[:end]) / total
    side = (width * height / len(line)) ** 0.5
    if height <= ONE_LINE * side:
        return (x0 + before * width, top, x0 + after * width, bottom)
    if width <= ONE_LINE * side and height > width:  # vertical text
        return (x0, top + before * height, x1, top + after * height)
    return box


def _advance(text: str) -> float:
    """Width of a text in half-width characters, as type is set without knowing the font."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
