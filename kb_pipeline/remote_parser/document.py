"""The pages of a layout-parsing service as one document: sections in order, dropped text, the character sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kb_pipeline.deepdoc.assembly.composing import ROW, Text, add_grid
from kb_pipeline.deepdoc.assembly.drafts import characters
from kb_pipeline.deepdoc.files.geometry import clip, quad_box
from kb_pipeline.deepdoc.vision.orientation import turn_points
from kb_pipeline.records import (
    Box,
    CharacterSum,
    Dropped,
    Page,
    PageLocator,
    PageRender,
    ParsedDocument,
    Role,
    Section,
    TableCell,
    TableGrid,
)
from kb_pipeline.remote_parser.answer import RemotePage
from kb_pipeline.remote_parser.blocks import Piece, page_pieces
from kb_pipeline.remote_parser.tables import read_table, visible
from kb_pipeline.tables.html import table_html

METHOD = "remote"  # of the grids
MISSING_PICTURE = "picture could not be fetched"

CAPTIONED: Mapping[str, tuple[str, ...]] = {
    "figure caption": ("figure",), "table caption": ("table",), "caption": ("figure", "table"),
}  # fmt: skip


@dataclass
class _Draft:
    """A piece on its page, with the caption that was found for it."""

    piece: Piece
    page: int
    box: Box
    size: tuple[float, float]
    caption: _Draft | None = None

    def place(self, start: int = 0, end: int = 0) -> PageLocator:
        return PageLocator(self.page, self.box, self.size, start, end)


@dataclass
class RemoteDocument:
    """The document, and the pictures that its sections name: part name to the picture's name on its page."""

    document: ParsedDocument
    pictures: dict[str, tuple[int, str]] = field(default_factory=dict)


def remote_document(
    renders: Sequence[PageRender], answers: Sequence[RemotePage], keep: Collection[str] = ()
) -> RemoteDocument:
    """The document of pages and what the service answered for each, in the same order.

    Places are the blocks' boxes, or the whole page where the service gives none. The sum counts what the service
    answered: its blocks, or its Markdown without the marks. Tables are written anew from their cells, so that no
    markup of the service reaches a reader.

    Args:
        keep: drop reasons that are switched off.
    """
    drafts: list[_Draft] = []
    dropped: list[Dropped] = []
    pages, total = [], 0
    for render, answer in zip(renders, answers, strict=True):
        size = (render.width, render.height) if render.width else (answer.width or 1.0, answer.height or 1.0)
        pieces = page_pieces(answer)
        for piece in pieces:
            total += characters(visible(piece.text) if piece.role == "table" else piece.text)
            draft = _Draft(piece, render.page, _place(piece.box, answer, size), size)
            if piece.reason and piece.reason not in keep:
                dropped.append(Dropped(piece.text, piece.reason, (draft.place(0, len(piece.text)),)))
            else:
                drafts.append(draft)
        source = "ocr" if pieces else "none"
        pages.append(Page(render.page, *size, source, render.verdict.label, render.error))
    sections, pictures, count = _sections(_captioned(drafts))
    by_reason: Counter[str] = Counter()
    for item in dropped:
        by_reason[item.reason] += characters(item.text)
    sums = CharacterSum(total, count, dict(sorted(by_reason.items())))
    return RemoteDocument(ParsedDocument(tuple(pages), tuple(sections), tuple(dropped), sums), pictures)


def without_pictures(document: ParsedDocument, missing: Collection[str]) -> ParsedDocument:
    """The document without the pictures of those part names, each noted as dropped at its place."""
    if not missing:
        return document
    sections, notes = [], []
    for section in document.sections:
        if section.picture in missing:
            notes.append(Dropped("", MISSING_PICTURE, section.locators[:1]))
            section = _replaced(section, picture="")
        sections.append(section)
    sums = document.characters
    dropped = dict(sorted({**sums.dropped, MISSING_PICTURE: 0}.items()))
    return _replaced(
        document, sections=tuple(sections), dropped=(*document.dropped, *notes),
        characters=CharacterSum(sums.in_, sums.sections, dropped),
    )  # fmt: skip


def _replaced(record, **changes):
    import msgspec

    return msgspec.structs.replace(record, **changes)


