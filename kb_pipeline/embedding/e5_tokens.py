"""Tokens of the local embedding model: counts, ids and character ranges.

A text is composed (NFC), each character is replaced by the model's own map (NFKC forms, white space), and what no model
should see is removed: NUL and control characters, lone surrogates, variation selectors, soft hyphens. Words are then
cut by the Unigram model, each with a leading word mark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby

from tokenizers import Tokenizer, models, pre_tokenizers

from kb_pipeline.embedding.e5_weights import E5Weights

WORD_MARK = "▁"
GROUP_CHARACTERS = 4096  # longer texts are counted in groups of whole words of this size, in parallel
BREAKS = (0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85)  # control characters that part words
SOFT_HYPHEN = 0xAD
VARIATION_SELECTORS = range(0xFE00, 0xFE10)
SURROGATES = range(0xD800, 0xE000)
CONTROLS = (*range(0x20), *range(0x7F, 0xA0))


class E5Tokens:
    """The tokenizer; safe to use from many threads."""

    def __init__(self, weights: E5Weights):
        self._replacement: dict[int, str] = dict(weights.characters)
        for code in (*CONTROLS, *SURROGATES, *VARIATION_SELECTORS, SOFT_HYPHEN):
            self._replacement[code] = " " if code in BREAKS else ""
        self._tokenizer = Tokenizer(models.Unigram(weights.pieces(), weights.unknown_id, False))
        self._tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        )

    def ids(self, text: str) -> list[int]:
        """Token ids, without special tokens."""
        return self._tokenizer.encode(self._clean(text), add_special_tokens=False).ids

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text; empty and blank texts have 0."""
        groups = [(i, group) for i, text in enumerate(texts) for group in _groups(self._clean(text))]
        found = self._tokenizer.encode_batch_fast([group for _, group in groups], add_special_tokens=False)
        totals = [0] * len(texts)
        for (i, _), tokens in zip(groups, found, strict=True):
            totals[i] += len(tokens)
        return totals

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character range of `text` that each token covers, in order; bounds never go backwards.

        A word mark that is a token of its own covers nothing. Tokens of one character that expands to several
        (ligatures, U+FDFA) share its range.
        """
        clean, origin = self._clean_with_origin(text)
        tokens = self._tokenizer.encode(clean, add_special_tokens=False)
        found, last = [], 0
        for piece, (start, end) in zip(tokens.tokens, tokens.offsets, strict=True):
            first = max(last, origin[start][0])
            until = first if piece == WORD_MARK else max(first, origin[end - 1][1])
            found.append((first, until))
            last = first
        return found

    def _clean(self, text: str) -> str:
        if unicodedata.is_normalized("NFC", text):
            return text.translate(self._replacement)
        return "".join(composed for composed, _, _ in _composed(text)).translate(self._replacement)

    def _clean_with_origin(self, text: str) -> tuple[str, list[tuple[int, int]]]:
        """The cleaned text, and for each of its characters the range of `text` that it came from."""
        parts, origin = [], []
        for composed, start, end in _composed(text):
            part = composed.translate(self._replacement)
            parts.append(part)
            origin += [(start, end)] * len(part)
        return "".join(parts), origin


def _composed(text: str) -> list[tuple[str, int, int]]:
    """Each character with its marks, composed (NFC), with its range in `text`."""
    if unicodedata.is_normalized("NFC", text):
        return [(character, i, i + 1) for i, character in enumerate(text)]
    starts = [i for i, character in enumerate(text) if i == 0 or not _joins(character)]
    return [
        (unicodedata.normalize("NFC", text[a:b]), a, b) for a, b in zip(starts, [*starts[1:], len(text)], strict=True)
    ]


def _joins(character: str) -> bool:
    """Whether a character composes with the one before: a combining mark, or a Hangul vowel or final consonant."""
    return unicodedata.combining(character) > 0 or "\u1160" <= character <= "\u11ff"


def _groups(text: str) -> list[str]:
    """The text in pieces of whole words, so that their counts add up to its own."""
    if len(text) <= GROUP_CHARACTERS:
        return [text]
    numbered = ((i // GROUP_CHARACTERS, word) for i, word in _words(text))
    return [" ".join(word for _, word in group) for _, group in groupby(numbered, key=lambda pair: pair[0])]


def _words(text: str) -> list[tuple[int, str]]:
    return [(match.start(), match.group()) for match in re.finditer(r"\S+", text)]
