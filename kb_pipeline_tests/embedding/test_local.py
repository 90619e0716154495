from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.embedding import local
from kb_pipeline.embedding.local import MAX_CHARACTERS, MAX_TOKENS, MAX_WINDOWS, LocalEmbedder

MIXED = [
    "铜矿体的平均品位为 0.85%。",
    "The average grade of the ore body is 0.85 % Cu.",
    "",
    " \n",
    "ﬁne café",
    "e\u0301",
]
CRAFTED = ["\x00", "a\x00b", "\ud800", "x\udfff y", "\ufdfa" * 40, "\u200b" * 50, "😀👩\u200d👩\u200d👧", "\x1b[31m",
           "e" + "\u0301" * 200, "\U000e0001" * 20, "a" * 2000, "\ufeff", "\u1112\u1161\u11ab"]  # fmt: skip

anything = st.text(st.characters(), max_size=80)  # with surrogates, controls and marks


@pytest.fixture(scope="module")
def model():
    return LocalEmbedder()


def unit(vectors) -> bool:
    return bool(np.allclose(np.linalg.norm(vectors, axis=-1), 1, atol=1e-5))


def test_vectors_are_unit_vectors_of_the_stated_shape(model):
    vectors = model.embed_passages(MIXED)
    assert vectors.shape == (len(MIXED), model.dimension)
    assert vectors.dtype == np.float32
    assert unit(vectors)
    assert model.embed_query("品位?").shape == (model.dimension,)
    assert model.embed_passages([]).shape == (0, model.dimension)


def test_paraphrases_are_closer_than_other_topics_within_and_across_languages(model):
    questions = [("zh", "法国的首都是哪里？"), ("en", "What is the capital of France?")]
    paraphrases = [("zh", "巴黎是法国的首都和最大城市。"), ("en", "Paris is the capital and largest city of France.")]
    others = [
        ("zh", "该孔见矿厚度十二米，铜平均品位较高。"),
        ("en", "The drill hole intersected twelve metres of copper ore."),
    ]
    raw = model.embed_passages([text for _, text in paraphrases + others])
    low, high = model.cosine_window
    for language, question in questions:
        cosines = raw @ model.embed_query(question)
        same, other = (0, 1) if language == "zh" else (1, 0)
        assert cosines[same] > cosines[other]  # the gap that the offsets close
        assert low < cosines[:2].min() < cosines[:2].max() < high
        offsets = [model.language_offsets.get((language, of), 0.0) for of, _ in paraphrases + others]
        shifted = cosines + offsets
        assert shifted[:2].min() > shifted[2:].max() + 0.02


def test_questions_and_passages_are_told_apart(model):
    assert not np.array_equal(model.embed_query("铜"), model.embed_passages(["铜"])[0])


def test_a_text_gives_the_same_bytes_alone_in_a_batch_and_in_any_thread(model):
    alone = [model.embed_passages([text])[0].tobytes() for text in MIXED]
    assert [v.tobytes() for v in model.embed_passages(MIXED)] == alone
    assert [v.tobytes() for v in LocalEmbedder(workers=4).embed_passages(MIXED * 3)] == alone * 3
    with ThreadPoolExecutor(4) as pool:
        assert [v[0].tobytes() for v in pool.map(lambda t: model.embed_passages([t]), MIXED * 2)] == alone * 2


@pytest.mark.parametrize("text", CRAFTED, ids=range(len(CRAFTED)))
def test_crafted_texts_give_unit_vectors(model, text):
    assert unit(model.embed_passages([text]))
    assert unit(model.embed_query(text))


def test_what_no_reader_sees_changes_neither_vector_nor_count(model):
    plain, dirty = "copper grade 铜品位", "cop\x00per\x07 grade\ud800 铜\u00ad品\ufe0f位"
    assert model.count_many([dirty])[0] == model.count_many([plain])[0]
    assert np.array_equal(model.embed_passages([dirty]), model.embed_passages([plain]))
    assert model.count_many(["e\u0301tude"])[0] == model.count_many(["étude"])[0]
    assert np.array_equal(model.embed_query("ＺＫ３０５"), model.embed_query("ZK305"))
    assert model.count_many(["first\x0bsecond"])[0] == model.count_many(["first second"])[0]


