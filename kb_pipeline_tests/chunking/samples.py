"""Documents that chunking tests make up, and what of their chunks is asserted."""

from __future__ import annotations

from hypothesis import strategies as st

from kb_pipeline.chunking.cut import chunk_document
from kb_pipeline.records import CharacterSum, Chunk, PageLocator, ParsedDocument, Section, TableCell
from kb_pipeline.settings import ChunkingSettings

SIZE = (600.0, 800.0)


def words(texts: list[str]) -> list[int]:
    """A cheap counter: a token a word, and one for every two ideographs."""
    return [len(text.split()) + sum(ord(c) > 0x2E80 for c in text) // 2 for text in texts]


def letters(texts: list[str]) -> list[int]:
    """A token a character that is not white space."""
    return [len("".join(text.split())) for text in texts]


def document(*sections: Section) -> ParsedDocument:
    numbered = [
        Section(f"s{i}", **{f: getattr(s, f) for f in s.__struct_fields__ if f != "id"}) for i, s in enumerate(sections)
    ]
    return ParsedDocument((), tuple(numbered), (), CharacterSum(0, 0, {}))


def section(text: str, level: int = 0, role: str = "text", trail: tuple[str, ...] = (), **more) -> Section:
    """A section whose lines each have a place of their own."""
    places, start = [], 0
    for i, piece in enumerate(text.split("\n")):
        box = (50.0, 10.0 * (i % 70), 300.0, 10.0 * (i % 70) + 9)
        places.append(PageLocator(1 + i // 70, box, SIZE, start, start + len(piece)))
        start += len(piece) + 1
    return Section("", role, text, level=level, breadcrumb=trail, locators=tuple(places), **more)


def table(rows: list[list[str]], caption: str = "", header_rows: int = 1, spans: dict | None = None) -> Section:
    """A table whose cells each have a place of their own. `spans`: (rowspan, colspan) by (row, column); a cell that
    another one covers is not written."""
    text, cells, covered = caption, [], set()
    places = [PageLocator(1, (0.0, 790.0, 600.0, 799.0), SIZE, 0, len(caption))] if caption else []
    for r, row in enumerate(rows):
        text += "\n" if text else ""
        first = True
        for c, piece in enumerate(row):
            if (r, c) in covered:
                continue
            rowspan, colspan = (spans or {}).get((r, c), (1, 1))
            covered |= {(r + i, c + j) for i in range(rowspan) for j in range(colspan)}
            text += "" if first else " | "
            first = False
            box = (100.0 * c, 10.0 * (r % 70), 100.0 * (c + colspan) - 10, 10.0 * (r % 70 + rowspan) - 1)
            places.append(PageLocator(1 + r // 70, box, SIZE, len(text), len(text) + len(piece)))
            cells.append(
                TableCell(r, c, rowspan, colspan, r < header_rows, piece, (PageLocator(1 + r // 70, box, SIZE),))
            )
            text += piece
    return Section("", "table", text, locators=tuple(places), cells=tuple(cells), caption=caption)


def chunks(*sections: Section, most: int = 10_000, count=words, **chosen) -> list[Chunk]:
    chosen = {"mode": "general", "chunk_tokens": 32, **chosen}
    return chunk_document(document(*sections), ChunkingSettings(**chosen), count, most)


def texts(found: list[Chunk]) -> list[str]:
    return [chunk.text for chunk in found]


def sentences(count: int, start: int = 0) -> str:
    return " ".join(f"This is sentence number {i} here." for i in range(start, start + count))


def squeezed(pieces) -> str:
    """Texts without white space and the bars between cells."""
    return "".join("".join(piece.replace("|", " ").split()) for piece in pieces)


def own_text(found: list[Chunk]) -> str:
    """Texts of chunks without what they say was added, white space aside."""
    kept = []
    for chunk in found:
        text = list(chunk.text)
        for mark in chunk.added:
            text[mark.start : mark.end] = [" "] * (mark.end - mark.start)
        kept.append("".join(text) if chunk.parent < 0 else "")
    return squeezed(kept)


# ---------------------------------------------------------------- random documents

PARAGRAPH = st.text(st.sampled_from("ab 1.,，。；\n（)e\u0301矿中铜"), min_size=1, max_size=160)
LINE = st.sampled_from(
    ["问：矿区在哪里？", "答：在省境东南。", "Q: grade", "A: 0.85", "第一条 总则。", "第二条 范围", "1.2 一般规定",
     "1. 何时取样？", "2. 何处？", "品位\t0.85", "a,b", "第一章 总则"]
)  # fmt: skip
CELL = st.text(st.sampled_from("ab1.矿 "), max_size=12)


@st.composite
def documents(draw):
    found, trail = [], []
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["text", "text", "line", "title", "table", "equation", "figure"]))
        crumbs = tuple(text for _, text in trail)
        if kind == "table":
            width = draw(st.integers(1, 3))
            rows = draw(st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=8))
            found.append(table(rows, draw(st.sampled_from(["", "表1 品位"])), draw(st.integers(0, 2))))
        elif kind == "title":
            level = draw(st.integers(1, 3))
            trail = [entry for entry in trail if entry[0] < level]
            crumbs = tuple(text for _, text in trail)
            text = draw(PARAGRAPH).replace("\n", " ")
            found.append(section(text, level=level, role="title", trail=crumbs))
            trail.append((level, text))
        elif kind == "line":
            found.append(section("\n".join(draw(st.lists(LINE, min_size=1, max_size=5))), trail=crumbs))
        else:
            found.append(section(draw(PARAGRAPH), role=kind, trail=crumbs))
    return document(*found)
