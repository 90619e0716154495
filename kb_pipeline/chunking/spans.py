"""Spans of sections, and chunks composed of them: text, locators, breadcrumb, section ids."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import msgspec

from kb_pipeline.records import Chunk, ChunkKind, Locator, Section

BREAK = "\n"  # between two sections of a chunk


@dataclass(frozen=True)
class Span:
    """`text[start:end]` of a section. `repeated`: it is in an earlier chunk too (overlap, header rows)."""

    section: int
    start: int
    end: int
    tokens: int
    repeated: bool = False


@dataclass
class Plan:
    """A chunk to be: its kind and its spans in reading order."""

    kind: ChunkKind
    spans: list[Span] = field(default_factory=list)

    @property
    def own(self) -> list[Span]:
        return [span for span in self.spans if not span.repeated]


class Places:
    """Locators of a section, to be clipped to spans of its text."""

    def __init__(self, section: Section):
        ranged = [place for place in section.locators if place.end > place.start]
        self.whole = [] if ranged else list(section.locators)
        unranged = [place for place in section.locators if place.end <= place.start]
        self.objects = [_moved(place, 0, 0) for place in unranged] if ranged else []
        self.ranged = sorted(ranged, key=lambda place: (place.start, place.end))
        self.starts = [place.start for place in self.ranged]
        self.reach = list(accumulate((place.end for place in self.ranged), max))

    def clipped(self, start: int, end: int, shift: int) -> list[Locator]:
        """Places of `text[start:end]`, their ranges clipped and moved by `shift`.

        A place without a range stands for the whole section; where others have ranges, for its object as such, and
        stays without.
        """
        found = list(self.objects)
        found += [_moved(place, start + shift, end + shift) for place in self.whole]
        for place in self.ranged[bisect_right(self.reach, start) : bisect_left(self.starts, end)]:
            if place.end > start:
                found.append(_moved(place, max(place.start, start) + shift, min(place.end, end) + shift))
        return found


def _moved(place: Locator, start: int, end: int) -> Locator:
    return msgspec.structs.replace(place, start=start, end=end)


def plan_text(plan: Plan, sections: Sequence[Section]) -> str:
    """The text that a plan gives."""
    return "".join(sections[a].text[b:c] if a >= 0 else BREAK for a, b, c in _runs(plan, sections))


def compose(plan: Plan, ordinal: int, tokens: int, sections: Sequence[Section], places: Sequence[Places]) -> Chunk:
    """The chunk of a plan: spans joined, every locator with its range of the chunk's text."""
    locators: list[Locator] = []
    length = 0
    for section, start, end in _runs(plan, sections):
        if section < 0:
            length += len(BREAK)
            continue
        locators += places[section].clipped(start, end, length - start)
        length += end - start
    members = list(dict.fromkeys(span.section for span in plan.spans))
    own = list(dict.fromkeys(span.section for span in plan.own)) or members
    return Chunk(
        ordinal=ordinal,
        kind=plan.kind,
        text=plan_text(plan, sections),
        breadcrumb=_common([sections[i].breadcrumb for i in own]),
        tokens=tokens,
        section_ids=tuple(sections[i].id for i in members),
        locators=tuple(dict.fromkeys(locators)),
    )


def _runs(plan: Plan, sections: Sequence[Section]) -> list[tuple[int, int, int]]:
    """(section, start, end) of joined spans, trimmed of white space; section -1 is a break between two of them."""
    joined: list[tuple[int, int, int]] = []
    for span in plan.spans:
        if joined:
            section, start, end = joined[-1]
            between = sections[section].text[end : span.start] if section == span.section else "x"
            if section == span.section and end <= span.start and not between.strip():
                joined[-1] = (section, start, span.end)
                continue
        joined.append((span.section, span.start, span.end))
    runs: list[tuple[int, int, int]] = []
    for section, start, end in joined:
        text = sections[section].text
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if start < end:
            runs += [(-1, 0, 0)] * bool(runs) + [(section, start, end)]
    return runs


def _common(trails: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all of them share, outermost first."""
    common = trails[0]
    for trail in trails[1:]:
        same = 0
        while same < min(len(common), len(trail)) and common[same] == trail[same]:
            same += 1
        common = common[:same]
    return common
