"""The cut is the one that jieba makes of the same dictionary when it does not guess."""

from __future__ import annotations

import warnings

from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.tokenization.segmenter import segmenter

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba

jieba.setLogLevel("ERROR")
SENTENCE = (
    "钻孔位于矿区中部勘探线终孔深度为三百五十米该孔揭露地层自上而下为第四系残坡积层"
    "二叠系下统栖霞组灰岩见矿厚度铜平均品位结婚的和尚未结婚的"
)


@given(st.lists(st.text(st.sampled_from(SENTENCE), min_size=1, max_size=12), max_size=3), st.data())
@settings(max_examples=150, deadline=None)
def test_runs_are_cut_as_by_the_reference(runs, data):
    start = data.draw(st.integers(0, len(SENTENCE) - 1))
    for run in [*runs, SENTENCE[start : start + 30]]:
        assert segmenter().cut(run) == jieba.lcut(run, HMM=False)
        assert "".join(segmenter().cut(run)) == run


def test_a_users_word_is_kept_against_any_frequency():
    assert segmenter().cut("结婚的和尚未结婚") != segmenter(("和尚未",)).cut("结婚的和尚未结婚")
    assert "和尚未" in segmenter(("和尚未",)).cut("结婚的和尚未结婚")
