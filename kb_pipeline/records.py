"""The nouns of the pipeline, as frozen records that encode to JSON with their fields in order.

Frame of every box: the *displayed* page (after CropBox, /Rotate and UserUnit), points, origin top left,
`(x0, top, x1, bottom)`. Pages count from 1. Character ranges are half open: `text[start:end]`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeVar

import msgspec

from kb_pipeline.locators import CellLocator as CellLocator
from kb_pipeline.locators import ElementLocator as ElementLocator
from kb_pipeline.locators import LineLocator as LineLocator
from kb_pipeline.locators import Locator, PageLocator
from kb_pipeline.locators import ParagraphLocator as ParagraphLocator
from kb_pipeline.locators import SlideLocator as SlideLocator
from kb_pipeline.locators.place import Box

Quad = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]

Role = Literal[
    "title", "text", "reference", "figure", "figure caption", "table", "table caption", "equation", "header", "footer"
]
Source = Literal["text layer", "ocr", "mixed", "none"]
Origin = Literal["text layer", "ocr"]
Label = Literal["clean", "garbled", "scan", "scan noise", "blank"]


class Record(msgspec.Struct, frozen=True):
    """Base of the records: immutable, ordered fields, JSON through `encode`."""


def on_pages(locators: Iterable[Locator]) -> list[PageLocator]:
    """Those of the locators that are boxes on pages: all of them, for a PDF or a picture."""
    return [place for place in locators if isinstance(place, PageLocator)]


# ---------------------------------------------------------------- one page


class Verdict(Record, frozen=True):
    """Whether a page's character layer can be trusted, with the figures that led to it."""

    label: Label
    figures: dict[str, float]


class PageRender(Record, frozen=True):
    """What page_renders keeps of a page beside its characters and its display picture.

    `width`, `height`: displayed size in points. `scale`: pixels per point of the full picture that later stages see
    (reduced where the pixel budget demands it). `picture_digest`: hash of that full picture's pixels.
    """

    page: int
    width: float
    height: float
    rotation: int
    scale: float
    picture_digest: str
    characters: int
    verdict: Verdict
    error: str = ""


class TextLine(Record, frozen=True):
    """One line (or, in tables and between columns, one segment of a line).

    `edges`: coordinate of each character boundary along the reading direction, `len(text) + 1` values in points
    (x for horizontal, y for vertical lines); empty when not known. `region`: index into the page's regions, -1 for
    none. `size`: height of the line's type in points. `confidence`: 1.0 for the text layer. `angle`: degrees by which
    the line leans clockwise from the nearest axis of the page, -45…45. `light`: of its ink, 0 black … 1 white.
    """

    text: str
    box: Box
    origin: Origin
    confidence: float = 1.0
    size: float = 0.0
    bold: bool = False
    vertical: bool = False
    region: int = -1
    quad: Quad | None = None
    edges: tuple[float, ...] = ()
    angle: float = 0.0
    light: float = 0.0


class Region(Record, frozen=True):
    """A layout box with a role; `score` is the model's, 1.0 where the region was derived from lines."""

    role: Role
    box: Box
    score: float = 1.0


class Dropped(Record, frozen=True):
    """Text that is in the document and in no section, with the reason and the place."""

    text: str
    reason: str
    locators: tuple[Locator, ...] = ()


class PageLayout(Record, frozen=True):
    """What layout_boxes keeps of a page.

    Invariant: characters of the character layer + non-space characters of the recognised text
    = those in `lines` + those in `dropped`; the sum is `characters`.
    """

    page: int
    width: float
    height: float
    source: Source
    verdict: Verdict
    turned: int
    lines: tuple[TextLine, ...]
    regions: tuple[Region, ...]
    dropped: tuple[Dropped, ...]
    characters: int
    error: str = ""


class TableCell(Record, frozen=True):
    """One cell: `row`, `col` from 0; `locators` are the cell's own places."""

    row: int
    col: int
    rowspan: int
    colspan: int
    header: bool
    text: str
    locators: tuple[Locator, ...] = ()


class TableGrid(Record, frozen=True):
    """A table of one page. `lines`: indexes of the page's lines whose text is in the cells.

    `method`: which reader won (model name, `rulings`, `lines`); `confidence`: mean token probability of a model.
    `turned`: clockwise degrees by which the content stands on the page.
    """

    page: int
    box: Box
    region: int
    rows: int
    cols: int
    cells: tuple[TableCell, ...]
    html: str
    method: str
    confidence: float
    lines: tuple[int, ...]
    turned: int = 0


class PageTables(Record, frozen=True):
    """What table_grids keeps of a page."""

    page: int
    tables: tuple[TableGrid, ...]
    error: str = ""


# ---------------------------------------------------------------- one document


class Bookmark(Record, frozen=True):
    """An outline entry: `level` from 1; `page` 0 where it has no target; `top` in points of the displayed page."""

    title: str
    level: int
    page: int
    top: float = 0.0


class Page(Record, frozen=True):
    """A page as users see it in listings."""

    page: int
    width: float
    height: float
    source: Source
    verdict: Label
    error: str = ""


