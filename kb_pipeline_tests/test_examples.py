"""The example documents are what their scripts make, and their truth is what stands on their pages."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import zlib
from functools import cache
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
FONT = Path("/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf")
PDFS = ("铜山矿区地质勘查报告.pdf", "hydrology_survey.pdf", "scanned_letter.pdf")
TEXTS = ("field_notes.md", "术语表.txt")
QUESTIONS = [json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
KINDS = {"text", "table cell", "id", "scan", "figure", "cross-page", "english", "cross-language"}
PIXELS = 2.0  # pixels a point when looking for ink
WATERMARK_SIZE = 40  # points; only the watermark is set larger
INK = 40  # grey levels between the paper of a scan and its ink, at least


@cache
def truth(name: str) -> dict:
    return json.loads((EXAMPLES / "truth" / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pdf():
    opened = {name: pdfium.PdfDocument(EXAMPLES / "documents" / name) for name in PDFS}
    yield opened
    for document in opened.values():
        document.close()


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def lines_of(name: str) -> list[dict]:
    """Every recorded line of sections and cells."""
    record = truth(name)
    cells = [cell for table in record["tables"] for cell in table["cells"]]
    return [line for owner in [*record["sections"], *cells] for line in owner["lines"]]


def boxes_of(name: str) -> list[list[float]]:
    """Every recorded box, page first."""
    record = truth(name)
    owners = [*record["sections"], *record["tables"], *record["noise"]]
    owners += [cell for table in record["tables"] for cell in table["cells"]]
    return [[line["page"], *line["box"]] for line in lines_of(name)] + [box for o in owners for box in o["boxes"]]


@cache
def letters(document: pdfium.PdfDocument, number: int) -> list[tuple[str, float, float]]:
    """The text layer of a page as characters with their centres on the displayed page; without the watermark."""
    page = document[number - 1]
    text, (_, height) = page.get_textpage(), page.get_size()
    found = []
    for i in range(text.count_chars()):
        char = text.get_text_range(i, 1)
        if char.isspace() or pdfium.raw.FPDFText_GetFontSize(text, i) > WATERMARK_SIZE:
            continue
        left, bottom, right, top = text.get_charbox(i, loose=True)
        x, y = (left + right) / 2, (bottom + top) / 2
        found.append((char, y, x) if page.get_rotation() == 90 else (char, x, height - y))
    return found


def text_in(document: pdfium.PdfDocument, number: int, box: list[float]) -> str:
    """The characters of the text layer whose centre lies in a box of the displayed page."""
    x0, top, x1, bottom = box
    inside = [char for char, x, y in letters(document, number) if x0 <= x <= x1 and top <= y <= bottom]
    return "".join(inside).replace("\ufffe", "-").replace("\u0002", "-")


# ------------------------------------------------------------------ made by the scripts


def test_scripts_make_the_committed_bytes(tmp_path):
    if not FONT.is_file():
        pytest.skip("the Chinese font (Debian: fonts-droid-fallback) is not installed")
    made = json.loads((EXAMPLES / "made_with.json").read_text(encoding="utf-8"))
    here = {"zlib": zlib.ZLIB_RUNTIME_VERSION, "machine": platform.machine(), "font sha256": made["font sha256"]}
    for package in made.keys() - here.keys():
        try:
            here[package] = version(package)
        except PackageNotFoundError:
            pytest.skip(f"{package} is not installed")
    other = sorted(name for name in made if made[name] != here[name])
    if other:
        pytest.skip(f"the committed bytes come from other versions of {', '.join(other)}")
    command = [sys.executable, EXAMPLES / "make_examples.py", "--out", tmp_path]
    subprocess.run(command, check=True, timeout=120)
    for kind in ("documents", "truth"):
        assert {f.name for f in (tmp_path / kind).iterdir()} == {f.name for f in (EXAMPLES / kind).iterdir()}
    for file in (f for f in tmp_path.rglob("*") if f.is_file()):
        assert file.read_bytes() == (EXAMPLES / file.relative_to(tmp_path)).read_bytes(), file.name


def test_folder_stays_small():
    size = sum(f.stat().st_size for f in EXAMPLES.rglob("*") if f.is_file() and "__pycache__" not in f.parts)
    assert size < 1_500_000


# ------------------------------------------------------------------ the truth is on the pages


@pytest.mark.parametrize("name", PDFS)
def test_pages_are_as_recorded(name, pdf):
    pages = truth(name)["pages"]
    assert len(pages) == len(pdf[name])
    for page, recorded in zip(pdf[name], pages, strict=True):
        assert page.get_size() == pytest.approx((recorded["width"], recorded["height"]), abs=0.01)
        assert page.get_rotation() == recorded["rotation"]
        assert (page.get_textpage().count_chars() == 0) == (recorded["source"] == "ocr")


@pytest.mark.parametrize("name", PDFS)
def test_every_box_lies_in_its_page(name):
    sizes = {page["page"]: (page["width"], page["height"]) for page in truth(name)["pages"]}
    for page, x0, top, x1, bottom in boxes_of(name):
        width, height = sizes[page]
        assert 0 <= x0 < x1 <= width, (page, x0, x1)
        assert 0 <= top < bottom <= height, (page, top, bottom)


@pytest.mark.parametrize("name", PDFS[:2])
def test_text_layer_holds_each_line_in_its_box(name, pdf):
    digital = {page["page"] for page in truth(name)["pages"] if page["source"] == "text layer"}
    checked = 0
    for line in lines_of(name):
        if line["page"] in digital:
            assert text_in(pdf[name], line["page"], line["box"]) == squeezed(line["text"])
            checked += 1
    assert checked > 100


@pytest.mark.parametrize("name", PDFS[:2])
def test_text_layer_is_sections_and_noise_and_nothing_else(name, pdf):
    record = truth(name)
    for page, recorded in zip(pdf[name], record["pages"], strict=True):
        if recorded["source"] == "ocr":
            continue
        drawn = [line["text"] for line in lines_of(name) if line["page"] == recorded["page"]]
        drawn += [noise["text"] for noise in record["noise"] if noise["boxes"][0][0] == recorded["page"]]
        raw = page.get_textpage().get_text_range().replace("\ufffe", "-").replace("\u0002", "-")
        assert sorted(squeezed(raw)) == sorted(squeezed("".join(drawn)))


@pytest.mark.parametrize("name", PDFS[::2])
def test_scanned_lines_are_dark_in_their_boxes_and_nowhere_else(name, pdf):
    scans = [page["page"] for page in truth(name)["pages"] if page["source"] == "ocr"]
    assert scans
    for number in scans:
        picture = pdf[name][number - 1].render(scale=PIXELS, grayscale=True).to_numpy().squeeze().astype(float)
        free = np.ones_like(picture, dtype=bool)
        for line in (line for line in lines_of(name) if line["page"] == number):
            x0, top, x1, bottom = (round(value * PIXELS) for value in line["box"])
            inside = picture[top:bottom, x0:x1]
            assert np.percentile(inside, 1) < np.median(picture) - INK, line["text"]
            free[top - 2 : bottom + 2, x0 - 2 : x1 + 2] = False
        assert (picture[free] < np.median(picture) - 2 * INK).mean() < 0.002


@pytest.mark.parametrize("name", PDFS)
def test_lines_cover_the_text_of_their_section(name):
    for section in truth(name)["sections"]:
        if section["role"] == "table":
            continue
        covered = "".join(section["text"][line["start"] : line["end"]] for line in section["lines"])
        assert squeezed(covered) == squeezed(section["text"])
        for line in section["lines"]:
            own = section["text"][line["start"] : line["end"]]
            assert line["text"] in (own, own + "-")
            assert len(line["edges"]) == len(own) + 1
            assert line["edges"] == sorted(line["edges"])


def test_bookmarks_are_the_headings(pdf):
    name = PDFS[0]
    found = [(b.get_title(), b.level + 1, b.get_dest().get_index() + 1) for b in pdf[name].get_toc()]
    recorded = [(b["title"], b["level"], b["page"]) for b in truth(name)["bookmarks"]]
    headings = [
        (s["text"], s["level"], s["lines"][0]["page"]) for s in truth(name)["sections"][1:] if s["role"] == "title"
    ]
    assert found == recorded == headings[1:]


class Grid(HTMLParser):
    """Cells of a table as `(tag, rowspan, colspan, text)`."""

    def __init__(self, html: str):
        super().__init__()
        self.cells: list[list] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        spans = dict(attrs)
        if tag in ("td", "th"):
            self.cells.append([tag, int(spans.get("rowspan", 1)), int(spans.get("colspan", 1)), ""])

    def handle_data(self, data):
        self.cells[-1][3] += data


@pytest.mark.parametrize("name", PDFS[:2])
def test_tables_are_full_grids_and_their_html_says_the_same(name):
    for table in truth(name)["tables"]:
        places = [
            (row, col)
            for cell in table["cells"]
            for row in range(cell["row"], cell["row"] + cell["rowspan"])
            for col in range(cell["col"], cell["col"] + cell["colspan"])
        ]
        rows, cols = max(row for row, _ in places) + 1, max(col for _, col in places) + 1
        assert sorted(places) == [(row, col) for row in range(rows) for col in range(cols)]
        ordered = sorted(table["cells"], key=lambda cell: (cell["row"], cell["col"]))
        tags = [["th" if c["header"] else "td", c["rowspan"], c["colspan"], c["text"]] for c in ordered]
        assert Grid(table["html"]).cells == tags


def test_a_row_of_the_report_is_split_by_the_page_break():
    split = [cell for cell in truth(PDFS[0])["tables"][0]["cells"] if {b[0] for b in cell["boxes"]} == {7, 8}]
    assert any({line["page"] for line in cell["lines"]} == {7, 8} for cell in split)


@pytest.mark.parametrize("name", TEXTS)
def test_text_files_hold_their_sections_on_their_lines(name):
    lines = (EXAMPLES / "documents" / name).read_text(encoding="utf-8").splitlines()
    for section in truth(name)["sections"]:
        first, last = section["lines"]
        on_lines = squeezed("".join(lines[first - 1 : last]))
        for words in section["text"].split():
            assert words in on_lines


# ------------------------------------------------------------------ the questions


def test_questions_cover_all_kinds_and_documents():
    assert len(QUESTIONS) >= 24
    assert {question["kind"] for question in QUESTIONS} == KINDS
    assert {question["document"] for question in QUESTIONS} == {*PDFS, *TEXTS}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["question"])
def test_quote_is_in_the_truth_and_its_boxes_are_those_of_the_quote(question, pdf):
    record, quote = truth(question["document"]), question["quote"]
    if "cell" in question:
        table, row, col = question["cell"]
        owners = [c for c in record["tables"][table]["cells"] if (c["row"], c["col"]) == (row, col)]
        assert owners[0]["text"] == quote
    else:
        owners = [s for s in record["sections"] if s["role"] != "table" and quote in s["text"]]
    assert len(owners) == 1
    if question["document"] in TEXTS:
        assert question["lines"] == owners[0]["lines"]
        return
    start = owners[0]["text"].index(quote)
    touched = [line for line in owners[0]["lines"] if line["start"] < start + len(quote) and line["end"] > start]
    assert question["page"] == touched[0]["page"]
    assert len(question["boxes"]) == len(touched)
    assert (question["kind"] != "cross-page") or len({box[0] for box in question["boxes"]}) == 2
    read = ""
    for line, (page, *box) in zip(touched, question["boxes"], strict=True):
        assert page == line["page"]
        x0, top, x1, bottom = line["box"]
        assert x0 - 0.02 <= box[0] < box[2] <= x1 + 0.02
        assert top - 0.02 <= box[1] < box[3] <= bottom + 0.02
        read += text_in(pdf[question["document"]], page, box)
    if record["pages"][question["page"] - 1]["source"] == "text layer":
        assert read == squeezed(quote)
