"""Dates in any usual form, brought to one: 2024-03-05, and 2024-03 where no day is given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from kb_pipeline.tokenization.numerals import NUMERAL, number

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_BEFORE, _AFTER = (
    r"(?<![a-z0-9._/#-])",
    r"(?![a-su-z0-9]|[-._/#][a-z0-9])",
)  # no part of an identifier; a time may follow
_SHAPES = [
    re.compile(shape)
    for shape in (
        rf"{_BEFORE}{_YEAR}(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}}){_AFTER}",
        rf"{_BEFORE}{_YEAR}(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01]){_AFTER}",
        rf"{_BEFORE}{_YEAR}[-/](?P<month>0[1-9]|1[0-2]){_AFTER}",
        rf"(?P<year>(?<!\d)(?:19|20)\d\d|(?<![{NUMERAL}])[{NUMERAL}]{{4}})[ \t]*年"
        rf"[ \t]*(?P<month>\d{{1,2}}|[{NUMERAL}]{{1,3}})[ \t]*月"
        rf"(?:份|[ \t]*(?P<day>\d{{1,2}}|[{NUMERAL}]{{1,3}})[ \t]*[日号])?",
        rf"{_BEFORE}{_DAY}[ \t-]+(?:of[ \t]+)?{_MONTH}[, \t-]+{_YEAR}(?!\d)",
        rf"(?<![a-z0-9]){_MONTH}[ \t]*{_DAY}(?:[ \t]*,[ \t]*|[ \t]+){_YEAR}(?!\d)",
        rf"(?<![a-z0-9]){_MONTH},?[ \t]+{_YEAR}(?!\d)",
        rf"{_BEFORE}(?P<first>\d{{1,2}})(?P<mark>[/.])(?P<second>\d{{1,2}})(?P=mark){_YEAR}{_AFTER}",
    )
]


def dates(text: str) -> Iterator[tuple[int, int, str]]:
    """Places and canonical spellings of the dates in a text, by shape; places of two shapes may overlap.

    Args:
        text: normalised, in lower case. `5/3/2024` may be either day, and is none; `25/3/2024` is one.
    """
    for shape in _SHAPES:
        for match in shape.finditer(text):
            found = _canonical(match.groupdict())
            if found:
                yield (*match.span(), found)


def _canonical(parts: dict[str, str | None]) -> str:
    year = number(parts["year"] or "") or 0
    if "first" in parts:
        first, second = int(parts["first"] or 0), int(parts["second"] or 0)
        if (first > 12) == (second > 12):
            return ""
        day, month = (first, second) if first > 12 else (second, first)
    else:
        said = parts["month"] or ""
        month = _MONTHS.index(said[:3]) + 1 if said[:1].isascii() and said[:1].isalpha() else number(said) or 0
        day = number(parts.get("day") or "") or 0
    try:
        date(year, month, day or 1)
    except ValueError:
        return ""
    return f"{year:04d}-{month:02d}" + (f"-{day:02d}" if day else "")
