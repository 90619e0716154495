"""Splitting text that is too long for a chunk, at the best boundary there is.

Boundaries by rank: sentence, clause, word (between two Chinese characters too), and where there is none of them, any
place that parts no grapheme cluster. A number, an identifier and a formula between dollar signs are only cut where
they are longer than a whole piece.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

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
_CLAUSE = re.compile(  # what all forms begin with comes first: so the search skips what begins with none of it
    r"""[，、：,:;\s](?:(?<=[，、：])[”’」』》）】]*|(?<=[,:;])["')\]]*\s+|(?<=\s)[|\-–—]\s|(?<=\n)\n*)"""
)
_SPACE = re.compile(r"\s+")
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
    ranked = Boundaries(text, start, end)
    found: list[int] = []
    last = start
    for k in range(1, parts):
        ideal, reach = start + k * length, WINDOW * length
        window = (max(last + 1, ideal - reach), min(end - 1, ideal + reach))
        cut = _nearest(ranked, *window, ideal) or _nearest((ranked.fine, ranked.words), last + 1, end - 1, ideal)
        cut = cut or _between_clusters(text, *window, ideal) or _between_clusters(text, last + 1, end - 1, ideal)
        if cut:
            found.append(cut)
            last = cut
    return [*found, end]


def _nearest(ranked: Iterable[Sequence[int]], low: float, high: float, ideal: float) -> int | None:
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


class Boundaries:
    """Places strictly inside `text[start:end]` where it can be cut, by rank, each ascending and found when asked for.

    `clauses`: ends of clauses. `fine`: ends of words that glue nothing apart. `words`: ends of all words. Formulas are
    looked for up to `reach`.
    """

    def __init__(self, text: str, start: int, end: int, reach: int | None = None):
        self._text, self._start, self._end = text, start, end
        self._formulas = [match.span() for match in _FORMULA.finditer(text, start, reach or end)]
        piece = text[max(0, start - 1) : end + 1]
        self._is_plain = piece.isascii() and "\r" not in piece and not self._formulas

    def __iter__(self) -> Iterator[list[int]]:
        yield self.clauses
        yield self.fine
        yield self.words

    @cached_property
    def clauses(self) -> list[int]:
        return self._ends(_CLAUSE)

    @cached_property
    def fine(self) -> list[int]:
        return [place for place in self.words if _parts_words(self._text, place)]

    def last_fine(self, low: int, high: int) -> int:
        """The last of `fine` that is above `low` and not above `high`, 0 for none; the others are not looked for."""
        words = self.words[bisect_right(self.words, low) : bisect_right(self.words, high)]
        return next((place for place in reversed(words) if _parts_words(self._text, place)), 0)

    @cached_property
    def words(self) -> list[int]:
        return self._ends(_SPACE if self._is_plain else _WORD)

    def _ends(self, pattern: re.Pattern[str]) -> list[int]:
        ends = [match.end() for match in pattern.finditer(self._text, self._start, self._end)]
        inside = ends[bisect_right(ends, self._start) : bisect_left(ends, self._end)]
        return inside if self._is_plain else [place for place in inside if self._is_free(place)]

    def _is_free(self, place: int) -> bool:
        """Whether a place lies in no formula and parts no grapheme cluster."""
        at = bisect_right(self._formulas, (place,)) - 1 if self._formulas else -1
        return not (at >= 0 and place < self._formulas[at][1]) and between_clusters(self._text, place)


def _parts_words(text: str, place: int) -> bool:
    before, after = text[place - 1], text[place]
    if before in _OPENING or after in _CLOSING:
        return False
    return not (after.isdigit() and before.isspace() and _GLUED.search(text, max(0, place - 12), place))


def _ranges(start: int, ends: Sequence[int]) -> list[Range]:
    return list(zip([start, *ends[:-1]], ends, strict=True)) if ends else []
