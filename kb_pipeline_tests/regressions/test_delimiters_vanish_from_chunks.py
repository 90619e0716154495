"""Punctuation is missing from chunks, since delimiters were removed where text was split (ragflow #10261)."""

from __future__ import annotations

import pytest

from kb_pipeline_tests.chunking.samples import chunks, own_text, section, squeezed

TEXT = "矿区有铜；也有金！品位很高？是的。\nIt holds gold; is it rich? Yes! Version 1.2 says so." * 12


@pytest.mark.parametrize("mode", ["general", "qa", "table", "manual", "sliding_window"])
def test_every_delimiter_stays(mode):
    assert own_text(chunks(section(TEXT), mode=mode)) == squeezed([TEXT])
