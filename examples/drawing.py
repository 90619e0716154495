"""A small layer over reportlab that records what it draws: pages and lines, and where lines of text break.

Coordinates are those of the displayed page: points, origin top left. Chinese is set in an embedded TrueType font, Latin
and symbols in the standard PDF fonts, so one line may hold runs of several fonts, as in office documents.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from reportlab import rl_config
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from truth import Document, Line, Noise, Section

A4 = (595.28, 841.89)
CJK = "CJK"
ASCENT, DESCENT = 0.86, 0.20  # of the type size; the line box that both scripts share
BOLD_STROKE = 0.02  # of the type size; the Chinese font has no bold cut, so its outline is thickened
CLOSERS = set("，。；：、）》！？～%,.;:)]")
OPENERS = set("（《([")


@dataclass(frozen=True)
class Style:
    """How a paragraph is set. Lengths in points; `align`: left, center, right or justify."""

    size: float = 10.5
    leading: float = 17.0
    font: str = "Helvetica"
    bold: bool = False
    align: str = "justify"
    first_indent: float = 0.0
    hanging: float = 0.0
    before: float = 0.0
    after: float = 0.0
    hyphens: dict[str, str] = field(default_factory=dict, hash=False)


def register_font(path: Path) -> None:
    """Loads the TrueType font of the Chinese text. A missing file raises reportlab's TTFError."""
    pdfmetrics.registerFont(TTFont(CJK, str(path)))


def font_of(char: str, style: Style) -> str:
    """The font that sets this character."""
    if char == "∑":
        return "Symbol"
    if ord(char) < 0x250 or char in "–“”…":
        return style.font
    if ord(char) not in pdfmetrics.getFont(CJK).face.charToGlyph:
        raise ValueError(f"the font has no glyph for {char!r}; write it in another way")
    return CJK


@cache
def _advance(char: str, font: str) -> float:
    return pdfmetrics.stringWidth(char, font, 1000) / 1000


def width_of(text: str, style: Style) -> float:
    """Set width in points, without gaps."""
    return sum(_advance(char, font_of(char, style)) for char in text) * style.size


def _may_break(before: str, after: str) -> bool:
    if before == " ":
        return True
    if after == " " or after in CLOSERS or before in OPENERS:
        return False
    return ord(before) > 0x2E80 or ord(after) > 0x2E80


def _hyphen_points(text: str, start: int, hyphens: dict[str, str]) -> list[int]:
    end = start
    while end < len(text) and text[end].isalpha():
        end += 1
    points, offset = [], start
    for part in hyphens.get(text[start:end].lower(), "").split("-")[:-1]:
        offset += len(part)
        points.append(offset)
    return points


def break_lines(text: str, style: Style, first: float, width: float) -> list[tuple[int, int, bool]]:
    """Greedy lines as `(start, end, hyphen)`; `first` is the width of the first line, `width` of the others."""
    breaks = [i for i in range(1, len(text)) if _may_break(text[i - 1], text[i])] + [len(text)]
    lines: list[tuple[int, int, bool]] = []
    start = 0
    while start < len(text):
        limit = (width if lines else first) + 0.01
        fits = [end for end in breaks if end > start and width_of(text[start:end].rstrip(), style) <= limit]
        end, hyphen = (max(fits) if fits else start + 1), False
        if end < len(text):
            points = _hyphen_points(text, end, style.hyphens)
            points = [point for point in points if width_of(text[start:point] + "-", style) <= limit]
            if points:
                end, hyphen = max(points), True
        lines.append((start, len(text[:end].rstrip()), hyphen))
        start = end
    return lines