class Section(Record, frozen=True):
    """One heading, paragraph, table, figure, equation or reference in reading order.

    `level`: heading level from 1, 0 for what is no heading. `breadcrumb`: the headings above, outermost first.
    `text` of a table is its readable form, rows on lines, cells parted by ` | `; `html` and `cells` hold the grid.
    `caption` is the head of `text`, too. `picture`: part name of a figure's crop in the sections artefact. `fence`: the
    line that opens a listing in Markdown, such as "```python"; empty for what is no listing.
    """

    id: str
    role: Role
    text: str
    level: int = 0
    breadcrumb: tuple[str, ...] = ()
    locators: tuple[Locator, ...] = ()
    html: str = ""
    cells: tuple[TableCell, ...] = ()
    caption: str = ""
    picture: str = ""
    fence: str = ""


class CharacterSum(Record, frozen=True, rename={"in_": "in"}):
    """Non-space characters: read, kept in sections, dropped by reason. `in = sections + sum(dropped)`."""

    in_: int
    sections: int
    dropped: dict[str, int]

    @property
    def balanced(self) -> bool:
        return self.in_ == self.sections + sum(self.dropped.values())


class ParsedDocument(Record, frozen=True):
    """What the sections stage keeps, and what `kb parse --format json` prints.

    `charset`: codec by which a text file was decoded, empty for all else. `notes`: what a reader should know of the
    file, such as formulas without a stored value. `properties`: what the file says of itself, such as title and date
    in the front matter of Markdown.
    """

    pages: tuple[Page, ...]
    sections: tuple[Section, ...]
    dropped: tuple[Dropped, ...]
    characters: CharacterSum
    charset: str = ""
    notes: tuple[str, ...] = ()
    properties: dict[str, str] = {}


ChunkKind = Literal["text", "table", "figure", "equation"]


AddedKind = Literal["overlap", "header", "context", "heading", "question", "merged", "formula", "label"]


class Added(Record, frozen=True):
    """A range `text[start:end]` of a chunk that is not its own.

    `overlap`: the end of the chunk before; `header`: caption and header rows of a table that was split; `context`: text
    around a table, figure or formula; `heading`: a heading above; `question`: of an answer that was split; `merged`: a
    cell that began in a row before; `formula`: one that stands in its text, too; `label`: in no section at all.
    """

    kind: AddedKind
    start: int
    end: int


class Chunk(Record, frozen=True):
    """Text to index. `ordinal` from 0 in reading order; `tokens` by the embedding model's tokenizer.

    Every locator's `start:end` is a range of `text`. The texts of all chunks without what was `added` are the text of
    all sections, in order. `picture`: part name of a figure's crop in the sections artefact. `parent`: ordinal of the
    chunk that is shown where this one is found, -1 for none; such children repeat parts of their parents and stand
    after all of these.
    """

    ordinal: int
    kind: ChunkKind
    text: str
    breadcrumb: tuple[str, ...]
    tokens: int
    section_ids: tuple[str, ...]
    locators: tuple[Locator, ...]
    added: tuple[Added, ...] = ()
    picture: str = ""
    parent: int = -1


def crumb_line(crumbs: tuple[str, ...]) -> str:
    """The line of headings at the head of a chunk in mode manual: `[第一章 …] > [第二节 …]`."""
    return " > ".join(f"[{crumb}]" for crumb in crumbs)


class Enrichment(Record, frozen=True):
    """What an LLM added to a chunk (all empty when enrichment is off)."""

    ordinal: int
    keywords: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    summary: str = ""
    tags: tuple[str, ...] = ()
    description: str = ""


class IndexRows(Record, frozen=True):
    """What was written to Milvus for a document: version, primary keys of its chunks in ordinal order, and how many
    rows there are with those of questions."""

    collection: str
    version: str
    ids: tuple[str, ...]
    count: int = 0


# ---------------------------------------------------------------- answers


class Hit(Record, frozen=True):
    """A retrieved chunk. `scores` are the parts from which `score` recomputes. `added`, `picture` as in `Chunk`.
    `source_gone`: the file or address that the document was read from is not there any more."""

    chunk_id: str
    document: str
    document_id: str
    kind: str
    text: str
    breadcrumb: tuple[str, ...]
    score: float
    scores: dict[str, float]
    locators: tuple[Locator, ...]
    added: tuple[Added, ...] = ()
    picture: str = ""
    source_gone: bool = False


class Citation(Record, frozen=True):
    """`[n]` in an answer. `verified`: the quote occurs in the chunk, white space aside. `locators` cover the quote.
    `source_gone` as in `Hit`."""

    n: int
    chunk_id: str
    document: str
    quote: str
    verified: bool
    locators: tuple[Locator, ...]
    source_gone: bool = False


class Answer(Record, frozen=True):
    """An answer; `mode` is `extractive` (no LLM) or `llm`; `confidence` in 0…1. `notes`: what did not go as set in the
    search before it."""

    answer: str
    citations: tuple[Citation, ...]
    confidence: float
    mode: str
    notes: tuple[str, ...] = ()


# ---------------------------------------------------------------- JSON

T = TypeVar("T")

_encoder = msgspec.json.Encoder()


def encode(record: object) -> bytes:
    """Compact JSON, fields in order: the same record always gives the same bytes."""
    return _encoder.encode(record)


def decode(data: bytes, kind: type[T]) -> T:
    """The record of that kind; raises msgspec.ValidationError where the bytes are of another shape."""
    return msgspec.json.decode(data, type=kind)
