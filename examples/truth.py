"""What a drawn document says and where: the records that drawing fills, and their JSON.

Frame of every box: the displayed page (after /Rotate), points, origin top left, `(x0, top, x1, bottom)`; pages count
from 1. Character ranges are half open.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

Box = tuple[float, float, float, float]
Point = tuple[float, float]


@dataclass
class Line:
    """One drawn line. `text` is what stands on the page; `start:end` is the range of the owner's text it covers
    (a hyphen at a line end is in `text` and not in that range). `edges`: the `end - start + 1` character boundaries
    along the line (x, or y where `vertical`). `turn`: a map of the page's points, where the page was skewed."""

    page: int
    box: Box
    start: int
    end: int
    text: str
    edges: list[float]
    vertical: bool = False
    turn: Callable[[Point], Point] | None = None

    def span(self, start: int, end: int) -> Box:
        """The box of characters `start:end` of the owner's text, as far as they stand on this line."""
        first, last = max(start, self.start) - self.start, min(end, self.end) - self.start
        x0, top, x1, bottom = self.box
        if self.vertical:
            top, bottom = self.edges[first], self.edges[last]
        else:
            x0, x1 = self.edges[first], self.edges[last]
        return self.displayed((x0, top, x1, bottom))

    def displayed(self, box: Box) -> Box:
        """The upright box around a box of the page as it was before the skew."""
        return box if self.turn is None else around(self.turn(point) for point in corners(box))

    def record(self) -> dict:
        edges, (x0, top, x1, bottom) = self.edges, self.box
        if self.turn is not None:
            across = (x0 + x1) / 2 if self.vertical else (top + bottom) / 2
            points = [(across, edge) if self.vertical else (edge, across) for edge in edges]
            edges = [self.turn(point)[1 if self.vertical else 0] for point in points]
        found = {"page": self.page, "box": rounded(self.displayed(self.box)), "start": self.start, "end": self.end}
        found |= {"text": self.text, "edges": rounded(edges)}
        if self.turn is not None:
            found["quad"] = [rounded(self.turn(point)) for point in corners(self.box)]
        return found | ({"vertical": True} if self.vertical else {})


@dataclass
class Cell:
    """A table cell: its text, its lines, and its rectangles (two where a page break splits its row)."""

    row: int
    col: int
    text: str
    rowspan: int = 1
    colspan: int = 1
    header: bool = False
    lines: list[Line] = field(default_factory=list)
    boxes: list[tuple[int, Box]] = field(default_factory=list)

    def record(self) -> dict:
        found = {"row": self.row, "col": self.col, "rowspan": self.rowspan, "colspan": self.colspan}
        found |= {"header": self.header, "text": self.text, "boxes": paged(self.boxes)}
        return found | {"lines": [line.record() for line in self.lines]}


@dataclass
class Section:
    """A paragraph, heading, caption, figure, table or equation. `boxes`: the extent of a figure, table or equation.
    `note`: `footnote` or `side column`, where the role alone does not tell."""

    role: str
    text: str
    level: int = 0
    lines: list[Line] = field(default_factory=list)
    boxes: list[tuple[int, Box]] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    note: str = ""

    def record(self) -> dict:
        found = {"role": self.role, "level": self.level, "text": self.text, "boxes": paged(self.boxes)}
        found |= {"note": self.note} if self.note else {}
        return found | {"lines": [line.record() for line in self.lines]}

    def html(self) -> str:
        """The grid as one HTML table; header cells are `th`."""
        rows = []
        for row in sorted({cell.row for cell in self.cells}):
            cells = sorted((cell for cell in self.cells if cell.row == row), key=lambda cell: cell.col)
            rows.append("<tr>" + "".join(_cell_html(cell) for cell in cells) + "</tr>")
        return "<table>" + "".join(rows) + "</table>"


def _cell_html(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = (f' rowspan="{cell.rowspan}"' if cell.rowspan > 1 else "") + (
        f' colspan="{cell.colspan}"' if cell.colspan > 1 else ""
    )
    return f"<{tag}{spans}>{escape(cell.text, quote=False)}</{tag}>"


@dataclass
class Noise:
    """Text that belongs in no section: reason, text, and its places."""

    reason: str
    text: str
    boxes: list[tuple[int, Box]]

    def record(self) -> dict:
        return {"reason": self.reason, "text": self.text, "boxes": paged(self.boxes)}


@dataclass
class Document:
    """Everything that was drawn into one document, in reading order."""

    name: str
    pages: list[dict] = field(default_factory=list)
    bookmarks: list[dict] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    noise: list[Noise] = field(default_factory=list)

    def record(self) -> dict:
        tables = [section for section in self.sections if section.cells]
        return {
            "document": self.name,
            "pages": self.pages,
            "bookmarks": self.bookmarks,
            "sections": [section.record() for section in self.sections],
            "tables": [
                {"html": table.html(), "boxes": paged(table.boxes), "cells": [cell.record() for cell in table.cells]}
                for table in tables
            ],
            "noise": [noise.record() for noise in self.noise],
        }


def corners(box: Box) -> list[Point]:
    """Clockwise from the top left corner."""
    x0, top, x1, bottom = box
    return [(x0, top), (x1, top), (x1, bottom), (x0, bottom)]


def around(points: Iterable[Point]) -> Box:
    """The smallest upright box that holds the points."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def rounded(numbers: Iterable[float]) -> list[float]:
    """To a hundredth of a point."""
    return [round(number, 2) for number in numbers]


def paged(boxes: Iterable[tuple[int, Box]]) -> list[list[float]]:
    """`[page, x0, top, x1, bottom]` a box."""
    return [[page, *rounded(box)] for page, box in boxes]


def save(path: Path, record: dict) -> None:
    """JSON with one item of each list on a line, so that a change shows as a small difference."""
    parts = []
    for key, value in record.items():
        if isinstance(value, list) and value:
            items = ",\n  ".join(json.dumps(item, ensure_ascii=False) for item in value)
            parts.append(f' "{key}": [\n  {items}\n ]')
        else:
            parts.append(f' "{key}": {json.dumps(value, ensure_ascii=False)}')
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
