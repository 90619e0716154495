from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.tokenization.normalise import normalised
from kb_pipeline.tokenization.simplified import SIMPLIFIED
from kb_pipeline.tokenization.stopwords import STOP_WORDS
from kb_pipeline.tokenization.tokens import Tokenizer, coarse, fine, tokenizer

ALPHABET = "铜矿體的是见矿厚度ZK305a-/_. \n，。é²①％ﬁ\u0301\ud800\x00Ａｂ０×カ"
mixed = st.text(st.one_of(st.sampled_from(ALPHABET), st.characters()), max_size=60)


def finds(question: str, passage: str) -> bool:
    """Whether every coarse token of the question is among the passage's fine tokens."""
    held = set(fine(passage))
    return bool(coarse(question)) and all(token in held for token in coarse(question))


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("矿体", "大型铜矿体的产状"),
        ("见矿", "该孔揭露见矿厚度较大"),
        ("三码", "实行三码合一制度"),
        ("三码合一", "三码 合一"),
        ("人民共和国", "中华人民共和国国家标准"),
        ("共和", "中华人民共和国"),
        ("栖霞组", "二叠系下统栖霞组灰岩"),
        ("矽卡岩化", "矽卡岩化大理岩"),
        ("镶嵌铜矿", "鑲嵌銅礦"),
        ("銅礦體", "铜矿体"),
        ("company's studies", "The Company studied ores"),
        ("running tests", "it ran; to run a test"),
        ("Müller", "MULLER 2004"),
        ("ore bearing", "ore-bearing skarns"),
        ("1234567", "1,234,567 t"),
        ("12.5 m", "深度12.5m"),
        ("5.2 g/t", "品位5.2g/t"),
        ("0.85%", "品位０．８５％"),
        ("GB/T 13908-2020", "按ＧＢ／Ｔ１３９０８—２０２０执行"),
        ("13908", "GB/T 13908-2020"),
        ("zk12", "ZK12-3"),
        ("CuFeS2", "黄铜矿（CuFeS₂）"),
        ("zk 305", "ZK305孔"),
        ("2023-017", "HX–2023–017"),
    ],
)
def test_a_question_finds_a_passage_that_says_it_otherwise(question, passage):
    assert finds(question, passage)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("ZK305", "ZK3051 和 ZK30"),
        ("ZK123", "ZK12-3"),
        ("0.85", "0.854 和 85"),
        ("10²", "102"),
        ("金品位", "铜厚度"),
        ("general", "generation"),
    ],
)
def test_a_question_does_not_find_what_only_looks_alike(question, passage):
    assert not finds(question, passage)


@pytest.mark.parametrize("question", ["ZK305的见矿厚度是多少？", "What is the grade of ZK305?", "请问如何计算？"])
def test_question_and_function_words_are_in_neither_granularity(question):
    assert not set(fine(question)) & {"是", "多少", "的", "what", "is", "the", "of", "请问", "如何"}


def test_coarse_holds_words_and_fine_their_parts():
    assert coarse("国家标准 GB/T 13908-2020") == ["国家标准", "gbǁt13908ǀ2020"]
    assert {"国家", "标准", "gb", "13908", "2020", "13908ǀ2020"} < set(fine("国家标准 GB/T 13908-2020"))
    assert coarse("in 2020.The well") == ["2020", "well"]


def test_users_words_stay_whole_for_their_tokenizer_only():
    passage = "上统黄龙组白云岩"
    assert "黄龙组白" not in coarse(passage)
    own = Tokenizer(["黃龍組白", " ", "黄龙组白"])
    assert own.user_words == ("黄龙组白",)
    assert "黄龙组白" in own.coarse(passage)
    assert "黄龙" in own.fine(passage)
    assert "黄龙组白" not in coarse(passage)
    assert tokenizer(("黄龙组白",)) is tokenizer(("黄龙组白",))


@given(mixed)
@settings(max_examples=300, deadline=None)
def test_tokens_are_alphanumeric_short_lower_case_and_no_stop_words(text):
    for token in fine(text):
        assert token.isalnum(), token
        assert len(token) <= 64
        assert token == token.lower()
    assert not set(coarse(text)) & STOP_WORDS
    assert set(coarse(text)) <= set(fine(text))


@given(mixed, mixed)
@settings(max_examples=200, deadline=None)
def test_tokens_of_texts_on_lines_of_their_own_are_those_of_each(first, second):
    assert coarse(f"{first}\n{second}") == coarse(first) + coarse(second)
    assert fine(f"{first}\n{second}") == fine(first) + fine(second)


@given(st.text(st.sampled_from("铜矿体岩石层位品金银见揭露厚"), min_size=2, max_size=30), st.data())
@settings(max_examples=200, deadline=None)
def test_two_neighbouring_characters_are_found_however_the_passage_is_cut(passage, data):
    at = data.draw(st.integers(0, len(passage) - 2))
    assert passage[at : at + 2] in fine(passage)


@given(mixed)
@settings(max_examples=200, deadline=None)
def test_normalised_text_stays_as_it_is(text):
    once = normalised(text)
    assert normalised(once) == once


def test_simplified_characters_are_not_changed_again():
    assert all(SIMPLIFIED.get(simple, simple) == simple for simple in SIMPLIFIED.values())
    assert "礦體產狀".translate(SIMPLIFIED) == "矿体产状"


def test_tokens_do_not_depend_on_letters_width_or_script():
    assert fine("ＺＫ３０５ 銅礦體 Ore-Bearing") == fine("zk305 铜矿体 ore-bearing")


def test_long_runs_cost_time_in_proportion():
    for text in ("铜矿体" * 20_000, "a1" * 30_000, "a-" * 30_000, "1," * 30_000, "ZK " * 20_000, "2020." * 10_000):
        started = time.process_time()
        fine(text)
        assert time.process_time() - started < 2