class Sheet:
    """A PDF under way, and the truth about it."""

    def __init__(self, name: str, title: str):
        self.buffer = io.BytesIO()
        rl_config.useA85 = 0
        self.canvas = Canvas(self.buffer, pagesize=A4, invariant=1, pageCompression=1)
        self.canvas.setTitle(title)
        self.canvas.setAuthor("kb_pipeline examples")
        self.document = Document(name)
        self.width, self.height = A4

    @property
    def page(self) -> int:
        return len(self.document.pages)

    def new_page(self, rotation: int = 0, source: str = "text layer") -> None:
        """Ends the page before and opens one; with `rotation` 90 the displayed page is A4 lying."""
        if self.page:
            self.canvas.showPage()
        self.width, self.height = (A4[1], A4[0]) if rotation == 90 else A4
        self.canvas.setPageSize((self.width, self.height))  # reportlab turns the media box of a turned page itself
        self.canvas.setPageRotation(rotation)
        if rotation == 90:
            self.canvas.transform(0, 1, -1, 0, A4[0], 0)
        page = {"page": self.page + 1, "width": self.width, "height": self.height}
        self.document.pages.append(page | {"rotation": rotation, "source": source})

    def bookmark(self, title: str, level: int, top: float) -> None:
        """An outline entry that points at this height of the current page; `level` from 1."""
        key = f"b{len(self.document.bookmarks)}"
        self.canvas.bookmarkHorizontalAbsolute(key, self.height - top)
        self.canvas.addOutlineEntry(title, key, level - 1, closed=False)
        entry = {"title": title, "level": level, "page": self.page, "top": round(top, 2)}
        self.document.bookmarks.append(entry)

    def line(self, x: float, base: float, text: str, style: Style, start: int = 0, gap: float = 0.0) -> Line:
        """Draws one line from `x` on the baseline `base`; `gap` is added after each character, or after each space
        where the line is all Latin. Returns where the characters stand."""
        fonts = [font_of(char, style) for char in text]
        by_word = CJK not in fonts
        out = self.canvas.beginText(x, self.height - base)
        if style.bold and not by_word:
            self.canvas.setLineWidth(style.size * BOLD_STROKE)
        edges, first = [x], 0
        out.setWordSpace(gap) if by_word else out.setCharSpace(gap)
        for i, font in enumerate(fonts):
            extra = gap if not by_word or text[i] == " " else 0.0
            edges.append(edges[-1] + _advance(text[i], font) * style.size + extra)
            if i + 1 == len(text) or fonts[i + 1] != font:
                out.setFont(font, style.size)
                out.setTextRenderMode(2 if style.bold and font == CJK else 0)
                out.textOut(text[first : i + 1])
                first = i + 1
        out.setWordSpace(0) if by_word else out.setCharSpace(0)
        out.setTextRenderMode(0)
        self.canvas.drawText(out)
        edges[-1] -= gap if not by_word else 0.0
        box = (x, base - ASCENT * style.size, edges[-1], base + DESCENT * style.size)
        return Line(self.page, box, start, start + len(text), text, edges)

    def aligned(self, x0: float, x1: float, base: float, text: str, style: Style, start: int = 0) -> Line:
        """One line, placed between `x0` and `x1` by the style's alignment."""
        slack = x1 - x0 - width_of(text, style)
        shift = {"center": slack / 2, "right": slack}.get(style.align, 0.0)
        return self.line(x0 + shift, base, text, style, start)

    def noise(self, reason: str, lines: list[Line]) -> None:
        """Records lines that belong in no section."""
        text = " ".join(line.text for line in lines)
        self.document.noise.append(Noise(reason, text, [(line.page, line.box) for line in lines]))

    def section(self, role: str, lines: list[Line], level: int = 0, note: str = "") -> Section:
        """Records single lines, drawn at given places, as one section with their texts joined by spaces."""
        offset = 0
        for line in lines:
            line.start, line.end = offset, offset + len(line.text)
            offset = line.end + 1
        found = Section(role, " ".join(line.text for line in lines), level, lines, note=note)
        self.document.sections.append(found)
        return found

    def close(self) -> bytes:
        self.canvas.showPage()
        self.canvas.save()
        return self.buffer.getvalue()
