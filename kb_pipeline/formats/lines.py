"""Sections out of numbered lines: what the text formats share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb_pipeline.formats.building import SectionBuilder, characters
from kb_pipeline.formats.charset import Decoded
from kb_pipeline.records import LineLocator, ParsedDocument, Role


@dataclass
class Builder(SectionBuilder):
    """Sections of a text file as they come, with the count of their source characters."""

    def add(
        self,
        role: Role,
        lines: Sequence[tuple[int, str]],
        joints: Sequence[str] | str = "\n",
        level: int = 0,
        caption: str = "",
    ) -> None:
        """A section of (line number, text) pieces; `joints` are put between them and are not counted."""
        text, locators = "", []
        for i, (number, piece) in enumerate(lines):
            if i:
                text += joints if isinstance(joints, str) else joints[i - 1]
            locators.append(LineLocator(number, number, len(text), len(text) + len(piece)))
            text += piece
            self.count += characters(piece)
        self.append(role, text, tuple(locators), level, caption=caption)

    def drop(self, text: str, reason: str, number: int) -> None:
        self.drop_at(text, reason, (LineLocator(number, number),))

    def document(self, source: Decoded) -> ParsedDocument:
        """The parsed document of the file's whole text."""
        return self.document_of(characters(source.text), source.codec, source.notes)


def numbered(text: str) -> list[tuple[int, str]]:
    """Lines of a text from 1, ends of line (LF, CRLF, CR) taken off."""
    return list(enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1))
