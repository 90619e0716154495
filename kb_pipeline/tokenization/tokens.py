"""Two granularities of tokens, the same for index and query.

`coarse` holds words: dictionary words, pairs of neighbouring characters that form no dictionary word, English stems,
whole identifiers and numbers. `fine` holds these and their parts (pairs and shorter words within a long word, single
characters, runs of an identifier) and the pairs of characters across words, so that a word is found in a passage that
was cut otherwise. Stop words are in neither. Every token is alphanumeric, at most 64 characters long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from kb_pipeline.tokenization.identifiers import (
    COMPOUND,
    LONGEST_TOKEN,
    index_token,
    is_id,
    is_number,
    parts,
    split_measure,
)
from kb_pipeline.tokenization.keys import folded, placed_keys
from kb_pipeline.tokenization.normalise import normalised
from kb_pipeline.tokenization.segmenter import Segmenter, segmenter
from kb_pipeline.tokenization.stemming import stem
from kb_pipeline.tokenization.stopwords import STOP_WORDS

HAN = "\u3400-\u4dbf\u4e00-\u9fff々〇\U00020000-\U0002a6df\U0002a700-\U0002ebe0\U00030000-\U0003134a"
_TOKEN = re.compile(rf"(?P<han>[{HAN}]+)|(?P<compound>{COMPOUND})|(?P<other>[^\W_a-z0-9{HAN}]+)")
_MIN_SPLIT = 3  # characters of a word that has parts

Kind = Literal["chinese", "word", "number", "id"]


@dataclass(frozen=True)
class Term:
    """A coarse token with the finer tokens inside it (none of them the token itself).

    `link`: the pair of characters across this Chinese word and the next one, empty where there is none.
    """

    token: str
    kind: Kind
    parts: tuple[str, ...] = ()
    link: str = ""


class Tokenizer:
    """Tokens with a knowledge base's own words.

    Args:
        user_words: Chinese words that are kept whole, in any spelling.
    """

    def __init__(self, user_words: Iterable[str] = ()):
        self.user_words = tuple(dict.fromkeys(w for w in (normalised(u).lower().strip() for u in user_words) if w))

    @property
    def words(self) -> Segmenter:
        """The dictionary, loaded on first use."""
        return segmenter(self.user_words)

    def terms(self, text: str) -> list[Term]:
        """Terms of a text in order, repeated as often as they occur."""
        found: list[Term] = []
        text = folded(text)
        stored = [key for key in placed_keys(text) if key.stored and key.kind != "identifier"]
        waiting = iter([*stored, None])
        key, end = next(waiting), 0
        for match in _TOKEN.finditer(text):
            token = match.group()
            while key and key.start <= match.start():
                found.append(Term(index_token(key.token), "id", tuple(map(index_token, key.parts))))
                key, end = next(waiting), key.end
            if match.start() < end and match.lastgroup == "compound" and is_id(split_measure(token)[0]):
                continue  # the key's own digits and letters, under its canonical spelling already
            if match.lastgroup == "han":
                found += self._chinese(token)
            elif match.lastgroup == "compound":
                found += _compound(token)
            elif token not in STOP_WORDS:
                found.append(Term(token[:LONGEST_TOKEN], "word"))
        return found

    def coarse(self, text: str) -> list[str]:
        """Words, whole identifiers and numbers, in order."""
        return [term.token for term in self.terms(text)]

    def fine(self, text: str) -> list[str]:
        """The coarse tokens, each followed by its parts and its link."""
        return [token for term in self.terms(text) for token in (term.token, *term.parts, term.link) if token]

    def _chinese(self, run: str) -> list[Term]:
        words = self.words.cut(run)
        kept = [word if word not in STOP_WORDS else "" for word in words] + [""]
        found: list[Term] = []
        for i, word in enumerate(kept[:-1]):
            if not word:
                continue
            before, after = kept[i - 1] if i else "", kept[i + 1]
            link = word[-1] + after[0] if after else ""
            if len(word) > 1 or (len(before) != 1 and len(after) != 1):
                found.append(Term(word[:LONGEST_TOKEN], "chinese", self._inside(word), link))
            elif len(after) == 1:  # neighbouring single characters: an unknown word, whose pairs are terms
                found.append(Term(link, "chinese", (word,)))
            else:
                found[-1] = Term(found[-1].token, "chinese", (*found[-1].parts, word), link)
        return found

    def _inside(self, word: str) -> tuple[str, ...]:
        """Every pair of neighbouring characters, and the shorter dictionary words of three or more."""
        if len(word) < _MIN_SPLIT:
            return ()
        known, length = self.words.scores, len(word)
        longer = (word[i : i + n] for n in range(3, min(length, LONGEST_TOKEN)) for i in range(length - n + 1))
        pairs = (word[i : i + 2] for i in range(length - 1))
        return tuple(dict.fromkeys((*pairs, *(part for part in longer if part in known))))


def _compound(token: str) -> list[Term]:
    token, unit = split_measure(token)
    found = []
    if is_number(token):
        found.append(Term(index_token(token[:LONGEST_TOKEN]), "number"))
    elif is_id(token):
        inside = [index_token(stem(part)) for part in parts(token)]
        if len(token) <= LONGEST_TOKEN:
            found.append(Term(index_token(token), "id", tuple(dict.fromkeys(inside))))
        else:
            found += [Term(part, "word") for part in dict.fromkeys(inside)]
    else:
        found += _words(token)
    return found + _words(unit)


def _words(compound: str) -> list[Term]:
    words = (word for word in re.split(r"[^a-z0-9]+", compound) if word and word not in STOP_WORDS)
    return [Term(stem(word[:LONGEST_TOKEN]), "word") for word in words]


@lru_cache(maxsize=8)
def tokenizer(user_words: tuple[str, ...] = ()) -> Tokenizer:
    """The tokenizer with these words, one per process; without any, the default one."""
    return Tokenizer(user_words)


def coarse(text: str) -> list[str]:
    """Coarse tokens by the default tokenizer."""
    return tokenizer().coarse(text)


def fine(text: str) -> list[str]:
    """Fine tokens by the default tokenizer."""
    return tokenizer().fine(text)
