"""Automatic numbering as text: counters of lists by level, with restarts, overrides and formats."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from kb_pipeline.formats.counting import counted
from kb_pipeline.formats.docx.names import W, is_on, value
from kb_pipeline.formats.ooxml import integer

BULLET = "-"  # in place of whatever sign a symbol font shows
MAX_LINKS = 10  # lists that refer to a style that refers to a list
_PLACE = re.compile(r"%([1-9])")
_CLOSED = "、。．，：；）】》〉」』"  # after these no space is put


@dataclass
class Level:
    """One level of a list."""

    start: int = 1
    form: str = "decimal"
    text: str = ""
    space: bool = True
    legal: bool = False
    restart: int = -1
    style: str = ""


@dataclass
class Counters:
    """How far a list is: the number of each level in use, and the lists whose restart was done."""

    numbers: dict[int, int] = field(default_factory=dict)
    begun: set[tuple[str, int]] = field(default_factory=set)


class Numbering:
    """The numbering part of a document, and how far its lists are."""

    def __init__(self, root: etree._Element | None):
        self._abstract: dict[str, etree._Element] = {}
        self._lists: dict[str, etree._Element] = {}
        self._levels: dict[str, dict[int, Level]] = {}
        self._counters: dict[str, Counters] = {}
        for element in root if root is not None else ():
            if element.tag == f"{W}abstractNum":
                self._abstract[value(element, "abstractNumId")] = element
            elif element.tag == f"{W}num":
                self._lists[value(element, "numId")] = element

    def level_of_style(self, number: str, style: str) -> int:
        """The level of a list that is bound to a style; the first where none is."""
        return next((index for index, level in self._of(number).items() if level.style == style), 0)

    def label(self, number: str, index: int) -> str:
        """The label of the next paragraph of a list at a level, the space behind it included; empty for none."""
        levels = self._of(number)
        level = levels.get(index)
        if level is None:
            return ""
        counters = self._counters.setdefault(self._family(number), Counters())
        self._step(counters, number, index, levels)
        if level.form == "bullet":
            return f"{BULLET} "

        def figure(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            other = levels.get(place, Level())
            now = counters.numbers.get(place, other.start)
            return counted(now, "decimal" if level.legal and other.form != "none" else other.form)

        text = _PLACE.sub(figure, level.text).strip()
        if not text:
            return ""
        return text + (" " if level.space and text[-1] not in _CLOSED else "")

    def _step(self, counters: Counters, number: str, index: int, levels: dict[int, Level]) -> None:
        """Count on at a level; deeper levels begin anew, and so does a list that says so when it is first used."""
        overrides = self._overrides(number)
        if index in overrides and (number, index) not in counters.begun:
            counters.begun.add((number, index))
            counters.numbers[index] = overrides[index]
        elif index in counters.numbers:
            counters.numbers[index] += 1
        else:
            counters.numbers[index] = levels[index].start
        for above in range(index):
            counters.numbers.setdefault(above, levels.get(above, Level()).start)
        for deeper in [one for one in counters.numbers if one > index]:
            restart = levels.get(deeper, Level()).restart
            if restart < 0 or index < restart:
                del counters.numbers[deeper]

    def _family(self, number: str) -> str:
        """Lists of one definition count together."""
        found = self._lists.get(number)
        return value(found.find(f"{W}abstractNumId")) if found is not None else number

    def _overrides(self, number: str) -> dict[int, int]:
        found = self._lists.get(number)
        return {
            integer(value(one, "ilvl")): integer(value(one.find(f"{W}startOverride")), 1)
            for one in (found.iterfind(f"{W}lvlOverride") if found is not None else ())
            if one.find(f"{W}startOverride") is not None
        }

    def _of(self, number: str) -> dict[int, Level]:
        """Levels of a list, its own overrides in place."""
        if number not in self._levels:
            found = self._lists.get(number)
            levels: dict[int, Level] = {}
            if found is not None:
                for element in self._definition(self._family(number)):
                    levels[integer(value(element, "ilvl"))] = _level(element)
                for override in found.iterfind(f"{W}lvlOverride"):
                    own = override.find(f"{W}lvl")
                    if own is not None:
                        levels[integer(value(override, "ilvl"))] = _level(own)
            self._levels[number] = levels
        return self._levels[number]

    def _definition(self, family: str) -> list[etree._Element]:
        """Level elements of a definition, or of the one that it takes from a list style."""
        for _ in range(MAX_LINKS):
            found = self._abstract.get(family)
            if found is None:
                return []
            link = value(found.find(f"{W}numStyleLink"))
            if not link:
                return found.findall(f"{W}lvl")
            family = next((k for k, one in self._abstract.items() if value(one.find(f"{W}styleLink")) == link), "")
        return []


def _level(element: etree._Element) -> Level:
    restart = element.find(f"{W}lvlRestart")
    return Level(
        start=integer(value(element.find(f"{W}start")), 1) if element.find(f"{W}start") is not None else 0,
        form=value(element.find(f"{W}numFmt"), default="decimal"),
        text=value(element.find(f"{W}lvlText")),
        space=value(element.find(f"{W}suff"), default="tab") != "nothing",
        legal=is_on(element.find(f"{W}isLgl")),
        restart=integer(value(restart)) if restart is not None else -1,
        style=value(element.find(f"{W}pStyle")),
    )
