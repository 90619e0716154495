"""Page layouts and table grids of a document to its sections, and the exact sum of its characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from kb_pipeline.deepdoc.assembly.blocks import ordered_blocks
from kb_pipeline.deepdoc.assembly.captions import attach_captions
from kb_pipeline.deepdoc.assembly.composing import Text, add_grid, add_listing, add_paragraph, add_rows
from kb_pipeline.deepdoc.assembly.continued_tables import join_tables
from kb_pipeline.deepdoc.assembly.drafts import Draft, characters, dropped_line, dropped_picture, rows_of
from kb_pipeline.deepdoc.assembly.headings import body_size, mark_headings
from kb_pipeline.deepdoc.assembly.listings import join_listings
from kb_pipeline.deepdoc.assembly.noise import page_noise
from kb_pipeline.deepdoc.assembly.paragraphs import paragraphs
from kb_pipeline.deepdoc.assembly.running_pictures import running_pictures
from kb_pipeline.records import (
    Bookmark,
    Box,
    CharacterSum,
    Dropped,
    Page,
    PageLayout,
    PageLocator,
    PageTables,
    ParsedDocument,
    Section,
    TextLine,
    on_pages,
)
from kb_pipeline.settings import Settings
from kb_pipeline.text.joining import words
from kb_pipeline.text.markers import is_equation_number


class FigureRequest(NamedTuple):
    """A crop that the sections stage is asked to keep: `box` in points of the displayed page."""

    part: str
    page: int
    box: Box


def assemble(
    pages: Sequence[PageLayout],
    tables: Sequence[PageTables],
    bookmarks: Sequence[Bookmark],
    settings: Settings,
) -> ParsedDocument:
    """Sections of a document in reading order, with what was dropped and the sum of characters.

    The sum counts non-space characters: `in` is what the pages say (`PageLayout.characters`); `sections` is counted
    over the pieces of source text that went into sections, separators that assembly adds left out; `dropped` over the
    texts of every Dropped, those of the pages included. A table counts by its cells' text. A table's and a figure's
    caption is the head of its section's text. Pages that failed appear in `pages` with their error.
    """
    ordered = [revived(layout, settings.assembly.keep) for layout in sorted(pages, key=lambda layout: layout.page)]
    by_page = {grids.page: grids for grids in tables}
    noise = page_noise(ordered, tables, bookmarks, settings.assembly.keep)
    dropped: list[Dropped] = []
    blocks = []
    pictures = {k: why for k, why in running_pictures(ordered, noise).items() if why not in settings.assembly.keep}
    for layout, reasons in zip(ordered, noise, strict=True):
        dropped += layout.dropped
        dropped += [dropped_line(layout.lines[index], layout, reason) for index, reason in reasons.items()]
        grids = by_page[layout.page].tables if layout.page in by_page else ()
        gone = {index: reason for (page, index), reason in pictures.items() if page == layout.page}
        dropped += [dropped_picture(layout, index, reason) for index, reason in gone.items()]
        blocks += ordered_blocks(layout, grids, reasons, gone)
    drafts, repeated = join_tables(attach_captions(join_listings(paragraphs(blocks))), settings.assembly.keep)
    dropped += repeated
    drafts = mark_headings(drafts, bookmarks, body_size(ordered))
    sections, count, hyphens = _sections(drafts, _vocabulary(ordered), settings.assembly.keep)
    dropped += hyphens
    by_reason: Counter[str] = Counter()
    for item in dropped:
        by_reason[item.reason] += characters(item.text)
    total = sum(layout.characters for layout in ordered)
    return ParsedDocument(
        pages=tuple(_page(layout, by_page.get(layout.page)) for layout in ordered),
        sections=tuple(sections),
        dropped=tuple(dropped),
        characters=CharacterSum(total, count, dict(sorted(by_reason.items()))),
    )


def revived(layout: PageLayout, keep: Collection[str]) -> PageLayout:
    """A page with the text that its reading dropped for one of these reasons back among its lines."""
    back = [item for item in layout.dropped if item.reason in keep and on_pages(item.locators)]
    if not back:
        return layout
    lines = [TextLine(item.text, on_pages(item.locators)[0].box, "text layer") for item in back]
    dropped = tuple(item for item in layout.dropped if item not in back)
    return msgspec.structs.replace(layout, lines=(*layout.lines, *lines), dropped=dropped)


def figure_requests(document: ParsedDocument) -> list[FigureRequest]:
    """The crops of figures and formulas that the sections of a document name."""
    pictured = [(section.picture, on_pages(section.locators)[0]) for section in document.sections if section.picture]
    return [FigureRequest(picture, place.page, place.box) for picture, place in pictured]


def _page(layout: PageLayout, grids: PageTables | None) -> Page:
    error = layout.error or (grids.error if grids else "")
    return Page(layout.page, layout.width, layout.height, layout.source, layout.verdict.label, error)


def _vocabulary(pages: Sequence[PageLayout]) -> set[str]:
    """Words of the document that no line end touches: they tell which hyphens belong to words."""
    found: set[str] = set()
    for layout in pages:
        for line in layout.lines:
            found |= words(line.text.strip().rsplit(None, 1)[0]) if " " in line.text.strip() else set()
    return found


def _sections(
    drafts: Sequence[Draft], vocabulary: Collection[str], keep: Collection[str]
) -> tuple[list[Section], int, list[Dropped]]:
    sections: list[Section] = []
    dropped: list[Dropped] = []
    count = 0
    trail: list[tuple[int, str]] = []
    figures: Counter[int] = Counter()
    for draft in drafts:
        text, caption = _text(draft, vocabulary, keep)
        count += text.count
        dropped += text.dropped
        block = draft.block
        picture = ""
        if block is not None and block.shown is not None and block.grid is None:
            figures[draft.page] += 1
            picture = f"figure-p{draft.page:04d}-{figures[draft.page]:02d}.jpg"
        locators = tuple(text.locators)
        if block is not None and block.shown is not None and (block.grid is None or draft.more or not locators):
            parts = [(part, part.shown) for part in (block, *draft.more) if part.shown is not None]
            locators = (*(PageLocator(part.page, shown, part.page_size) for part, shown in parts), *locators)
        if draft.level:
            trail = [entry for entry in trail if entry[0] < draft.level]
        sections.append(
            Section(
                id=f"s{len(sections) + 1:05d}",
                role=draft.role,
                text=text.value,
                level=draft.level,
                breadcrumb=tuple(title for _, title in trail),
                locators=locators,
                html=block.grid.html if block and block.grid else "",
                cells=block.grid.cells if block and block.grid else (),
                caption=caption,
                picture=picture,
            )
        )
        if draft.level:
            trail.append((draft.level, text.value))
    return sections, count, dropped


def _text(draft: Draft, vocabulary: Collection[str], keep: Collection[str]) -> tuple[Text, str]:
    """A draft's text and its caption, which is the head of the text."""
    text = Text()
    if draft.block is None:
        if draft.verbatim:
            add_listing(text, draft.rows)
        else:
            add_paragraph(text, draft.rows, vocabulary, keep)
        return text, ""
    if draft.caption:
        add_paragraph(text, draft.caption, vocabulary, keep)
    caption = text.value
    if draft.block.grid is not None:
        add_grid(text, draft.block.grid, draft.block.page_size)
    else:
        numbers = [line for line in draft.block.lines if draft.role == "equation" and is_equation_number(line.text)]
        add_rows(text, rows_of([line for line in draft.block.lines if line not in numbers]))
        for line in numbers:
            text.separate(" " if text.length else "")
            text.add_line(line, line.text)
    return text, caption
