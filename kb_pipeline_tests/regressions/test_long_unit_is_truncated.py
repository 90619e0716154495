"""A unit above the token limit stays one chunk, and the embedding model cuts off its end (ragflow's naive merge; a
table is one chunk whatever its size)."""

from __future__ import annotations

import pytest

from kb_pipeline.chunking.passage import passage
from kb_pipeline_tests.chunking.samples import chunks, letters, own_text, section, squeezed, table

SENTENCE = "一句没有标点而且很长的话说的是矿区的地质情况和各个钻孔的见矿厚度" * 40
ROWS = [["孔号", "说明"], *[[f"ZK{i}", "见矿" * 30] for i in range(20)]]


@pytest.mark.parametrize("mode", ["general", "qa", "table", "manual", "sliding_window"])
def test_no_passage_is_longer_than_the_model_reads_and_nothing_is_lost(mode):
    trail = ("一个相当长的章标题用来占去一部分位置", "一个相当长的节标题用来占去一部分位置")
    parts = [section(SENTENCE, trail=trail), table(ROWS)]
    found = chunks(*parts, mode=mode, count=letters, most=150, chunk_tokens=512)
    assert max(letters([passage(chunk) for chunk in found])) <= 150
    assert own_text(found) == squeezed(part.text for part in parts)
