"""A word processor document's sections in the order of its body."""

from __future__ import annotations

from collections.abc import Collection

from lxml import etree

from kb_pipeline.formats.building import SectionBuilder, characters
from kb_pipeline.formats.docx.body import Body
from kb_pipeline.formats.docx.cells import CellReader
from kb_pipeline.formats.docx.inline import InlineReader
from kb_pipeline.formats.docx.names import W, source_text, value, with_ticks, without_alternates
from kb_pipeline.formats.docx.numbering import Numbering
from kb_pipeline.formats.docx.objects import Objects
from kb_pipeline.formats.docx.styles import Styles
from kb_pipeline.formats.native import NativeDocument
from kb_pipeline.formats.ooxml import Package, R, of_kind
from kb_pipeline.records import ParagraphLocator
from kb_pipeline.text.drop_reasons import COMMENT, HIDDEN_TEXT

RUNNING = {"headerReference": "running header", "footerReference": "running footer"}
SEPARATORS = ("separator", "continuationSeparator", "continuationNotice")


def read_docx(data: bytes, name: str, keep: Collection[str]) -> NativeDocument:
    """Sections of a DOCX document: headings, paragraphs with their automatic numbers, tables, text boxes and figures in
    their place, foot- and endnotes after the paragraph that refers to them.

    Tracked insertions are text; tracked deletions, text that is struck out, hidden, tiny or white on paper, comments,
    contents and running headers are dropped with that reason. What is chosen, ticked or typed in form fields is text.
    The character sum counts the text of the body, its notes, comments, headers, footers, charts and diagrams; automatic
    numbers and what marks a note are no characters of the file.

    Raises:
        DamagedFile, FileTooLarge.
    """
    return _Reader(Package(data, name), keep).read()


class _Reader:
    """Puts the parts of a document together."""

    def __init__(self, package: Package, keep: Collection[str]):
        self.package, self.keep = package, keep
        self.main = package.main_part()
        self.relationships = package.relationships(self.main)
        self.out = SectionBuilder()
        self.inline = InlineReader(Styles(self._part("styles")), keep)
        self.notes = {kind: self._entries(kind, kind[:-1]) for kind in ("footnotes", "endnotes")}
        self.comments = self._entries("comments", "comment")
        self.total = 0

    def read(self) -> NativeDocument:
        root = self.package.xml(self.main)
        without_alternates(root)
        with_ticks(root)
        for number, paragraph in enumerate(root.iter(f"{W}p"), 1):
            paragraph.set("number", str(number))
        self.total += characters(source_text(root))
        entries = [*self.notes["footnotes"].values(), *self.notes["endnotes"].values(), *self.comments.values()]
        self.total += sum(characters(source_text(entry)) for entry in entries)
        self._running(root, "headerReference")
        objects = Objects(self.package, self.relationships, self.out)
        cells = CellReader(self.inline, Numbering(self._part("numbering")))
        body = Body(self.out, self.inline, cells, objects, self.keep, self)
        content = root.find(f"{W}body")
        body.blocks(content if content is not None else root)
        body.finish()
        self._left()
        self._running(root, "footerReference")
        document = self.out.document_of(self.total + objects.total, notes=objects.notes)
        return NativeDocument(document, objects.pictures)

    def _part(self, kind: str) -> etree._Element | None:
        found = [
            relationship for relationship in of_kind(self.relationships, kind) if relationship.target in self.package
        ]
        return self.package.xml(found[0].target) if found else None

    def _entries(self, kind: str, tag: str) -> dict[str, etree._Element]:
        """Notes or comments by id, without the lines that part notes from text."""
        root = self._part(kind)
        if root is None:
            return {}
        without_alternates(root)
        with_ticks(root)
        return {
            value(entry, "id"): entry
            for entry in root.iterfind(W + tag)
            if value(entry, "type") not in SEPARATORS
        }  # fmt: skip

    def _running(self, root: etree._Element, tag: str) -> None:
        """Headers or footers that some section uses, those of first and even pages among them."""
        reason = RUNNING[tag]
        for target in dict.fromkeys(
            self.relationships[key].target
            for key in (one.get(f"{R}id", "") for one in root.iter(W + tag))
            if key in self.relationships
        ):
            if target not in self.package:
                continue
            part = self.package.xml(target)
            without_alternates(part)
            with_ticks(part)
            text = source_text(part)
            self.total += characters(text)
            if reason in self.keep and text:
                self.out.append("header" if tag.startswith("header") else "footer", text, ())
                self.out.count += characters(text)
            else:
                self.out.drop_at(text, reason)

    # ------------------------------------------------------------ what paragraphs refer to

    def note(self, key: tuple[str, str], place: ParagraphLocator) -> None:
        """A foot- or endnote as a section, the first time that it is referred to."""
        entry = self.notes[key[0]].pop(key[1], None)
        if entry is None:
            return
        found = [self.inline.read(paragraph) for paragraph in entry.iter(f"{W}p")]
        for text, reason in (dropped for one in found for dropped in one.dropped):
            self.out.drop_at(text, reason, (place,))
        text = "\n".join(one.text for one in found if one.text)
        if text:
            self.out.append("text", f"[{self.inline.numbers[key]}] {text}", (place,))
            self.out.count += sum(one.count for one in found)

    def comment(self, number: str, place: ParagraphLocator) -> None:
        """A comment, the first time that its place is met."""
        entry = self.comments.pop(number, None)
        if entry is None:
            return
        text = source_text(entry)
        if COMMENT in self.keep and text:
            author = value(entry, "author")
            self.out.append("text", f"{author}: {text}" if author else text, (place,))
            self.out.count += characters(text)
        else:
            self.out.drop_at(text, COMMENT, (place,))

    def _left(self) -> None:
        """Notes and comments that nothing shown refers to."""
        for entry in (*self.notes["footnotes"].values(), *self.notes["endnotes"].values()):
            self.out.drop_at(source_text(entry), HIDDEN_TEXT)
        for entry in self.comments.values():
            self.out.drop_at(source_text(entry), COMMENT)
