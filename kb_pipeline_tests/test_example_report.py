"""The example report put together, question by question: what proves each answer is found where it was drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb_pipeline.operations.parse import parse
from kb_pipeline.records import PageLocator, ParsedDocument, Section
from kb_pipeline.settings import Settings

EXAMPLES = Path(__file__).parent.parent / "examples"
REPORT = "铜山矿区地质勘查报告.pdf"
QUESTIONS = [json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text("utf-8").splitlines()]
TRUTH = json.loads((EXAMPLES / "truth" / f"{REPORT}.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def report() -> ParsedDocument:
    return parse(str(EXAMPLES / "documents" / REPORT), Settings().merged({"render.dpi": 144}))


def squeezed(text: str) -> str:
    return "".join(text.split()).replace("~", "～")


def covers(places: tuple[PageLocator, ...], box: list[float]) -> bool:
    """Whether one of the places holds the middle of a true box `[page, x0, top, x1, bottom]`."""
    page, x0, top, x1, bottom = box
    x, y = (x0 + x1) / 2, (top + bottom) / 2
    return any(
        p.page == page and p.box[0] - 2 <= x <= p.box[2] + 2 and p.box[1] - 2 <= y <= p.box[3] + 2 for p in places
    )


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if q["document"] == REPORT], ids=lambda question: question["question"][:30]
)
def test_what_proves_the_answer_is_found_where_it_was_drawn(question, report):
    quote = squeezed(question["quote"])
    if "cell" in question:
        _, row, col = question["cell"]
        table = next(section for section in report.sections if section.cells)
        cell = next(cell for cell in table.cells if (cell.row, cell.col) == (row, col))
        assert quote in squeezed(cell.text)
        assert all(covers(cell.locators, box) for box in question["boxes"])
        return
    found = [section for section in report.sections if quote in squeezed(section.text)]
    assert any(all(covers(section.locators, box) for box in question["boxes"]) for section in found)


def test_sections_stand_in_the_order_in_which_they_were_drawn(report):
    def place(section: Section) -> int:
        return texts.index(squeezed(section.text))

    texts = [squeezed(section["text"]) for section in TRUTH["sections"]]
    known = [place(section) for section in report.sections if squeezed(section.text) in texts]
    assert len(known) > 80
    assert known == sorted(known)


def test_headings_have_the_levels_of_the_bookmarks(report):
    headings = [(squeezed(s["text"]), s["level"]) for s in TRUTH["sections"] if s["level"]]
    assert [(squeezed(s.text), s.level) for s in report.sections if s.level] == headings


def test_the_table_over_the_page_break_is_one_with_its_split_row_whole(report):
    (table,) = [section for section in report.sections if section.cells]
    (true,) = TRUTH["tables"]
    assert [(c.row, c.col, c.rowspan, c.colspan, squeezed(c.text)) for c in table.cells] == [
        (c["row"], c["col"], c["rowspan"], c["colspan"], squeezed(c["text"])) for c in true["cells"]
    ]
    assert "表4-1" in table.caption
    assert sorted({p.page for p in table.locators}) == [7, 8]


def test_noise_and_nothing_else_is_dropped(report):
    noise = sorted(squeezed("".join(item["text"] for item in TRUTH["noise"])))
    assert sorted(squeezed("".join(item.text for item in report.dropped))) == noise
    assert report.characters.balanced
