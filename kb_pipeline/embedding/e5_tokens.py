"""Tokens of the local embedding model: counts, ids and character ranges.

A text is composed (NFC), each character is replaced by the model's own map (NFKC forms, white space), and what no model
should see is removed: NUL and control characters, lone surrogates, variation selectors, soft hyphens. Words are then
cut by the Unigram model, each with a leading word mark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain, pairwise

from tokenizers import Tokenizer, models, pre_tokenizers

from kb_pipeline.embedding.e5_weights import E5Weights

WORD_MARK = "▁"
ENDS = ",;:!?)。、…"  # after these and before a Chinese character a text can be cut for counting, see `_seam`
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
KNOWN_CHARACTERS = 4_000_000  # of units whose counts are kept; a document is counted about twice while it is cut
BREAKS = (0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85)  # control characters that part words
SOFT_HYPHEN = 0xAD
VARIATION_SELECTORS = range(0xFE00, 0xFE10)
SURROGATES = range(0xD800, 0xE000)
CONTROLS = (*range(0x20), *range(0x7F, 0xA0))


class E5Tokens:
    """The tokenizer; safe to use from many threads."""

    def __init__(self, weights: E5Weights):
        # every character of the basic plane, as one that is looked up in vain costs an exception
        self._replacement: dict[int, int | str] = {code: code for code in range(0x10000)} | weights.characters
        for code in (*CONTROLS, *SURROGATES, *VARIATION_SELECTORS, SOFT_HYPHEN):
            self._replacement[code] = " " if code in BREAKS else ""
        pieces = weights.pieces()
        model = models.Unigram(pieces, weights.unknown_id, False)
        self._units = Tokenizer(model)
        self._seam = _seam([piece for piece, _ in pieces])
        self._known: dict[str, int]
        self._room: int  # characters
        self.forget()
        self._tokenizer = Tokenizer(model)
        self._tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        )

    def ids(self, text: str) -> list[int]:
        """Token ids, without special tokens."""
        return self._tokenizer.encode(self._clean(text), add_special_tokens=False).ids

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text; empty and blank texts have 0.

        Words, and clauses of Chinese ones, are counted once each: no token reaches over their ends.
        """
        parted = [self._parted(self._clean(text)) for text in texts]
        known = self._known
        new = list(dict.fromkeys(unit for units in parted for unit in units if unit not in known))
        if new:
            length = sum(map(len, new))
            if length > self._room:
                self.forget()  # another thread goes on with the old ones
                known, new = self._known, list(dict.fromkeys(chain.from_iterable(parted)))
            self._room -= length
            found = self._units.encode_batch_fast(new, add_special_tokens=False)
            known.update(zip(new, map(len, found), strict=True))
        return [sum(map(known.__getitem__, units)) for units in parted]

    def forget(self) -> None:
        """Drop the counts that are kept."""
        self._known, self._room = {}, KNOWN_CHARACTERS

    def _clean(self, text: str) -> str:
        if unicodedata.is_normalized("NFC", text):
            return text.translate(self._replacement)
        return _composed(text).translate(self._replacement)

    def _parted(self, clean: str) -> list[str]:
        """Words of a cleaned text, each behind the word mark, and clauses of Chinese words."""
        if WORD_MARK in clean:  # it begins a word where it stands
            clean = re.sub(rf"(?<=\S){WORD_MARK}", " " + WORD_MARK, clean)
            return [word if word[0] == WORD_MARK else WORD_MARK + word for word in clean.split()]
        words = clean.split()
        if clean.isascii():
            return [WORD_MARK + word for word in words]
        return self._seam.sub(" ", " ".join([WORD_MARK + word for word in words])).split()


def _composed(text: str) -> str:
    """The text composed (NFC), each character with the marks that follow it."""
    starts = [i for i, character in enumerate(text) if i == 0 or not _joins(character)]
    return "".join(unicodedata.normalize("NFC", text[a:b]) for a, b in pairwise([*starts, len(text)]))


def _joins(character: str) -> bool:
    """Whether a character composes with the one before: a combining mark, or a Hangul vowel or final consonant."""
    return unicodedata.combining(character) > 0 or "\u1160" <= character <= "\u11ff"


def _seam(pieces: Sequence[str]) -> re.Pattern[str]:
    """Places before a Chinese character that no piece of the vocabulary reaches over, and no run of unknown characters:
    after a mark of ENDS that is a piece itself and stands before a Chinese character in none, and after the word mark,
    but for characters that follow it in a piece."""
    vocabulary, text = set(pieces), "\n".join(pieces)
    inner = set(re.findall(f"[{ENDS}](?=[{HAN}])", text))
    ends = "".join(c for c in ENDS + WORD_MARK if c in vocabulary and c not in inner)
    marked = "".join(sorted(set(re.findall(f"{WORD_MARK}([{HAN}])", text))))
    kept = f"(?!(?<={WORD_MARK})[{marked}])" if marked else ""
    return re.compile(f"(?<=[{ends}])(?=[{HAN}]){kept}" if ends else r"(?!)")
