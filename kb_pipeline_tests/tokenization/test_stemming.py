from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.tokenization.stemming import stem


@pytest.mark.parametrize(
    "forms",
    [
        "deposit deposits deposited depositing",
        "study studies studied studying",
        "grade grades graded grading",
        "run runs running",
        "class classes classed",
        "analyse analysed analysing",
        "ore ores",
        "use uses used using",
        "day days",
        "add adds added adding",
        "agree agreed agrees",
        "hop hops hopping",
        "hope hoped hoping",
        "vein veins",
        "fill filled filling",
    ],
)
def test_forms_of_a_word_have_one_stem(forms):
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("general", "generation"),
        ("hope", "hop"),
        ("bring", "bre"),
        ("string", "strs"),
        ("rating", "rat"),
        ("basis", "base"),
        ("gas", "ga"),
        ("bed", "bing"),
        ("universe", "university"),
    ],
)
def test_other_words_keep_apart(one, other):
    assert stem(one) != stem(other)


@given(st.text(st.sampled_from("aeioubdnstygz"), max_size=12))
def test_a_stem_is_never_empty_nor_longer_than_a_letter_more(word):
    assert (stem(word) == "") == (word == "")
    assert len(stem(word)) <= len(word) + 1


@pytest.mark.parametrize("word", ["铜矿", "zk305", "été", "sss", "x"])
def test_what_is_no_longer_english_word_stays(word):
    assert stem(word) == word