def test_a_long_text_is_averaged_over_all_of_its_windows(model):
    about_copper, about_music = "铜矿石的品位和储量。" * 40, "The violin concerto was played in the hall. " * 40
    assert model.count_many([about_copper])[0] < MAX_TOKENS < model.count_many([about_copper + about_music])[0]
    vector = model.embed_passages([about_copper + about_music])[0]
    copper, music = model.embed_query("铜矿"), model.embed_query("violin music")
    parts = model.embed_passages([about_copper, about_music])
    assert vector @ copper > parts[1] @ copper
    assert vector @ music > parts[0] @ music


def test_what_lies_beyond_the_last_window_does_not_enter_the_vector(model, monkeypatch):
    monkeypatch.setattr(local, "MAX_WINDOWS", 2)
    text = "ore " * (2 * MAX_TOKENS)
    assert model.count_many([text])[0] == 2 * MAX_TOKENS
    assert np.array_equal(model.embed_passages([text]), model.embed_passages([text + "gold " * 2000]))


def test_no_token_is_longer_than_the_limit_of_characters_assumes():
    assert max(len(piece) for piece, _ in local._weights().pieces()) - len("\u2581") <= MAX_CHARACTERS // (
        MAX_TOKENS * MAX_WINDOWS
    )


def test_a_text_of_the_stated_limit_fits_one_window(model):
    assert local._weights().positions == MAX_TOKENS + local.PREFIX_TOKENS + local.SPECIAL_TOKENS
    tokens = local._tokens()
    for prefix in (local.QUERY_PREFIX, local.PASSAGE_PREFIX):
        assert len(tokens.ids(prefix)) <= local.PREFIX_TOKENS


@given(st.lists(anything, max_size=6))
@settings(max_examples=60, deadline=None)
def test_counts_are_the_same_one_by_one_and_many(texts):
    model = LocalEmbedder()
    assert model.count_many(texts) == [model.count_many([text])[0] for text in texts]


PARTS = ["矿区", "铜", "品位", "中国", "我", "在", "第", "根据", "，", "。", "；", "！", "：", "（", "）", "“", "…",
         ",", "?", ")", " ", "\n", "▁", "𠮷", "abc", "0.8", "㎡", "ﬁ", "\u0301", "\ue000", "あ"]  # fmt: skip
clauses = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)


@given(anything | clauses)
@settings(max_examples=400, deadline=None)
def test_a_count_is_that_of_the_tokens_that_are_embedded(text):
    assert LocalEmbedder().count_many([text])[0] == len(local._tokens().ids(text))


def test_counts_do_not_depend_on_what_was_counted_before(model, monkeypatch):
    text = "矿区有铜，品位很高。The grade is high, 铜为主。" * 3
    before = model.count_many([text])[0]
    monkeypatch.setattr(local._tokens(), "_room", 10)  # what is known is dropped within the next call
    other = "另有一句，" + text
    assert model.count_many([text, other]) == [before, len(local._tokens().ids(other))]
    assert model.count_many([text])[0] == before


@given(anything, anything)
@settings(max_examples=100, deadline=None)
def test_counts_of_texts_joined_by_a_space_add_up(first, second):
    model = LocalEmbedder()
    assert model.count_many([f"{first} {second}"])[0] == model.count_many([first])[0] + model.count_many([second])[0]


def test_long_texts_without_a_space_are_counted_whole(model):
    assert model.count_many(["铜" * 20_000])[0] == len(local._tokens().ids("铜" * 20_000))
    words = "copper ore " * 3000
    assert model.count_many([words])[0] == 3000 * model.count_many(["copper ore"])[0]
