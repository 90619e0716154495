"""What the benchmarks of assembly ask of a document's Markdown: truth texts, unit tests of pages, exact truth."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import lxml.html
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

SAME_CELL = 90  # fuzz.ratio from which a table's cell is the one that a test names


class Truth(NamedTuple):
    """A document with the text that it holds in reading order, paragraphs parted by empty lines."""

    path: Path
    text: str


def truth_texts(data: Path) -> Iterator[Truth]:
    """PDFs with a truth text beside them, as Markdown."""
    for truth in sorted((data / "pdf/truth").glob("*.md")):
        path = data / "pdf" / f"{truth.name.split('.tesseract')[0].removesuffix('.md')}.pdf"
        if path.exists():
            yield Truth(path, truth.read_text("utf-8"))


def page_pictures(data: Path) -> Iterator[Truth]:
    """OmniDocBench pages: titles, text and captions in their order; tables, formulas and figures left out."""
    folder = data / "layout/omnidocbench"
    for page in json.loads((folder / "truth.json").read_text("utf-8")):
        kept = [d for d in page["layout_dets"] if d.get("order") is not None and not d.get("ignore") and d.get("text")]
        texts = [d["text"] for d in sorted(kept, key=lambda d: d["order"]) if d["category_type"] != "table"]
        yield Truth(folder / page["page_info"]["image_path"], plain_formulas("\n\n".join(texts)))


def plain_formulas(text: str) -> str:
    """The truth's LaTeX as the characters that stand on the page."""
    text = re.sub(r"\\textcircled\s*\{(\d+)\}", lambda m: chr(0x2460 + int(m[1]) - 1), text)
    text = re.sub(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1 \2", text)
    return re.sub(r"[\\/]t(?=[\s(（])|[${}\\^]", " ", text)


def block_similarity(truth: str, got: str, normalise) -> float:
    """Edit similarity of each of the truth's paragraphs with the place of the result that is most like it, weighted by
    length; white space aside."""
    got = re.sub(r"\s", "", normalise(got))
    total, weight = 0.0, 0
    for block in re.split(r"\n\s*\n", truth):
        block = re.sub(r"\s", "", normalise(block))
        if not block:
            continue
        found = fuzz.partial_ratio_alignment(block, got)
        place = got[found.dest_start : found.dest_end] if found else ""
        total += len(block) * Levenshtein.normalized_similarity(block, place)
        weight += len(block)
    return total / weight if weight else 1.0


def without_tables(markdown: str) -> str:
    """Markdown without its HTML and pipe tables."""
    text = re.sub(r"<table.*?</table>", "", markdown, flags=re.S)
    return re.sub(r"^\|.*\|\s*$", "", text, flags=re.M)


# ---------------------------------------------------------------- unit tests of pages (the form of olmOCR-bench)


def page_tests(data: Path) -> dict[Path, list[dict]]:
    """Tests by PDF."""
    found: dict[Path, list[dict]] = defaultdict(list)
    folder = data / "pdf/olmocr_bench"
    for row in map(json.loads, (folder / "tests.jsonl").read_text("utf-8").splitlines()):
        found[folder / row["pdf"]].append(row)
    return dict(found)


def passes(test: dict, markdown: str) -> bool:
    """Whether a page's Markdown passes a test: text present, absent, in order; a table's neighbours; a formula."""
    kind = test["type"]
    if kind == "table":
        return any(_cell_fits(test, grid) for grid in _grids(markdown))
    plain = _plain(markdown)
    if kind == "order":
        before, after = (_places(test[name], plain, test.get("max_diffs", 0)) for name in ("before", "after"))
        return bool(before and after) and min(before) < max(after)
    if kind == "math":
        return _squeezed(test["math"]) in _squeezed(markdown)
    text = _plain(test["text"])
    if "first_n" in test or "last_n" in test:
        plain = plain[: test.get("first_n") or 0] + plain[-(test.get("last_n") or 1) :]
    if not test.get("case_sensitive", True):
        text, plain = text.lower(), plain.lower()
    least = 1 - test.get("max_diffs", 0) / max(1, len(text))
    present = fuzz.partial_ratio(text, plain) / 100 >= least if plain else False
    return present == (kind == "present")


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    text = re.sub(r"[*_#]{1,3}(?=\S)|(?<=\S)[*_]{1,3}", "", text)
    for marks, plain in (("‘’‚‛", "'"), ("“”„‟", '"'), ("‐‑‒–—−", "-")):
        text = re.sub(f"[{marks}]", plain, text)
    text = text.replace("''", '"')  # what older fonts write for quotation marks
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).strip()


