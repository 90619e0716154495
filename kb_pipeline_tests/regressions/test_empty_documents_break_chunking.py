"""Empty input ends in an error deep inside (ragflow #11247, #10929)."""

from __future__ import annotations

import pytest

from kb_pipeline.records import Section
from kb_pipeline_tests.chunking.samples import chunks, section, table

EMPTY = [
    [],
    [section("")],
    [section(" \n\u3000")],
    [section("", role="equation"), section("", role="table")],
    [table([["", ""], ["", ""]])],
    [Section("", "title", "", level=1)],
]


@pytest.mark.parametrize("mode", ["general", "qa", "table", "manual", "sliding_window"])
@pytest.mark.parametrize("sections", EMPTY)
def test_nothing_gives_no_chunk(mode, sections):
    assert chunks(*sections, mode=mode, context_tokens=10, overlap=0.1) == []
