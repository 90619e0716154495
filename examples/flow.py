"""Paragraphs and headings that flow through the columns of a document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from drawing import ASCENT, CJK, DESCENT, Sheet, Style, break_lines, font_of, width_of
from truth import Section


@dataclass(frozen=True)
class Frame:
    """A column that text flows through."""

    x: float
    top: float
    width: float
    bottom: float


class Flow:
    """Sets paragraphs one below the other through the frames of an iterator, which opens pages as it goes."""

    def __init__(self, sheet: Sheet, frames: Iterator[Frame]):
        self.sheet = sheet
        self.use(frames)

    def use(self, frames: Iterator[Frame]) -> None:
        """Goes on in other frames."""
        self.frames = frames
        self.advance()

    def advance(self) -> None:
        self.frame = next(self.frames)
        self.y = self.frame.top

    def need(self, height: float) -> None:
        """Goes to the next frame unless this much is left."""
        if self.y + height > self.frame.bottom:
            self.advance()

    def paragraph(self, text: str, style: Style, role: str = "text", level: int = 0) -> Section:
        """Sets a paragraph; its lines may go on in the next frames (all of one width)."""
        self.y += style.before
        width = self.frame.width - style.hanging
        found = Section(role, text, level)
        lines = break_lines(text, style, width + style.hanging - style.first_indent, width)
        for i, (start, end, hyphen) in enumerate(lines):
            self.need(style.leading)
            indent = style.first_indent if i == 0 else style.hanging
            x0, x1 = self.frame.x + indent, self.frame.x + self.frame.width
            base = self.y + style.leading / 2 + style.size * (ASCENT - DESCENT) / 2
            drawn = text[start:end] + ("-" if hyphen else "")
            if style.align == "justify" and i + 1 < len(lines):
                line = self.sheet.line(x0, base, drawn, style, start, _gap(drawn, style, x1 - x0))
            else:
                line = self.sheet.aligned(x0, x1, base, drawn, style, start)
            if hyphen:
                line.end -= 1
                line.edges.pop()
            found.lines.append(line)
            self.y += style.leading
        self.sheet.document.sections.append(found)
        self.y += style.after
        return found

    def heading(self, text: str, style: Style, level: int, keep: float = 48.0, bookmark: bool = False) -> Section:
        """A heading that stays with the `keep` points that follow it."""
        self.need(style.before + style.leading + keep)
        if bookmark:
            self.sheet.bookmark(text, level, self.y + style.before)
        return self.paragraph(text, replace(style, align="left"), "title", level)


def _gap(text: str, style: Style, width: float) -> float:
    slack = width - width_of(text, style)
    latin = all(font_of(char, style) != CJK for char in text)
    places = text.count(" ") if latin else len(text) - 1
    return slack / places if places else 0.0