def _place(box: Box | None, answer: RemotePage, size: tuple[float, float]) -> Box:
    """The box on the displayed page in points; the whole page where it is not known."""
    if box is None or not answer.width or not answer.height:
        return (0.0, 0.0, *size)
    seen = (answer.width, answer.height)
    if answer.turned % 180:  # services differ in whether they tell the size before or after turning
        sideways = size[1] / size[0]
        seen = min((seen, seen[::-1]), key=lambda s: abs(np.log(s[0] / s[1] / sideways)))
    corners = turn_points(np.array(box, float).reshape(2, 2), answer.turned, *seen)
    shown = seen[::-1] if answer.turned % 180 else seen
    corners = corners * [size[0] / shown[0], size[1] / shown[1]]
    placed = clip(quad_box(np.repeat(corners, 2, axis=0)), *size)
    x0, top, x1, bottom = (round(float(v), 2) for v in placed)
    return (x0, top, x1, bottom) if x1 > x0 and bottom > top else (0.0, 0.0, *size)


def _captioned(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Captions moved into the table or figure that stands next to them on the page: tables' from before, figures'
    from behind, where both are possible."""
    gone: set[int] = set()
    for i, draft in enumerate(drafts):
        kinds = CAPTIONED.get(draft.piece.role)
        if not kinds:
            continue
        steps = (1, -1) if draft.piece.role == "table caption" else (-1, 1)
        for k in (i + step for step in steps):
            near = drafts[k] if 0 <= k < len(drafts) else draft
            if near.page == draft.page and near.piece.role in kinds and near.caption is None:
                near.caption = draft
                gone.add(i)
                break
    return [draft for i, draft in enumerate(drafts) if i not in gone]


def _sections(drafts: Sequence[_Draft]) -> tuple[list[Section], dict[str, tuple[int, str]], int]:
    sections: list[Section] = []
    pictures: dict[str, tuple[int, str]] = {}
    trail: list[tuple[int, str]] = []
    figures: Counter[int] = Counter()
    count = 0
    for draft in drafts:
        piece, text = draft.piece, Text()
        caption = ""
        if draft.caption:
            _add(text, draft.caption, draft.caption.piece.text)
            caption = text.value
        grid = _table(text, draft) if piece.role == "table" else None
        if grid is None and piece.text:
            text.break_row()
            _add(text, draft, piece.text)
        elif grid is not None and grid.cells:
            caption = caption or text.value
            add_grid(text, grid, draft.size)
        picture = ""
        if piece.image:
            figures[draft.page] += 1
            picture = f"figure-p{draft.page:04d}-{figures[draft.page]:02d}.jpg"
            pictures[picture] = (draft.page, piece.image)
        count += text.count
        if not text.value and not picture and piece.role != "figure":
            continue
        locators = tuple(text.locators)
        if piece.role in ("figure", "table") and (piece.role == "figure" or not locators):
            locators = (draft.place(), *locators)
        level = piece.level
        if level:
            trail = [entry for entry in trail if entry[0] < level]
        role: Role = "text" if piece.role == "caption" else piece.role
        sections.append(
            Section(
                id=f"s{len(sections) + 1:05d}",
                role=role,
                text=text.value,
                level=level,
                breadcrumb=tuple(title for _, title in trail),
                locators=locators,
                html=grid.html if grid else "",
                cells=grid.cells if grid else (),
                caption=caption,
                picture=picture,
            )
        )
        if level:
            trail.append((level, text.value))
    return sections, pictures, count


def _add(text: Text, draft: _Draft, value: str) -> None:
    if value:
        start = text.add(value)
        text.locators.append(draft.place(start, text.length))


def _table(text: Text, draft: _Draft) -> TableGrid:
    """The grid of a table; what stands outside of its cells is appended to the text, which is its caption then."""
    table = read_table(draft.piece.text)
    if table.outside:
        if text.length:
            text.separate(ROW)
        _add(text, draft, table.outside)
    cells = tuple(
        TableCell(c.row, c.col, c.rowspan, c.colspan, c.header, value, (draft.place(0, len(value)),))
        for c, value in zip(table.cells, table.texts, strict=True)
    )
    rows = max((c.row + c.rowspan for c in cells), default=0)
    cols = max((c.col + c.colspan for c in cells), default=0)
    html = table_html(cells) if cells else ""
    return TableGrid(draft.page, draft.box, -1, rows, cols, cells, html, METHOD, 1.0, ())
