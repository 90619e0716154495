from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.errors import UsageError
from kb_pipeline.query.fusion import Fusion
from kb_pipeline.query.question import Question, read_question
from kb_pipeline.query.rescore import CandidateFeatures, Scored, confidence, least_score, rescore, total
from kb_pipeline.tokenization.keys import Key
from kb_pipeline.tokenization.language import language_offset
from kb_pipeline_tests.query.shelf import WordVectors

WINDOW = (0.7, 1.0)
OFFSETS = {("zh", "en"): 0.1}
shares = st.floats(0, 1)
cosines = st.floats(-1, 1)


def question(ids: tuple[str, ...] = (), language: str = "zh") -> Question:
    keys = tuple(Key(one, "identifier", one, 0, len(one)) for one in ids)
    return Question("q", language, np.array([1.0, 0.0], np.float32), {"a": 0.75, "b": 0.25}, ("a",), ("a", "b"), keys)


def candidate(
    key: str, cosine: float, tokens: str = "", ids: tuple[str, ...] = (), language: str = "zh"
) -> CandidateFeatures:
    vector = np.array([cosine, (1 - cosine**2) ** 0.5], np.float32)
    words = frozenset(tokens.split())
    return CandidateFeatures(
        key, "d", "1", words, frozenset(ids), vector, language_offset(OFFSETS, "zh", language, words)
    )


def scored(candidates: list[CandidateFeatures], asked: Question, weight: float = 0.3) -> list[Scored]:
    return rescore(asked, candidates, fusion=Fusion(1 - weight), window=WINDOW)


PROSE = " ".join(f"{a}{b}" for a in "bcdfg" for b in "aeiouy")  # thirty words


def test_the_parts_are_what_the_formula_says() -> None:
    (one,) = scored([candidate("x", 0.85, f"a z {PROSE}", ("zk1",), "en")], question(("zk1", "zk2")))
    assert one.scores["term"] == 0.75
    assert one.scores["vector"] == pytest.approx((0.85 + 0.1 - 0.7) / 0.3, abs=1e-5)
    assert one.scores["id"] == 0.5
    assert one.scores["language offset"] == 0.1
    assert one.score == pytest.approx(0.5 * 0.75 + 0.5 * one.scores["vector"] + 0.5, abs=1e-5)
    (plain,) = scored([candidate("x", 0.85, f"a z {PROSE}", (), "en")], question())
    assert plain.score == pytest.approx(0.3 * 0.75 + 0.7 * plain.scores["vector"], abs=1e-5)


def test_of_passages_that_name_what_was_asked_for_the_words_beside_it_decide() -> None:
    asked = replace(question(("zk305",)), weights={"zk305": 0.6, "grade": 0.4})
    rows = [candidate("near", 0.88, "zk305 core box", ("zk305",)), candidate("says", 0.84, "zk305 grade", ("zk305",))]
    found = scored(rows, asked, weight=0.2)
    assert [one.candidate.chunk_id for one in found] == ["says", "near"]
    assert [one.scores["term"] for one in found] == [1.0, 0.0]
    only = replace(asked, weights={"zk305": 1.0})
    assert scored(rows, only)[0].scores["term"] == 1.0


def test_the_language_offset_is_for_running_text() -> None:
    figures = " ".join(map(str, range(100, 130)))
    found = {
        name: scored([candidate(name, 0.85, tokens, (), "en")], question())[0].scores["language offset"]
        for name, tokens in {"prose": PROSE, "line": "may reach ore", "table": f"from to {figures}"}.items()
    }
    assert found["prose"] == 0.1
    assert 0.05 <= found["table"] < found["line"] < 0.08
    bilingual = scored(
        [
            candidate(
                "both", 0.85, f"{PROSE} 矿体 铜矿 岩心 钻孔 品位 勘探 地质 报告 样品 化验 结果 深度 厚度", (), "en"
            )
        ],
        question(),
    )
    assert bilingual[0].scores["language offset"] < 0.01
    same = scored([candidate("same", 0.85, PROSE, (), "zh")], question())[0]
    assert same.scores["language offset"] == 0


@given(st.lists(st.tuples(cosines, st.sampled_from(["", "a", "b", "a b"]), st.booleans()), max_size=8), shares)
def test_printed_parts_recompute_to_the_printed_score(rows: list[tuple[float, str, bool]], weight: float) -> None:
    found = scored(
        [candidate(str(i), c, t, ("zk1",) if named else ()) for i, (c, t, named) in enumerate(rows)],
        question(("zk1",)),
        weight,
    )
    for one in found:
        assert total(one.scores) == one.score
        assert 0 <= one.score <= 2
        assert 0 <= one.scores["vector"] <= 1
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@given(cosines, cosines)
def test_a_named_identifier_comes_before_everything_else(near: float, far: float) -> None:
    found = scored([candidate("other", near, "a b"), candidate("named", far, "", ("zk1",))], question(("zk1",)))
    assert found[0].candidate.chunk_id == "named" or found[0].score == found[1].score


def test_what_a_passage_names_first_counts_more_than_its_neighbours() -> None:
    own = replace(candidate("z", 0.8, "a b", ("zk1", "zk2")), lead="zk1")
    neighbour = replace(candidate("a", 0.81, "a b", ("zk1", "zk2")), lead="zk2")
    unrelated = candidate("m", 0.99, "a b")
    found = scored([neighbour, own, unrelated], question(("zk1",)))
    assert [one.candidate.chunk_id for one in found] == ["z", "a", "m"]
    listed = replace(candidate("l", 0.8, "a b", tuple(f"zk{n}" for n in range(9))), lead="zk0")
    assert scored([listed], question(("zk1",)))[0].scores["id"] == 1


def test_equal_scores_keep_the_order_of_chunk_ids() -> None:
    found = scored([candidate(key, 0.8) for key in "cab"], question())
    assert [one.candidate.chunk_id for one in found] == ["a", "b", "c"]


def test_the_threshold_is_relaxed_once() -> None:
    found = scored([candidate("a", 0.85), candidate("b", 0.76)], question())  # scores 0.35 and 0.14
    assert least_score(found, found[0].score) == found[0].score
    assert least_score(found, found[0].score + 0.1) == pytest.approx((found[0].score + 0.1) / 4)
    assert least_score([], 0.2) == 0.05


@given(st.floats(0, 2), st.floats(0, 2), st.booleans())
def test_confidence_rises_with_the_score(one: float, other: float, named: bool) -> None:
    asked = question(("zk1",) if named else ())
    low, high = sorted((one, other))
    assert 0 <= confidence(asked, low) <= confidence(asked, high) <= 1


def test_confidence_is_low_where_the_identifier_is_nowhere() -> None:
    assert confidence(question(("zk1",)), 0.7) < 0.1 < 0.8 < confidence(question(), 0.7)


@pytest.mark.parametrize("text", ["", " \n\t ", "\x00\x07", "\u200b\u200e", "\ud800"])
def test_a_question_of_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        read_question(text, WordVectors())


def test_a_question_is_cleaned_and_bounded() -> None:
    found = read_question(" ZK\x00 305\n\u200b的\x1b品位 " + "长" * 20_000, WordVectors())
    assert found.text.startswith("ZK 305 的品位")
    assert len(found.text) <= 8000
    assert found.ids == ("zk305",)


@given(st.text(max_size=80))
def test_any_text_is_a_question_or_empty(text: str) -> None:
    try:
        found = read_question(text, WordVectors())
    except UsageError:
        return
    assert found.text == " ".join(found.text.split())
    assert len(found.coarse) <= 256
    assert set(found.coarse) <= set(found.fine)
