"""Days and times as a spreadsheet shows them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

VALUED = ("date", "elapsed", "ampm", "digits")  # kinds of tokens that stand for the value
ELAPSED = re.compile(r"h+|m+|s+", re.I)  # in brackets: hours, minutes or seconds altogether
# fmt: off
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# fmt: on
WEEK = "一二三四五六日"

Token = tuple[str, str]


def moment(serial: float, since_1904: bool = False) -> datetime:
    """The moment of a serial day; day 60 of the 1900 system, which never was, is the 28th of February."""
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 31) if serial < 60 else datetime(1899, 12, 30)
    milliseconds = round(serial * 86_400_000)
    return start + timedelta(milliseconds=milliseconds)


def date_text(value: float, tokens: Sequence[Token], since_1904: bool) -> str:
    """A serial day under the tokens of a format: (kind, mark) for those of VALUED, (kind, text as shown) for others.

    Raises:
        ValueError, OverflowError: the serial is no day that a calendar has.
    """
    if value < 0:
        raise ValueError("no day")
    at = moment(value, since_1904)
    if not any("." in mark for kind, mark in tokens if kind == "date"):  # no fraction of a second is shown
        at += timedelta(milliseconds=500)
        at = at.replace(microsecond=0)
    half = any(kind == "ampm" for kind, _ in tokens)
    parts = []
    for i, (kind, text) in enumerate(tokens):
        low = text.lower()
        if kind == "date":
            minutes = low[0] == "m" and len(low) <= 2 and _beside_time(tokens, i)
            parts.append(_date_part(at, low, half, minutes))
        elif kind == "elapsed":
            parts.append(_elapsed(value, low))
        elif kind == "ampm":
            names = ("上午", "下午") if text == "上午/下午" else ("A", "P") if len(text) == 3 else ("AM", "PM")
            parts.append(names[at.hour >= 12])
        elif kind == "digits":  # a fraction of seconds after a point
            parts.append(f"{at.microsecond // 1000:03d}"[: len(text)])
        else:
            parts.append(text)
    return "".join(parts).strip()


def _beside_time(tokens: Sequence[Token], at: int) -> bool:
    """Whether an `m` means minutes: hours stand before it, or seconds after it."""
    times = [i for i, (kind, _) in enumerate(tokens) if kind in ("date", "elapsed")]
    place = times.index(at)
    before = tokens[times[place - 1]][1].lower() if place else ""
    after = tokens[times[place + 1]][1].lower() if place + 1 < len(times) else ""
    return before.startswith("h") or after.startswith("s")


def _date_part(at: datetime, mark: str, half: bool, minutes: bool) -> str:
    first, size = mark[0], len(mark)
    if minutes:
        return f"{at.minute:02d}" if size == 2 else str(at.minute)
    if first in "ye":
        return f"{at.year % 100:02d}" if size <= 2 and first == "y" else str(at.year)
    if first == "b":
        return str(at.year + 543)
    if first == "m":
        name = MONTHS[at.month - 1]
        return [str(at.month), f"{at.month:02d}", name[:3], name, name[0]][min(size, 5) - 1]
    if first == "d":
        name = DAYS[at.weekday()]
        return [str(at.day), f"{at.day:02d}", name[:3], name][min(size, 4) - 1]
    if first == "a":
        return ("星期" if size == 4 else "") + WEEK[at.weekday()]
    if first == "h":
        hour = (at.hour % 12 or 12) if half else at.hour
        return f"{hour:02d}" if size == 2 else str(hour)
    whole, _, places = mark.partition(".")
    text = f"{at.second:02d}" if len(whole) == 2 else str(at.second)
    return f"{text}.{at.microsecond // 1000:03d}"[: len(text) + 1 + len(places)] if places else text


def _elapsed(value: float, mark: str) -> str:
    seconds = round(value * 86400)
    return str({"h": seconds // 3600, "m": seconds // 60, "s": seconds}[mark[0]]).rjust(len(mark), "0")
