"""Splitting text that is too long for a chunk, at the best boundary there is.

Boundaries by rank: sentence, clause, word (between two Chinese characters too), and where there is none of them, any
place that parts no grapheme cluster. A number, an identifier and a formula between dollar signs are only cut where
they are longer than a whole piece.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from kb_pipeline.tokenization.graphemes import between_clusters
from kb_pipeline.tokenization.sentences import sentence_ends

Range = tuple[int, int]
CountRanges = Callable[[list[Range]], list[int]]  # tokens of ranges of the text at hand

WINDOW = 0.5  # share of a piece's length, around its ideal end, in which the best boundary is taken

_CJK = (
    r"\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
_OPENING = "「『《〈（(【［[｛{“‘<"
_CLOSING = "」』》〉）)】］]｝}”’>，。、；：！？,.;:!?%％…—·"
_CLAUSE = re.compile(r"[，、：][”’」』》）】]*|[,:;][\"')\]]*\s+|\s\|\s|\s[-–—]\s|\n+")
_WORD = re.compile(rf"\s+|(?<=[{_CJK}])(?=[^\s])|(?<=\S)(?=[{_CJK}])")
_GLUED = re.compile(r"(?:[A-Z][A-Z/\-]*|\d[\d.,]*)\s$")  # a code's or number's part that a digit after a space goes on
_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+?\$|\\\[.+?\\\]|\\\(.+?\\\)", re.S)


def split_long(text: str, start: int, end: int, limit: int, count: CountRanges) -> list[Range]:
    """`text[start:end]` as ranges of at most `limit` tokens each, that follow each other without a gap.

    A range may stay above the limit only where it is one grapheme cluster.
    """
    sentences = _ranges(start, sentence_ends(text, start, end))
    counts = count(sentences)
    done: list[Range] = []
    for (a, b), tokens in zip(sentences, counts, strict=True):
        done += [(a, b)] if tokens <= limit else _split_sentence(text, a, b, tokens, limit, count)
    return done


def halves(text: str, start: int, end: int) -> list[Range]:
    """A range parted near its middle at the best boundary; one range where it cannot be parted."""
    return _ranges(start, _cuts(text, start, end, 2))


def _split_sentence(text: str, start: int, end: int, tokens: int, limit: int, count: CountRanges) -> list[Range]:
    done: list[Range] = []
    open_ranges: list[tuple[int, int, int]] = [(start, end, tokens)]
    while open_ranges:
        a, b, n = open_ranges.pop(0)
        parts = _ranges(a, _cuts(text, a, b, max(2, math.ceil(n / limit))))
        if len(parts) == 1:
            done.append((a, b))
            continue
        for (p, q), size in zip(parts, count(parts), strict=True):
            if size <= limit:
                done.append((p, q))
            else:
                open_ranges.append((p, q, size))
    return sorted(done)


def _cuts(text: str, start: int, end: int, parts: int) -> list[int]:
    """Ends of about equal parts of a range, each at the best boundary near its ideal place; the last is `end`."""
    length = (end - start) / parts
    ranked = boundaries(text, start, end)
    found: list[int] = []
    last = start
    for k in range(1, parts):
        ideal, reach = start + k * length, WINDOW * length
        window = (max(last + 1, ideal - reach), min(end - 1, ideal + reach))
        cut = _nearest(ranked, *window, ideal) or _nearest(ranked[1:], last + 1, end - 1, ideal)
        cut = cut or _between_clusters(text, *window, ideal) or _between_clusters(text, last + 1, end - 1, ideal)
        if cut:
            found.append(cut)
            last = cut
    return [*found, end]


def _nearest(ranked: Sequence[Sequence[int]], low: float, high: float, ideal: float) -> int | None:
    """The boundary of best rank between two places that lies nearest to the ideal one."""
    for places in ranked:
        near = places[bisect_left(places, low) : bisect_right(places, high)]
        if near:
            return min(near, key=lambda place: (abs(place - ideal), place))
    return None


def _between_clusters(text: str, low: float, high: float, ideal: float) -> int | None:
    """The place nearest to the ideal one that parts no grapheme cluster, where a number or word must be cut."""
    centre = int(ideal)
    for step in range(int(high - low) + 2):
        for place in (centre - step, centre + step):
            if low <= place <= high and between_clusters(text, place):
                return place
    return None


def boundaries(text: str, start: int, end: int) -> list[list[int]]:
    """Clause ends, word ends that glue nothing apart, and all word ends, each ascending and strictly inside."""
    formulas = [match.span() for match in _FORMULA.finditer(text, start, end)]
    starts = [a for a, _ in formulas]

    def free(place: int) -> bool:
        if not start < place < end or not between_clusters(text, place):
            return False
        at = bisect_right(starts, place) - 1
        return not (at >= 0 and formulas[at][0] < place < formulas[at][1])

    clauses = [m.end() for m in _CLAUSE.finditer(text, start, end) if free(m.end())]
    words = [m.end() for m in _WORD.finditer(text, start, end) if free(m.end())]
    fine = [place for place in words if _parts_words(text, place)]
    return [clauses, fine, words]


def _parts_words(text: str, place: int) -> bool:
    before, after = text[place - 1], text[place]
    if before in _OPENING or after in _CLOSING:
        return False
    return not (after.isdigit() and before.isspace() and _GLUED.search(text, max(0, place - 12), place))


def _ranges(start: int, ends: Sequence[int]) -> list[Range]:
    return list(zip([start, *ends[:-1]], ends, strict=True)) if ends else []
