"""A chunk that runs over a page break is marked on its first page only, or with its first box only (ragflow #16883,
#16735; xyne #1327)."""

from __future__ import annotations

import pytest

from kb_pipeline.records import PageLocator, Section
from kb_pipeline_tests.chunking.samples import SIZE, chunks

FIRST, SECOND = "矿区位于省境东南部，交通", "方便，气候温和。"
PLACES = (
    PageLocator(1, (50.0, 780.0, 550.0, 790.0), SIZE, 0, len(FIRST)),
    PageLocator(2, (50.0, 20.0, 250.0, 30.0), SIZE, len(FIRST), len(FIRST + SECOND)),
)


@pytest.mark.parametrize("mode", ["general", "qa", "table", "manual", "sliding_window"])
def test_both_pages_have_their_box(mode):
    (chunk,) = chunks(Section("", "text", FIRST + SECOND, locators=PLACES), mode=mode)
    assert [(p.page, p.box, chunk.text[p.start : p.end]) for p in chunk.locators] == [
        (1, PLACES[0].box, FIRST),
        (2, PLACES[1].box, SECOND),
    ]
