"""Chinese words by the most probable cut under jieba's dictionary (MIT; words with their frequencies).

Only the dictionary file is used. jieba's own code would also guess at unknown words by their neighbours, so that a
name is cut one way in a question and another way in a passage; it imports pkg_resources, and it unmarshals a cache file
from a known name in the shared temporary folder.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from importlib.util import find_spec
from math import log
from pathlib import Path

USER_SCORE = -1.0  # log probability of a user's word: better than any cut of it

NAMES = frozenset({"nr", "ns", "nt", "nz"})  # parts of speech of persons, places, organisations, other names
_loading = threading.Lock()


class Segmenter:
    """Cuts runs of Chinese characters into words.

    `scores`: log probability of each word; `unknown`: that of a single character which is no word.
    """

    def __init__(self, scores: dict[str, float], unknown: float):
        self.scores, self.unknown = scores, unknown
        self._longest: dict[str, int] = {}  # length of the longest word that begins with these two characters
        longest = self._longest
        for word in scores:
            if len(word) > longest.get(word[:2], 1):
                longest[word[:2]] = len(word)

    def cut(self, run: str) -> list[str]:
        """The words of a run; among equally probable cuts the one with the longer first word."""
        size = len(run)
        best = [0.0] * (size + 1)
        ends = [0] * size
        scores, longest, unknown = self.scores, self._longest, self.unknown
        for start in range(size - 1, -1, -1):
            top, top_end = scores.get(run[start], unknown) + best[start + 1], start + 1
            for end in range(start + 2, min(size, start + longest.get(run[start : start + 2], 1)) + 1):
                score = scores.get(run[start:end])
                if score is not None and score + best[end] >= top:
                    top, top_end = score + best[end], end
            best[start], ends[start] = top, top_end
        words, start = [], 0
        while start < size:
            words.append(run[start : ends[start]])
            start = ends[start]
        return words

    def with_words(self, words: tuple[str, ...]) -> Segmenter:
        """A segmenter that keeps these words whole too."""
        return Segmenter({**self.scores, **dict.fromkeys(words, USER_SCORE)}, self.unknown)


def segmenter(user_words: tuple[str, ...] = ()) -> Segmenter:
    """The segmenter with the user's words, loaded once per process."""
    with _loading:
        return _extended(user_words) if user_words else _base()


@lru_cache(maxsize=1)
def _base() -> Segmenter:
    fields = _dictionary_file().read_text("utf-8").split()  # word, count and part of speech, 349,000 times
    counts = dict(zip(fields[::3], map(int, fields[1::3]), strict=True))
    total = log(sum(counts.values()))
    logs = {count: log(count or 1) - total for count in set(counts.values())}
    return Segmenter({word: logs[count] for word, count in counts.items()}, -total)


@lru_cache(maxsize=1)
def proper_nouns() -> frozenset[str]:
    """Names of persons, places, organisations and others in the dictionary, of two characters and more."""
    fields = _dictionary_file().read_text("utf-8").split()
    kinds = zip(fields[::3], fields[2::3], strict=True)
    return frozenset(word for word, kind in kinds if kind[:2] in NAMES and len(word) > 1)


@lru_cache(maxsize=8)
def _extended(words: tuple[str, ...]) -> Segmenter:
    return _base().with_words(words)


def _dictionary_file() -> Path:
    spec = find_spec("jieba")  # finds the package without importing it
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("jieba is not installed: it holds the dictionary of words", name="jieba")
    return Path(spec.origin).with_name("dict.txt")
