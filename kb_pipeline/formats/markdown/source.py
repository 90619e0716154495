"""Where the text of a Markdown file goes: ranges of its lines that sections keep, and the reasons of the others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kb_pipeline.formats.building import SectionBuilder, characters
from kb_pipeline.records import LineLocator, Role
from kb_pipeline.text.drop_reasons import MARKDOWN_MARK


class Piece(NamedTuple):
    """A range of a line (from 1), and what it reads as: a decoded entity differs from its source. `reason`: it is
    dropped, with that reason."""

    line: int
    start: int
    end: int
    text: str
    reason: str = ""


class Run(NamedTuple):
    """The same with a range of a block's content in place of a line's."""

    start: int
    end: int
    text: str
    reason: str = ""


class Segment(NamedTuple):
    """Text of one line, or of a part of it."""

    line: int
    text: str


class Place:
    """A block's content as the parser gives it, without the marks before its lines, and where these lines are."""

    def __init__(self, content: str, first: int, lines: Sequence[str], at: int = -1):
        """`first`: number of its first line. `at`: column where a content of one line begins, -1 to look for it."""
        self.starts, self._offsets, self.first, start = [], [], first, 0
        for number, text in enumerate(content.split("\n"), first):
            bare, lead = text.strip(), len(text) - len(text.lstrip())
            column = at if at >= 0 else lines[number - 1].rfind(bare) if bare else 0
            self.starts.append(start)
            self._offsets.append((column - lead, column))
            start += len(text) + 1
        self._content = content

    @property
    def column(self) -> int:
        """Where the content begins in its first line."""
        return self._offsets[0][1]

    def pieces(self, run: Run) -> Iterator[Piece]:
        """The run in its lines; text that is as the content is gets parted with them."""
        row = bisect_right(self.starts, run.start) - 1
        literal = run.text == self._content[run.start : run.end]
        start = run.start
        while True:
            stop = self.starts[row + 1] - 1 if row + 1 < len(self.starts) else len(self._content)
            end = min(run.end, stop)
            shift, lowest = self._offsets[row]
            base = shift - self.starts[row]
            text = self._content[start:end] if literal else run.text if start == run.start else ""
            yield Piece(self.first + row, max(start + base, lowest), max(end + base, lowest), text, run.reason)
            if run.end <= stop + 1 or row + 1 >= len(self.starts):
                return
            row += 1
            start = self.starts[row]


@dataclass
class Source:
    """The lines of a file, and what became of them."""

    lines: list[str]
    out: SectionBuilder
    covered: set[int] = field(default_factory=set)  # lines that some block holds
    _kept: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    _dropped: dict[int, list[tuple[int, int, str]]] = field(default_factory=dict)

    def take(self, pieces: Sequence[Piece], trim: bool = True) -> list[Segment]:
        """Text of pieces, by line; a piece "\\n" parts a line. What is of no segment with text is not kept."""
        segments: list[list[Piece]] = []
        for piece in pieces:
            if piece.reason:
                self._dropped.setdefault(piece.line, []).append((piece.start, piece.end, piece.reason))
            elif piece.text == "\n" and piece.start == piece.end:
                segments.append([])
            elif segments and (not segments[-1] or segments[-1][-1].line == piece.line):
                segments[-1].append(piece)
            else:
                segments.append([piece])
        found = []
        for parts in segments:
            text = "".join(piece.text for piece in parts)
            text = text.strip() if trim else text.rstrip()
            if text.strip():
                found.append(Segment(parts[0].line, text))
                for piece in parts:
                    self._kept.setdefault(piece.line, []).append((piece.start, piece.end))
            elif not trim and parts:
                found.append(Segment(parts[0].line, ""))
        return found

    def add(
        self,
        role: Role,
        pieces: Sequence[Piece],
        *,
        level: int = 0,
        joint: str = "\n",
        trim: bool = True,
        fence: str = "",
    ) -> None:
        """A section of pieces, if they hold text. `trim`: spaces around lines say nothing."""
        segments = self.take(pieces, trim)
        while segments and not segments[0].text:
            segments.pop(0)
        while segments and not segments[-1].text:
            segments.pop()
        if not segments:
            return
        text, locators = "", []
        for segment in segments:
            text += joint if locators else ""
            locators.append(LineLocator(segment.line, segment.line, len(text), len(text) + len(segment.text)))
            text += segment.text
        caption = text if role == "figure" else ""
        self.out.append(role, text, locators, level, caption=caption, fence=fence)

    def close(self) -> None:
        """Count what sections hold, and drop all else: by the reason given, or as marks of Markdown."""
        for number, line in enumerate(self.lines, 1):
            if not line.strip():
                continue
            reasons: dict[str, str] = {}
            at = 0
            ranges = [(a, b, "kept") for a, b in self._kept.get(number, ())] + self._dropped.get(number, [])
            for start, end, reason in [*sorted(ranges), (len(line), len(line), "kept")]:
                if start > at:
                    reasons[MARKDOWN_MARK] = reasons.get(MARKDOWN_MARK, "") + line[at:start]
                start = max(start, at)
                if reason == "kept":
                    self.out.count += characters(line[start:end])
                else:
                    reasons[reason] = reasons.get(reason, "") + line[start:end]
                at = max(at, end)
            for reason, text in reasons.items():
                self.out.drop_at(text, reason, (LineLocator(number, number),))
