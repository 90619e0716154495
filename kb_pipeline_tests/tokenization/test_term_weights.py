from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.tokenization.language import language
from kb_pipeline.tokenization.rarity import FILE, RARE, english_rarity
from kb_pipeline.tokenization.term_weights import coverage, query_weights
from kb_pipeline.tokenization.tokens import Tokenizer, fine
from kb_pipeline_tests.tokenization.make_english_rarities import rarities

text = st.text(st.sampled_from("铜矿体的品位ZK305 ore-12.5m是多少?"), max_size=40)


def score(question: str, passage: str) -> float:
    return coverage(query_weights(question), fine(passage))


@given(text)
@settings(max_examples=200, deadline=None)
def test_weights_sum_to_one_and_a_text_covers_itself(question):
    weights = query_weights(question)
    assert not weights or sum(weights.values()) == pytest.approx(1)
    assert all(weight > 0 for weight in weights.values())
    assert score(question, question) == pytest.approx(1 if weights else 0)


@given(text, text, text)
@settings(max_examples=100, deadline=None)
def test_coverage_lies_in_0_to_1_and_grows_with_the_passage(question, passage, more):
    less = score(question, passage)
    assert 0 <= less <= score(question, f"{passage}\n{more}") <= 1


def test_the_passage_with_the_identifier_beats_one_with_two_more_words():
    question = "ZK305的见矿厚度和平均品位是多少？"
    assert score(question, "ZK305见矿厚度") > score(question, "ZK306见矿厚度和平均品位，共三百零五米")
    weights = query_weights(question)
    assert all(weights["zk305"] > 2 * weight for token, weight in weights.items() if token != "zk305")


def test_rare_words_weigh_more_than_common_ones_and_numbers_more_than_words():
    weights = query_weights("中国矽卡岩工作2019")
    assert weights["矽卡岩"] + weights["卡岩"] > weights["中国"]
    assert weights["2019"] > weights["工作"]
    english = query_weights("new mineralogy")
    assert english["mineralogy".removesuffix("y") + "i"] > english["new"]


def test_the_parts_of_a_word_earn_some_of_its_weight():
    whole, half, none = (score("国家标准", passage) for passage in ("国家标准", "国家的标准", "地方规定"))
    assert whole == pytest.approx(1)
    assert none == 0
    assert 0.2 < half < 0.8


def test_a_question_without_terms_covers_nothing():
    assert query_weights("是什么？") == {}
    assert score("是什么？", "什么都有") == 0


def test_a_knowledge_bases_own_words_weigh_as_rare_words():
    own = Tokenizer(["黄龙组白云"])
    weights = query_weights("中国黄龙组白云", own)
    assert weights["黄龙组白云"] > weights["中国"]
    assert coverage(weights, own.fine("中国黄龙组白云")) == pytest.approx(1)


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        ("钻孔ZK305的见矿厚度", "zh"),
        ("The ore body 铜矿 dips to the east.", "en"),
        ("GB/T 13908-2020 固体矿产地质勘查规范总则", "zh"),
        ("What is 品位?", "en"),
        ("Ｔｈｅ ｏｒｅ", "en"),
        ("12.5 | 30", "zh"),
        ("", "zh"),
        ("礦體", "zh"),
        ("Müller", "en"),
    ],
)
def test_the_language_is_that_of_the_script_that_says_more(sample, expected):
    assert language(sample) == expected


def test_a_text_without_letters_takes_the_default():
    assert language("12.5 | 30", default="en") == "en"


def test_common_english_words_weigh_less_than_rare_ones_whatever_their_length():
    weights = query_weights("which university has copper ore")
    assert weights["copper"] > weights["universiti"] > 0
    assert english_rarity("the") < english_rarity("year") < english_rarity("huguenot") == RARE


def test_the_list_of_rarities_is_what_its_script_makes():
    assert FILE.read_text("ascii") == rarities()
