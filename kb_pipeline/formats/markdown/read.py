"""Markdown: headings, paragraphs, lists, code, formulas, tables, pictures and notes, with the lines they come from.

Marks that only shape the text are dropped as such, HTML tags, comments, struck-out text and the addresses of links and
pictures with that reason. A note follows the paragraph that refers to it first. Front matter gives the document's
properties.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import msgspec
from markdown_it.token import Token

from kb_pipeline.formats.building import SectionBuilder, characters
from kb_pipeline.formats.charset import decode
from kb_pipeline.formats.lines import numbered
from kb_pipeline.formats.markdown.front_matter import read_front_matter
from kb_pipeline.formats.markdown.html_blocks import HtmlBlocks
from kb_pipeline.formats.markdown.inline import Inline, parser, read_inline
from kb_pipeline.formats.markdown.pipe_tables import read_pipe_table
from kb_pipeline.formats.markdown.source import Piece, Place, Run, Source
from kb_pipeline.records import ParsedDocument
from kb_pipeline.text.drop_reasons import LINK_ADDRESS, PROPERTY

LONGEST_HEADING = 300  # characters; every section below repeats its headings
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+$")
_TASK = re.compile(r"\[([ xX])\](?=[ \t])")
_FORMULA = re.compile(r"^[ \t>]+|\$\$|[^$]+|\$")  # a line of a formula in its parts, the marks around it among them
CONTAINERS = ("list_item_open", "bullet_list_open", "ordered_list_open", "blockquote_open", "footnote_reference_open")
_LABEL = re.compile(r"\[\^[^\]]+\]:[ \t]*$")


def read_markdown(data: bytes, name: str, keep: Collection[str] = ()) -> ParsedDocument:
    """Sections of a Markdown file; every line is a locator of its own. `name` is not needed to read it; `keep`: drop
    reasons whose text stays in the sections."""
    decoded = decode(data)
    lines = [line for _, line in numbered(decoded.text)]
    out = SectionBuilder()
    properties, body = read_front_matter(lines)
    document = _Reader(Source(lines, out), body, keep)
    document.read()
    total = characters(decoded.text)
    found = out.document_of(total, decoded.codec, decoded.notes)
    return msgspec.structs.replace(found, properties=properties)


class _Reader:
    """Blocks to sections. `body`: index of the first line behind the front matter."""

    def __init__(self, source: Source, body: int, keep: Collection[str]):
        self.source, self.body, self.keep = source, body, keep
        self.md, self.env = parser(), {}
        self.notes: dict[str, list[Token]] = {}
        self.item, self.quotes, self.label = 0, 0, ""

    def read(self) -> None:
        self._front_matter()
        lines = self.source.lines
        tokens = self.md.parse("\n".join([*[""] * self.body, *lines[self.body :]]), self.env)
        if LINK_ADDRESS not in self.keep:
            self._references()
        self._blocks(self._without_notes(tokens))
        for label in list(self.notes):
            self._note(label)
        self._uncovered()
        self.source.close()

    def _front_matter(self) -> None:
        held = [Piece(n, 0, len(line), line) for n, line in enumerate(self.source.lines[: self.body], 1)]
        self.source.covered.update(piece.line for piece in held)
        if PROPERTY in self.keep:
            self.source.add("text", held[1:-1])
        else:
            self.source.take([piece._replace(reason=PROPERTY) for piece in held])

    def _references(self) -> None:
        """Definitions of links: addresses, each in its lines."""
        for one in (*self.env.get("references", {}).values(), *self.env.get("duplicate_refs", ())):
            for number in range(one["map"][0] + 1, one["map"][1] + 1):
                self.source.covered.add(number)
                self.source.take([Piece(number, 0, len(self.source.lines[number - 1]), "", LINK_ADDRESS)])

    def _without_notes(self, tokens: Sequence[Token]) -> list[Token]:
        """Tokens outside of notes; those within are kept by the notes' labels."""
        found, inside, depth = [], [], 0
        for token in tokens:
            if token.type == "footnote_reference_open":
                depth += 1
                inside = inside if depth > 1 else self.notes.setdefault(token.meta["label"], [])
            if depth:
                inside.append(token)
            else:
                found.append(token)
            depth -= token.type == "footnote_reference_close"
        return found

    def _note(self, label: str) -> None:
        tokens = self.notes.pop(label, None)
        if tokens:
            self.label = label
            self._blocks(tokens)
            self.label = ""

    # ------------------------------------------------------------ blocks

    def _blocks(self, tokens: Sequence[Token]) -> None:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            kind = token.type
            if (
                token.map
                and kind != "list_item_open"
                and not kind.endswith(("list_open", "quote_open", "reference_open"))
            ):
                self.source.covered.update(range(token.map[0] + 1, token.map[1] + 1))
            if kind == "list_item_open":
                self.item = token.map[0] + 1 if token.map else 0
            elif kind in ("blockquote_open", "blockquote_close"):
                self.quotes += token.nesting
            elif kind in ("paragraph_open", "heading_open"):
                self._paragraph(token, tokens[at + 1])
                at += 1
            elif kind in ("fence", "code_block"):
                self._code(token)
            elif kind == "math_block":
                self._equation(token)
            elif kind == "html_block":
                at = self._html(tokens, at)
            elif kind == "table_open":
                end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
                self._table(tokens[at:end])
                at = end
            at += 1

    def _paragraph(self, opening: Token, inner: Token) -> None:
        first, content = (inner.map or [0])[0] + 1, inner.content
        line = self.source.lines[first - 1]
        atx = opening.type == "heading_open" and opening.markup.startswith("#")
        column = -1
        if atx:
            rest = line[line.index("#") :].lstrip("#")
            column = len(line) - len(rest.lstrip())
        place = Place(content, first, self.source.lines, column)
        found = read_inline(self.md, self.env, content, self.keep)
        pieces = [piece for run in found.runs for piece in place.pieces(run)]
        level = int(opening.tag[1]) if opening.type == "heading_open" and len(content) <= LONGEST_HEADING else 0
        if level:
            self.source.add("title", pieces, level=level, joint=" ")
        elif found.pictures and not found.words and self.item != first:
            self.source.add("figure", pieces)
        else:
            self.source.add("text", self._marked(first, pieces, place))
        for label in found.notes:
            self._note(label)

    def _marked(self, first: int, pieces: list[Piece], place: Place) -> list[Piece]:
        """Pieces of a paragraph after the mark of its item or note, which is text."""
        line, column = self.source.lines[first - 1], place.column
        label = _LABEL.search(line[:column]) if self.label else None
        if label:
            self.label = ""
            start = label.start()
            marks = [
                Piece(first, start, start + 1, "["),
                Piece(first, start + 2, label.end(), label[0].strip()[2:-1] + " "),
            ]
            return [*marks, *pieces]
        match = _ITEM.search(line[:column]) if self.item == first else None
        if match is None:
            return pieces
        self.item = 0
        task = _TASK.match(line, column)
        if task:
            box = Piece(first, column, task.end(), "☐" if task[1] == " " else "☑")
            pieces = [box, *_after(pieces, first, task.end())]
        return [Piece(first, match.start(), column, match[0]), *pieces]

    def _code(self, token: Token) -> None:
        """A listing, its lines as they are."""
        fenced = token.type == "fence"
        first = (token.map or [0])[0] + 1 + fenced
        content = token.content.removesuffix("\n")
        place = Place(content, first, self.source.lines)
        texts = zip(place.starts, content.split("\n"), strict=True)
        pieces = [piece for start, text in texts for piece in place.pieces(Run(start, start + len(text), text))]
        fence = token.markup + token.info.strip() if fenced else "```"
        self.source.add("text", pieces, trim=False, fence=fence)

    def _equation(self, token: Token) -> None:
        start, end = token.map or [0, 0]
        pieces = []
        for number in range(start + 1, end + 1):
            line = self.source.lines[number - 1]
            pieces += [
                Piece(number, match.start(), match.end(), match[0])
                for match in _FORMULA.finditer(line)
                if match[0].strip(" \t>$")
            ]
        self.source.add("equation", pieces)

    # ------------------------------------------------------------ tables and HTML

    def _table(self, tokens: Sequence[Token]) -> None:
        rows = [token.map[0] + 1 for token in tokens if token.type == "tr_open" and token.map]
        item = self.item if self.item in rows else 0
        notes = read_pipe_table(self.source, rows, self.quotes, item, self._inline)
        for label in notes:
            self._note(label)

    def _inline(self, content: str) -> Inline:
        return read_inline(self.md, self.env, content, self.keep)

    def _html(self, tokens: Sequence[Token], at: int) -> int:
        """Blocks of HTML, taken together while a table in them is open; returns the index of the last one."""
        blocks = HtmlBlocks(self.source, self.keep)
        while True:
            token = tokens[at]
            start, end = token.map or (0, 0)
            self.source.covered.update(range(start + 1, end + 1))
            blocks.add(Place(token.content, start + 1, self.source.lines), token.content)
            more = at + 1 < len(tokens) and tokens[at + 1].type in ("html_block", "code_block")
            if not (blocks.in_table and more):
                break
            at += 1
        blocks.close()
        return at

    def _uncovered(self) -> None:
        """Lines that are in no block, since they are nested beyond all bounds, as text."""
        for number, line in enumerate(self.source.lines, 1):
            if number not in self.source.covered and any(map(str.isalnum, line)):
                self.source.add("text", [Piece(number, 0, len(line), line)])


def _after(pieces: Sequence[Piece], line: int, column: int) -> list[Piece]:
    """Pieces without what stands before a column of that line."""
    found = []
    for piece in pieces:
        if piece.line == line and piece.start < column:
            cut = column - piece.start
            if piece.end <= column:
                continue
            piece = piece._replace(start=column, text=piece.text[cut:])
        found.append(piece)
    return found
