"""What assembly works with between page layouts and sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kb_pipeline.deepdoc.assembly.frame import Frame
from kb_pipeline.records import Box, Dropped, PageLayout, PageLocator, Role, TableGrid, TextLine

DROP_CAP = 1.8  # times the type size beside it, from which a letter is a drop cap
PAGE_NUMBER = re.compile(r"\d{1,4}|[ivxlc]{1,6}", re.I)


@dataclass(frozen=True)
class Line:
    """A line with its place in both frames: `shown` on the displayed page, `box` in the upright frame (points)."""

    text: str
    page: int
    index: int
    box: Box
    shown: Box
    page_size: tuple[float, float]
    size: float
    bold: bool
    role: Role
    region: int
    ocr: bool

    def locator(self, start: int = 0, end: int = 0) -> PageLocator:
        return PageLocator(self.page, self.shown, self.page_size, start, end)


@dataclass(frozen=True)
class Block:
    """Lines that belong together on a page, or an object (table, figure, equation) with the lines inside it.

    `box`: in the upright frame. `shown`: the object's box on the displayed page. `column`: x range of the text column
    that holds the block, set by the reading order. `aside`: stands across the reading direction.
    """

    role: Role
    page: int
    box: Box
    lines: tuple[Line, ...] = ()
    region: int = -1
    grid: TableGrid | None = None
    shown: Box | None = None
    page_size: tuple[float, float] = (0.0, 0.0)
    column: tuple[float, float] = (0.0, 0.0)
    aside: bool = False

    @property
    def is_object(self) -> bool:
        return self.shown is not None

    def in_column(self, column: tuple[float, float]) -> Block:
        return replace(self, column=column)


@dataclass(frozen=True)
class Row:
    """Segments of one line of print, from left to right."""

    lines: tuple[Line, ...]
    box: Box
    size: float
    bold: bool

    @property
    def first(self) -> str:
        return self.lines[0].text

    @property
    def last(self) -> str:
        return self.lines[-1].text

    @property
    def is_entry(self) -> bool:
        """An entry of a table of contents: its last segment is a number far from the one before."""
        if len(self.lines) < 2 or not PAGE_NUMBER.fullmatch(self.last):
            return False
        return self.lines[-1].box[0] - self.lines[-2].box[2] >= 2 * self.size


@dataclass(frozen=True)
class Draft:
    """A section to be: rows of text, or an object block with its caption's rows.

    `more`: where a table goes on, one block per page; the grid of `block` holds all of it. `verbatim`: rows stay rows,
    as in a program.
    """

    role: Role
    page: int
    rows: tuple[Row, ...] = ()
    block: Block | None = None
    caption: tuple[Row, ...] = ()
    level: int = 0
    more: tuple[Block, ...] = ()
    verbatim: bool = False


def characters(text: str) -> int:
    """Non-space characters: what the character sum counts."""
    return sum(not c.isspace() for c in text)


def union(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them; at least one is needed."""
    x0, top, x1, bottom = zip(*boxes, strict=True)
    return min(x0), min(top), max(x1), max(bottom)


def share_inside(inner: Box, outer: Box) -> float:
    """Share of a box's area that lies inside another."""
    width = min(inner[2], outer[2]) - max(inner[0], outer[0])
    height = min(inner[3], outer[3]) - max(inner[1], outer[1])
    area = (inner[2] - inner[0]) * (inner[3] - inner[1])
    return width * height / area if width > 0 and height > 0 and area > 0 else 0.0


def text_size(line: TextLine) -> float:
    """Height of a line's type in points: as told, else the shorter side of its box."""
    return line.size or max(1.0, min(line.box[2] - line.box[0], line.box[3] - line.box[1]))


def page_line(layout: PageLayout, index: int, frame: Frame) -> Line:
    """A line of a page in both frames."""
    line = layout.lines[index]
    role: Role = layout.regions[line.region].role if 0 <= line.region < len(layout.regions) else "text"
    return Line(
        text=line.text.strip(),
        page=layout.page,
        index=index,
        box=frame.upright(line.box),
        shown=line.box,
        page_size=(layout.width, layout.height),
        size=text_size(line),
        bold=line.bold,
        role=role,
        region=line.region if 0 <= line.region < len(layout.regions) else -1,
        ocr=line.origin == "ocr",
    )


def rows_of(lines: Sequence[Line]) -> list[Row]:
    """Lines grouped into rows of print by vertical overlap, top to bottom, segments left to right.

    A drop cap stands in the first of the rows that it spans.
    """
    groups: list[list[Line]] = []
    caps = [line for line in lines if is_drop_cap(line) and _beside_cap(line, lines)]
    plain = [line for line in lines if not any(line is cap for cap in caps)]
    for line in sorted(plain, key=lambda item: (item.box[1] + item.box[3], item.box[0], item.index)):
        if groups and _same_row(groups[-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    for cap in caps:
        first = min(_beside_cap(cap, lines), key=lambda line: (line.box[1], line.box[0]))
        next(group for group in groups if any(line is first for line in group)).append(cap)
    return [_row(sorted(group, key=lambda item: (item.box[0], item.index))) for group in groups]


def is_drop_cap(line: Line) -> bool:
    """A capital letter of its own; whether it is one shows in the lines beside it."""
    return len(line.text) == 1 and line.text.isupper()


def _beside_cap(cap: Line, lines: Sequence[Line]) -> list[Line]:
    """The lines of much smaller type that begin beside a drop cap; none where there are fewer than two."""
    found = [
        line
        for line in lines
        if cap.size >= DROP_CAP * line.size
        and -0.5 * line.size <= line.box[0] - cap.box[2] <= 1.5 * line.size
        and cap.box[1] - line.size <= (line.box[1] + line.box[3]) / 2 <= cap.box[3]
    ]
    return found if len(found) >= 2 else []


def _same_row(group: list[Line], line: Line) -> bool:
    """Vertical overlap of more than half the smaller height, and no segment of the row already above or below it."""
    for other in group:
        overlap = min(other.box[3], line.box[3]) - max(other.box[1], line.box[1])
        if overlap <= 0.5 * min(other.box[3] - other.box[1], line.box[3] - line.box[1]):
            return False
        beside = min(other.box[2], line.box[2]) - max(other.box[0], line.box[0])
        if beside > 0.5 * min(other.box[2] - other.box[0], line.box[2] - line.box[0]):
            return False
    return True


def _row(lines: list[Line]) -> Row:
    longest = max(lines, key=lambda item: len(item.text))
    body = [item for item in lines if item.size < DROP_CAP * longest.size] or lines
    return Row(tuple(lines), union(item.box for item in body), longest.size, all(item.bold for item in body))


def dropped_line(line: TextLine, layout: PageLayout, reason: str) -> Dropped:
    """A whole line that goes to no section."""
    size = (layout.width, layout.height)
    return Dropped(line.text, reason, (PageLocator(layout.page, line.box, size, 0, len(line.text)),))


def dropped_picture(layout: PageLayout, region: int, reason: str) -> Dropped:
    """A figure that goes to no section; it holds no text."""
    return Dropped("", reason, (PageLocator(layout.page, layout.regions[region].box, (layout.width, layout.height)),))
