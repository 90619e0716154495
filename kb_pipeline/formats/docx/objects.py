"""Pictures, charts and diagrams of a document as sections."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kb_pipeline.formats.building import SectionBuilder, cell_name, characters
from kb_pipeline.formats.docx.inline import Anchored
from kb_pipeline.formats.drawingml import chart_rows, chart_title, diagram_lines
from kb_pipeline.formats.ooxml import Package, Relationship
from kb_pipeline.formats.pictures import picture_ending, picture_part
from kb_pipeline.records import ParagraphLocator, TableCell


class Objects:
    """Adds the objects anchored in paragraphs.

    Attributes:
        pictures: bytes by part name.
        total: characters of the charts and diagrams read.
        unshown: pictures left out, since neither their form nor a text tells anything.
        unread: documents of other formats that stand in this one.
    """

    def __init__(self, package: Package, relationships: Mapping[str, Relationship], out: SectionBuilder):
        self.package, self.relationships, self.out = package, relationships, out
        self.pictures: dict[str, bytes] = {}
        self.total = self.unshown = self.unread = 0
        self._parts: dict[str, str] = {}

    def add(self, found: Anchored, place: ParagraphLocator) -> None:
        """A picture, chart or diagram at a paragraph."""
        relationship = self.relationships.get(found.target)
        target = (
            relationship.target
            if relationship and not relationship.outside and relationship.target in self.package
            else ""
        )
        if found.kind == "picture":
            part = self._picture(target) if target else ""
            if part or found.alt:
                self._figure(found.alt, place, part)
            else:
                self.unshown += 1
        elif target and found.kind == "chart":
            self._chart(target, found.alt, place)
        elif target and found.kind == "diagram":
            text = "\n".join(diagram_lines(self.package, target))
            self._count(text)
            if text or found.alt:
                self._figure(text or found.alt, place)

    @property
    def notes(self) -> list[str]:
        """What was left out, in words."""
        unshown = f"{self.unshown} pictures in a format that cannot be shown" if self.unshown else ""
        unread = f"{self.unread} embedded documents that were not read" if self.unread else ""
        return [note for note in (unshown, unread) if note]

    def _figure(self, text: str, place: ParagraphLocator, part: str = "") -> None:
        self.out.append("figure", text, (msgspec.structs.replace(place, start=0, end=len(text)),), picture=part)

    def _count(self, text: str) -> None:
        self.total += characters(text)
        self.out.count += characters(text)

    def _picture(self, target: str) -> str:
        """Part name of a picture, the same for each of its places; empty where it cannot be shown."""
        if target not in self._parts:
            data = self.package.bytes(target)
            ending = picture_ending(data)
            self._parts[target] = picture_part(len(self.pictures) + 1, ending) if ending else ""
            if ending:
                self.pictures[self._parts[target]] = data
        return self._parts[target]

    def _chart(self, target: str, alt: str, place: ParagraphLocator) -> None:
        """A chart as the table of its figures, since a document holds them nowhere else."""
        title, rows = chart_title(self.package, target), chart_rows(self.package, target)
        if not rows:
            self._count(title)
            self._figure(title or alt, place)
            return
        width = max(map(len, rows))
        cells = [
            [
                TableCell(
                    r, c, 1, 1, r == 0, text,
                    (msgspec.structs.replace(place, start=0, end=0, range=cell_name(r, c)),),
                )
                for c, text in enumerate([*row, *[""] * (width - len(row))])
            ]
            for r, row in enumerate(rows)
        ]  # fmt: skip
        self._count(title + "".join(text for row in rows for text in row))
        self.out.append_rows(cells, 1, title, (place,) if title else ())
