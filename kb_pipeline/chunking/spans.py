"""Spans of sections, and chunks composed of them: text, locators, breadcrumb, section ids, what was added."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

import msgspec

from kb_pipeline.records import Added, AddedKind, Chunk, ChunkKind, Locator, Section

BREAK = "\n"  # between two spans of a chunk that did not follow each other


class Span(NamedTuple):
    """`text[start:end]` of a section.

    `added`: why it is here, where another chunk holds it as its own. `before`: text put before it that is in no
    section, None for the white space of the section or a line break.
    """

    section: int
    start: int
    end: int
    added: AddedKind | None = None
    before: str | None = None


@dataclass
class Plan:
    """A chunk to be: its kind and its spans in reading order.

    `crumbs`: its headings where the text itself begins with them, else those that its sections share. `children`:
    chunks that are found in its stead. `tail`: text at its end that is in no section.
    """

    kind: ChunkKind
    spans: list[Span] = field(default_factory=list)
    crumbs: tuple[str, ...] | None = None
    children: list[Plan] = field(default_factory=list)
    tail: str = ""

    @property
    def own(self) -> list[Span]:
        return [span for span in self.spans if span.added is None]


class Run(NamedTuple):
    """Joined spans without white space around them; `joint` is the text before, `label` whether it was added."""

    joint: str
    label: bool
    section: int
    start: int
    end: int
    added: AddedKind | None


class Counted(NamedTuple):
    """A plan with the runs and the tokens of its text."""

    plan: Plan
    runs: list[Run]
    tokens: int

    def text(self, sections: Sequence[Section]) -> str:
        return run_text(self.runs, sections) + self.plan.tail


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
    if place.start == start and place.end == end:
        return place
    return msgspec.structs.replace(place, start=start, end=end)


def run_text(found: Sequence[Run], sections: Sequence[Section]) -> str:
    """The text of runs."""
    return "".join(run.joint + sections[run.section].text[run.start : run.end] for run in found)


def compose(
    counted: Counted,
    ordinal: int,
    sections: Sequence[Section],
    places: Sequence[Places],
    crumbs: tuple[str, ...],
    parent: int = -1,
) -> Chunk:
    """The chunk of a plan: spans joined, every locator with its range of the chunk's text."""
    plan, found, tokens = counted
    locators: list[Locator] = []
    added: list[Added] = []
    length = 0
    for joint, label, section, start, end, why in found:
        if label:
            added.append(Added("label", length, length + len(joint)))
        length += len(joint)
        locators += places[section].clipped(start, end, length - start)
        if why:
            added.append(Added(why, length, length + end - start))
        length += end - start
    text = counted.text(sections)
    if plan.tail:
        added.append(Added("label", length, len(text)))
    members = list(dict.fromkeys(span.section for span in plan.spans))
    shown = {run.section for run in found}
    for i in members:  # an object without text is marked by all that is there
        if i not in shown:
            locators += [_moved(place, 0, 0 if found else len(text)) for place in sections[i].locators]
    main = [i for i in members if sections[i].role == plan.kind]
    return Chunk(
        ordinal=ordinal,
        kind=plan.kind,
        text=text,
        breadcrumb=crumbs,
        tokens=tokens,
        section_ids=tuple(sections[i].id for i in members),
        locators=tuple(dict.fromkeys(locators)),
        added=tuple(added),
        picture=sections[main[0]].picture if main else "",
        parent=parent,
    )


def runs(spans: Sequence[Span], sections: Sequence[Section]) -> list[Run]:
    """Spans joined where they follow each other, trimmed of white space; empty ones are left out."""
    found: list[Run] = []
    for section, start, end, added, before in _joined(spans, sections):
        text = sections[section].text
        piece = text[start:end]
        end -= len(piece) - len(piece.rstrip())
        start += len(piece) - len(piece.lstrip())
        if start >= end:
            continue
        joint = (before or "") if found else (before or "").lstrip("\n")
        if found and before is None:
            last = found[-1]
            gap = text[last.end : start] if last.section == section and last.end <= start else "x"
            joint = BREAK if gap.strip() else gap
        found.append(Run(joint, before is not None and bool(joint.strip()), section, start, end, added))
    return found


def _joined(spans: Sequence[Span], sections: Sequence[Section]) -> list[Span]:
    found: list[Span] = []
    at = 0
    while at < len(spans):
        section, start, end, added, before = spans[at]
        text = sections[section].text
        at += 1
        while at < len(spans):
            follower = spans[at]
            if follower.section != section or follower.added != added or follower.before is not None:
                break
            if follower.start != end and (follower.start < end or text[end : follower.start].strip()):
                break
            end = follower.end
            at += 1
        found.append(Span(section, start, end, added, before))
    return found


def common_trail(trails: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all of them share, outermost first."""
    common = trails[0] if trails else ()
    for trail in trails[1:]:
        same = 0
        while same < min(len(common), len(trail)) and common[same] == trail[same]:
            same += 1
        common = common[:same]
    return common


def trail_of(plan: Plan, sections: Sequence[Section]) -> tuple[str, ...]:
    """Headings above a plan: its own, else those that its own sections share."""
    if plan.crumbs is not None:
        return plan.crumbs
    own = dict.fromkeys(span.section for span in plan.own) or dict.fromkeys(span.section for span in plan.spans)
    return common_trail([sections[i].breadcrumb for i in own])
