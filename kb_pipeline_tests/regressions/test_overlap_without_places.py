"""The part of a chunk that repeats the one before has no coordinates, so that it cannot be marked (ragflow #18148,
#18149)."""

from __future__ import annotations

import pytest

from kb_pipeline_tests.chunking.samples import chunks, section

LINES = [f"第{i}孔见矿，品位较高，厚度较大。" for i in range(40)]


@pytest.mark.parametrize("chosen", [{"overlap": 0.3}, {"mode": "sliding_window", "window": 60, "window_overlap": 25}])
def test_the_overlap_has_the_places_of_the_lines_that_it_repeats(chosen):
    boxes = {line: place.box for line, place in zip(LINES, section("\n".join(LINES)).locators, strict=True)}
    found = chunks(section("\n".join(LINES)), chunk_tokens=40, **chosen)
    repeating = [chunk for chunk in found if any(mark.kind == "overlap" for mark in chunk.added)]
    assert len(repeating) > 3
    for chunk in repeating:
        first = chunk.text.split("\n")[0]
        assert [place.box for place in chunk.locators if chunk.text[place.start : place.end] == first] == [boxes[first]]
