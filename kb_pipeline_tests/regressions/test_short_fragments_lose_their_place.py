"""Fragments of a few words lose their position on the way into a chunk (ragflow: below 8 tokens)."""

from __future__ import annotations

import pytest

from kb_pipeline.records import PageLocator, Section
from kb_pipeline_tests.chunking.samples import SIZE, chunks


@pytest.mark.parametrize("mode", ["general", "qa", "table", "manual", "sliding_window"])
def test_every_fragment_keeps_its_box(mode):
    pieces = ["铜", "见图", "12", "OK", "（续）"]
    parts = [
        Section("", "text", piece, locators=(PageLocator(1, (9.0, 10.0 * i, 90.0, 10.0 * i + 9), SIZE, 0, len(piece)),))
        for i, piece in enumerate(pieces)
    ]
    (chunk,) = chunks(*parts, mode=mode)
    shown = {chunk.text[place.start : place.end]: place.box[1] for place in chunk.locators}
    assert shown == {piece: 10.0 * i for i, piece in enumerate(pieces)}
