"""Keys: what a question asks for by name or value and a passage must hold to answer it.

Identifiers, dates, versions, numbered clauses, tables and figures, quantities with their sign and unit, and bare
numbers that stand for something (codes, years). Each is brought to one spelling; index and query share it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from kb_pipeline.tokenization.dates import dates
from kb_pipeline.tokenization.identifiers import COMPOUND, LONGEST_TOKEN, is_id, joined, parts, split_measure
from kb_pipeline.tokenization.normalise import normalised
from kb_pipeline.tokenization.numerals import NUMERAL, number
from kb_pipeline.tokenization.quantities import quantities

Kind = Literal["identifier", "date", "version", "clause", "quantity", "number", "year"]

MIN_SOUGHT_DIGITS = 2  # of an identifier that is no formula (CO2, H2O) and no common name (MP3, 5G)
NEARBY = 20  # characters before a quantity in which a word makes it a bound
CODE_DIGITS = 4  # of a bare number that stands for something by itself; below, a word such as "code" must say so
_COMPOUND = re.compile(COMPOUND)
_HINT = re.compile(r"\d|[第年负]|百分之")  # one of these is in every key
_VERSION = re.compile(
    r"(?<![a-z0-9._/#-])(?P<named>v\.?[ \t]?|ver(?:sion|\.)?[ \t]*|版本(?:号)?[ \t]*[:为是]?[ \t]*v?)?"
    r"(?P<number>\d+(?:\.\d+){1,3})(?![a-z0-9%‰]|\.\d|[-_/#][a-z0-9])"
)
_CLAUSES = {"条": "art", "章": "chap", "节": "sec", "编": "part", "部分": "part", "款": "par", "项": "item"}
_CLAUSE = re.compile(rf"第[ \t]*(?P<number>\d+(?:[.-]\d+)*|[{NUMERAL}]+)[ \t]*(?P<kind>条|章|节|编|部分|款|项)")
_NUMBERED = {
    "article": "art", "art": "art", "clause": "art", "section": "sec", "sec": "sec", "chapter": "chap", "part": "part",
    "table": "tab", "tab": "tab", "表": "tab", "figure": "fig", "fig": "fig", "图": "fig", "paragraph": "par",
}  # fmt: skip
_ENGLISH = re.compile(
    r"(?:(?<![a-z0-9])"
    r"(?P<word>article|art\.|clause|section|sec\.|chapter|part|table|tab\.|figure|fig\.|paragraph)[ \t]*"
    r"|(?P<sign>[表图])[ \t]?)(?P<number>\d+(?:[.-]\d+)*)(?![a-z0-9]|\.\d)"
)
_NAMED_NUMBER = re.compile(
    r"(?:代码|编号|编码|代号|型号|工号|批号|单号|序号|货号|号码|合同号|订单号|报警|故障|code|number|no\.|id|error|fault|alarm"
    r"|order|batch|lot|model|invoice|serial)[ \t]*(?:为|是|:|#)?[ \t]*(\d+)(?![\d.a-z%]|[ \t]?[年月日])"
)
_BARE = re.compile(rf"(?<![a-z0-9._/#-])\d{{{CODE_DIGITS},{LONGEST_TOKEN}}}(?![a-z0-9%‰]|[-._/#][a-z0-9])")
_LOOSE = re.compile(r"q_(?:s|pct)_|(?:sec|part|par|item)_")
_BOUND_BEFORE = re.compile(
    r"(?:超过|超出|大于|小于|高于|低于|多于|少于|不足|至少|至多|达到|相差|每|[><≥≤~±]|\b(?:above|over|below|under|exceed(?:s|ing)?|than|least"
    r"|most|between|within|up to|per|every|each|by|about|around))[ \t]*$"
)
_BOUND_AFTER = re.compile(r"[ \t]*(?:以上|以下|以内|以外|左右|上下|之间|or (?:more|less|above|below|higher|lower)\b)")
_VALUE = re.compile(r"(?:q|art|chap|sec|part|par|item|tab|fig)_|(?:19|20)\d\d-\d\d(?:-\d\d)?$")
_YEAR = re.compile(r"(?:19|20)\d\d")
_REWORDED = re.compile(
    r"(?:(?:19|20)?\d\d[-/]?)?[qh][1-4]|(?:19|20)\d\d[-/](?:19|20)?\d\d|(?:19|20)\d\d[a-z]{1,2}|[a-z]{2,4}(?:19|20)\d\d(?:-(?:\d\d)?\d\d)?"
    r"|\d+(?:st|nd|rd|th)?-[a-z]{3,}[a-z0-9-]*"
)  # 2023Q1, 2019-2020


class Key(NamedTuple):
    """A key of a text: `token` in canonical spelling, `said` as it stands in the folded text, `parts` what else it is
    searched by. `bound`: a limit or a difference (above 1.6 MPa, 1.6 MPa or more), which a passage need not name."""

    token: str
    kind: Kind
    said: str
    start: int
    end: int
    parts: tuple[str, ...] = ()
    bound: bool = False

    @property
    def stored(self) -> bool:
        """Whether rows of the index list it; bare numbers are only among their tokens."""
        return self.kind not in ("number", "year")

    @property
    def sought(self) -> bool:
        """Whether a passage that does not hold it cannot answer: not so for bounds, and for what is usually said in
        other words as well (quarters, formulas such as CO2, durations, shares, sections)."""
        if self.bound or _LOOSE.match(self.token):
            return False
        digits = sum(map(str.isdigit, self.token))
        return self.kind != "identifier" or (digits >= MIN_SOUGHT_DIGITS and not _REWORDED.fullmatch(self.token))


def folded(text: str) -> str:
    """The text as keys are looked for in it."""
    return joined(normalised(text))


def keys(text: str) -> list[Key]:
    """Keys of a text, each spelling once, in order of their places; longer ones win where places overlap."""
    found: dict[str, Key] = {}
    for key in placed_keys(folded(text)):
        found.setdefault(key.token, key)
    return list(found.values())


def ids(text: str) -> list[str]:
    """Canonical spellings of the keys that rows of the index list: `ZK 305`, `zk305` and `ＺＫ３０５` all give `zk305`,
    5 March 2024 gives `2024-03-05`."""
    return [key.token for key in keys(text) if key.stored]


def is_name(token: str) -> bool:
    """Whether a stored key names a thing, as identifiers and versions do, and not a clause, a date or a value."""
    return not _VALUE.match(token)


def placed_keys(text: str) -> list[Key]:
    """Keys of a folded text with their places, in order; no two overlap."""
    if not _HINT.search(text):
        return []
    found: list[Key] = []
    taken = bytearray(len(text))
    for finder in (_dates, _clauses, _quantities, _versions, _identifiers, _numbers):
        for key in finder(text):
            if not any(taken[key.start : key.end]):
                taken[key.start : key.end] = b"\1" * (key.end - key.start)
                found.append(key)
    return sorted(found, key=lambda key: key.start)


def _dates(text: str) -> Iterator[Key]:
    for start, end, token in sorted(dates(text), key=lambda one: (one[0] - one[1], one[0])):
        yield Key(token, "date", text[start:end], start, end, tuple(parts(token)))


def _clauses(text: str) -> Iterator[Key]:
    for match in _CLAUSE.finditer(text):
        said = match["number"]
        value = said if said[0].isascii() else number(said)
        if value is not None:
            yield Key(f"{_CLAUSES[match['kind']]}_{value}", "clause", match.group(), *match.span())
    for match in _ENGLISH.finditer(text):
        word = (match["word"] or match["sign"]).rstrip(".")
        yield Key(f"{_NUMBERED[word]}_{match['number']}", "clause", match.group(), *match.span())


def _quantities(text: str) -> Iterator[Key]:
    named = {
        place
        for match in _COMPOUND.finditer(text)
        if is_id(split_measure(match.group())[0])
        for place in range(match.start() + 1, match.end())
    }
    for start, end, token in quantities(text):
        digits = start + next(i for i, c in enumerate(text[start:end]) if c.isdigit())
        if len(token) <= LONGEST_TOKEN and digits not in named and end not in named:
            bound = _BOUND_BEFORE.search(text, max(0, start - NEARBY), start) or _BOUND_AFTER.match(text, end)
            yield Key(token, "quantity", text[start:end].strip(), start, end, bound=bool(bound))


def _versions(text: str) -> Iterator[Key]:
    for match in _VERSION.finditer(text):
        levels = match["number"].count(".")
        if match["named"] or levels > 1:
            token = match["number"] if levels > 1 else f"v{match['number']}"
            yield Key(token, "version", match.group(), *match.span())


def _identifiers(text: str) -> Iterator[Key]:
    for match in _COMPOUND.finditer(text):
        token = split_measure(match.group())[0]
        if is_id(token) and len(token) <= LONGEST_TOKEN:
            end = match.start() + len(token)
            yield Key(token, "identifier", text[match.start() : end], match.start(), end, tuple(parts(token)))


def _numbers(text: str) -> Iterator[Key]:
    for match in _NAMED_NUMBER.finditer(text):
        yield Key(match[1], "number", match[1], *match.span(1))
    for match in _BARE.finditer(text):
        kind: Kind = "year" if _YEAR.fullmatch(match.group()) else "number"
        yield Key(match.group(), kind, match.group(), *match.span())
