"""Identifiers and numbers: found, told apart, brought to one spelling, and encoded as index tokens.

An identifier joins letters and digits (ZK305, ZK12-3, GB/T 13908-2020, CuFeS2) or long groups of digits (2023-017).
A number with a unit (12.5m, 5g/t) is a number and a word.
"""

from __future__ import annotations

import re

from kb_pipeline.tokenization.stopwords import ENGLISH

# An analyzer of the index splits tokens at all that is not alphanumeric. The punctuation of identifiers and numbers is
# therefore written with these letters, which are alphanumeric everywhere, have no case and occur in no text at hand,
# so that ZK12-3, ZK12/3 and ZK123 stay three different tokens.
_LETTERS = str.maketrans({"-": "ǀ", "/": "ǁ", "_": "ǂ", ".": "ǃ", "#": "ʘ"})

# Letters and digits joined by - _ / # anywhere, by a full stop between digits only ("2020.The" is two words).
COMPOUND = r"[a-z0-9]+(?:[-_/#][a-z0-9]+|(?<=[0-9])\.(?=[0-9])[a-z0-9]+)*"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_RUNS = re.compile(r"[a-z]+|\d+(?:\.\d+)*")
_SEPARATORS = re.compile(r"[-_/.#]")

_UNITS = """
m km cm dm mm nm um km2 m2 m3 cm2 cm3 mm2 kg g mg ug t kt mt l ml h hr hrs s ms min d a ma ga ka pa kpa mpa gpa
v kv mv w kw mw gw kwh hz khz mhz ghz k c f mol ppm ppb wt vol kn n j kj bar db px dpi pt kb mb gb tb ha mu ft oz
lb x st nd rd th
"""
_MEASURE = re.compile(r"(\d[\d.]*(?:-\d[\d.]*)?)([a-z]+\d?)((?:/[a-z]+\d?)*)")

# "ZK 305" written apart: two to four capitals, or small letters without a vowel, before digits.
_APART = re.compile(
    r"(?<![A-Za-z0-9/_-])([A-Z]{2,4}(?:/[A-Z]{1,2})?|[b-df-hj-np-tv-xz]{2,4}(?:/[a-z])?)[ \t\u00a0]{1,2}(?=\d)"
)
_NOT_JOINED = """
no fig tab vol page pp sec eq part item note step type unit year line area ch art rev ver day vs dr mr mrs jan
feb mar apr jun jul aug sep oct nov dec
"""
UNITS = frozenset(_UNITS.split())
NOT_JOINED = frozenset(_NOT_JOINED.split())

MIN_DIGITS = 5  # of an identifier without letters
MAX_RUNS = 6  # longer identifiers are searchable by their runs, not by every part in between
MAX_PARTS = 24
LONGEST_TOKEN = 64  # characters; keeps hashes and addresses out of the index


def joined(text: str) -> str:
    """Normalised text in lower case, with identifiers that are written apart joined: `ZK 305` gives `zk305`."""
    return _APART.sub(_join, text).lower()


def _join(match: re.Match[str]) -> str:
    prefix = match.group(1).lower()
    apart = prefix in NOT_JOINED or prefix in ENGLISH or (prefix in UNITS and match.group(1).islower())
    return match.group() if apart else match.group(1)


def split_measure(token: str) -> tuple[str, str]:
    """A number or range and its unit (`12.5m` gives `12.5` and `m`); the token and nothing if it is no such thing."""
    match = _MEASURE.fullmatch(token)
    if match and match.group(2) in UNITS:
        return match.group(1), match.group(2) + match.group(3)
    return token, ""


def is_id(token: str) -> bool:
    """Whether a compound is an identifier rather than a word or a number."""
    digits = sum(c.isdigit() for c in token)
    if any("a" <= c <= "z" for c in token):
        return digits > 0
    return digits >= MIN_DIGITS and not _NUMBER.fullmatch(token)


def is_number(token: str) -> bool:
    """Whether a compound is a number or a short range or fraction of numbers (`0.85`, `10-20`, `1/2`)."""
    return token[0].isdigit() and not is_id(token)


def parts(token: str) -> list[str]:
    """Everything that an identifier is also searched by, in canonical spelling: its runs and what they form in a row.

    `zk12-3` gives `zk`, `zk12`, `12`, `12-3`, `3`.
    """
    runs = [match.span() for match in _RUNS.finditer(token)]
    if len(runs) > MAX_RUNS:
        found = [token[a:b] for a, b in runs] + _SEPARATORS.split(token)
    else:
        found = [token[a:b] for i, (a, _) in enumerate(runs) for _, b in runs[i:]]
    return [part for part in dict.fromkeys(found) if part != token and len(part) <= LONGEST_TOKEN][:MAX_PARTS]


def index_token(token: str) -> str:
    """The alphanumeric spelling of an identifier or number, as it stands in the index."""
    return token.translate(_LETTERS)