def _squeezed(text: str) -> str:
    return re.sub(r"[\s$]", "", text)


def _places(text: str, page: str, most: int) -> list[int]:
    text = _plain(text)
    if text in page:
        return [match.start() for match in re.finditer(re.escape(text), page)]
    found = fuzz.partial_ratio_alignment(text, page)
    return [found.dest_start] if found and found.score / 100 >= 1 - most / max(1, len(text)) else []


class _Cell(NamedTuple):
    text: str
    row: int
    col: int
    rowspan: int
    colspan: int


def _grids(markdown: str) -> list[list[_Cell]]:
    found = []
    for html in re.findall(r"<table.*?</table>", markdown, flags=re.S):
        taken: set[tuple[int, int]] = set()
        cells = []
        for r, tr in enumerate(lxml.html.fromstring(html).iter("tr")):
            col = 0
            for td in tr.iter("td", "th"):
                while (r, col) in taken:
                    col += 1
                spans = int(td.get("rowspan") or 1), int(td.get("colspan") or 1)
                cells.append(_Cell(_plain(td.text_content()), r, col, *spans))
                taken |= {(r + i, col + j) for i in range(spans[0]) for j in range(spans[1])}
                col += spans[1]
        found.append(cells)
    for block in re.findall(r"(?:^\|.*\|\s*\n?)+", markdown, flags=re.M):
        rows = [re.split(r"(?<!\\)\|", row.strip()[1:-1]) for row in block.strip().splitlines()]
        rows = [row for row in rows if not all(re.fullmatch(r"\s*:?-+:?\s*", cell) for cell in row)]
        found.append([_Cell(_plain(t), r, c, 1, 1) for r, row in enumerate(rows) for c, t in enumerate(row)])
    return found


def _cell_fits(test: dict, grid: list[_Cell]) -> bool:
    return any(
        all(_neighbour_fits(name, test[name], cell, grid) for name in _SIDES if test.get(name))
        for cell in grid
        if _same(cell.text, test["cell"])
    )


_SIDES = ("up", "down", "left", "right", "top_heading", "left_heading")


def _neighbour_fits(side: str, text: str, cell: _Cell, grid: list[_Cell]) -> bool:
    in_column = [o for o in grid if o.col < cell.col + cell.colspan and cell.col < o.col + o.colspan]
    in_row = [o for o in grid if o.row < cell.row + cell.rowspan and cell.row < o.row + o.rowspan]
    places = {
        "up": [o for o in in_column if o.row + o.rowspan == cell.row],
        "down": [o for o in in_column if o.row == cell.row + cell.rowspan],
        "left": [o for o in in_row if o.col + o.colspan == cell.col],
        "right": [o for o in in_row if o.col == cell.col + cell.colspan],
        "top_heading": [o for o in in_column if o.row < cell.row],
        "left_heading": [o for o in in_row if o.col < cell.col],
    }
    return any(_same(other.text, text) for other in places[side])


def _same(a: str, b: str) -> bool:
    return fuzz.ratio(a, _plain(b)) >= SAME_CELL


# ---------------------------------------------------------------- documents with exact truth


def exact_truth(folder: Path) -> Iterator[tuple[Path, dict]]:
    """Example PDFs with what was recorded while they were drawn."""
    for truth in sorted((folder / "truth").glob("*.pdf.json")):
        yield folder / "documents" / truth.name.removesuffix(".json"), json.loads(truth.read_text("utf-8"))


def exact_text(truth: dict) -> str:
    """The truth's sections, tables left out, paragraphs parted by empty lines."""
    return "\n\n".join(s["text"] for s in truth["sections"] if s["role"] not in ("table", "figure", "equation"))
