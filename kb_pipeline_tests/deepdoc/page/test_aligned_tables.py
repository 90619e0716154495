"""Tables without rulings are found where columns stand beside labels, and not in text that merely has columns."""

from __future__ import annotations

import html
import re

import pytest

from kb_pipeline.deepdoc.page.aligned_tables import aligned_tables, with_aligned_tables
from kb_pipeline.deepdoc.page.read import read_page, read_tables, render_page
from kb_pipeline.records import Region, TextLine
from kb_pipeline.settings import Settings
from kb_pipeline.stages.page_source import open_paged
from kb_pipeline_tests.borderless_tables import DROID, borderless_page

SIZE = 10.0


def line(text: str, x: float, y: float, width: float = 0.0) -> TextLine:
    width = width or sum(SIZE if ord(c) > 0x2E80 else SIZE / 2 for c in text)
    edges = tuple(x + width * k / len(text) for k in range(len(text) + 1))
    return TextLine(text, (x, y, x + width, y + SIZE), "text layer", size=SIZE, edges=edges)


def rows(*cells: tuple[str, ...], xs: tuple[float, ...], top: float = 100.0, pitch: float = 15.0) -> list[TextLine]:
    found = []
    for number, row in enumerate(cells):
        found += [line(text, x, top + number * pitch) for text, x in zip(row, xs, strict=True) if text]
    return found


def cells_of(markup: str) -> list[list[str]]:
    found = re.findall(r"<tr>(.*?)</tr>", markup, re.S)
    plain = [
        [html.unescape(re.sub("<[^>]*>", "", c)) for c in re.findall(r"<t[dh].*?</t[dh]>", row, re.S)] for row in found
    ]
    return [["".join(cell.split()) for cell in row] for row in plain]


@pytest.mark.parametrize("seed", [1, 2, 4, 5, 6, 8, 11])
def test_a_statement_without_rulings_is_one_table_with_every_value_beside_its_label(seed):
    if seed % 2 and not DROID.exists():
        pytest.skip("the Chinese font of the generated pages is not installed")
    page, settings = borderless_page(seed), Settings()
    file = open_paged(page.pdf, "pdf", "a.pdf", settings)
    render, characters, picture, _ = render_page(file, 1, settings)
    layout = read_page(file, render, characters, picture, settings)
    grids = read_tables(file, layout, characters, picture, settings).tables
    assert [cells_of(grid.html) for grid in grids] == [cells_of(page.truth)]


def test_labels_beside_a_table_that_the_model_saw_in_part_belong_to_it():
    lines = rows(("Rent", "1,200", "1,100"), ("Wages", "310", "290"), ("Repairs", "95", "80"), xs=(72, 300, 400))
    found = with_aligned_tables([Region("text", (70, 95, 120, 145)), Region("table", (295, 95, 430, 145))], lines)
    assert [(r.role, r.box[0]) for r in found] == [("table", 72)]


PROSE = "words that fill the whole width of their column, as"


@pytest.mark.parametrize(
    "lines",
    [
        [line(PROSE, x, 100 + 14 * k, 230) for k in range(12) for x in (50, 310)],  # two columns of running text
        rows(*((f"{k}. Chapter on many things", str(3 * k)) for k in range(1, 9)), xs=(72, 480)),  # contents
        rows(*((f"Chapter {k} .....................", str(3 * k)) for k in range(1, 9)), xs=(72, 480)),
        rows(*((f"{k}.", "an item of the list in a few words") for k in range(1, 7)), xs=(72, 92)),
        rows(*(("E = mc + h", f"({k})") for k in range(1, 6)), xs=(150, 480), pitch=25),  # numbered formulas
        # a paragraph beside the numbers of a list of references
        [line(PROSE, 60, 100 + 14 * k, 270) for k in range(9)]
        + [line(str(k + 1), 350, 100 + 28 * k) for k in range(4)],
        rows(("Acme Ltd", "12 March 2024"), ("North Road", ""), ("Riverton", ""), xs=(72, 400)),  # the head of a letter
    ],
)
def test_text_that_merely_has_columns_is_no_table(lines):
    assert aligned_tables(lines) == []


def test_nothing_is_looked_for_in_a_figure_that_is_more_than_text():
    lines = rows(("0.5", "10", "20"), ("1.0", "12", "24"), ("1.5", "14", "28"), xs=(72, 140, 200))
    chart = Region("figure", (60, 60, 500, 500))
    assert with_aligned_tables([chart], lines) == [chart]
