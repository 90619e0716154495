"""Splitting of long text: at the best boundary, without a gap, never inside what belongs together."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.chunking.split import split_long
from kb_pipeline.tokenization.graphemes import between_clusters
from kb_pipeline.tokenization.sentences import sentence_ends


def by_length(ranges: list[tuple[int, int]]) -> list[int]:
    return [end - start for start, end in ranges]


def parts(text: str, limit: int) -> list[str]:
    return [text[a:b] for a, b in split_long(text, 0, len(text), limit, by_length)]


def sentences(text: str) -> list[str]:
    ends = sentence_ends(text)
    return [text[a:b] for a, b in pairwise([0, *ends])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("矿区有铜。也有金！还有银？", ["矿区有铜。", "也有金！", "还有银？"]),
        ("他说：“有铜。”然后走了。", ["他说：“有铜。”", "然后走了。"]),
        ("It holds 3.14 percent. More follows.", ["It holds 3.14 percent. ", "More follows."]),
        ("See Fig. 3 and Dr. Lin et al. for it. Done.", ["See Fig. 3 and Dr. Lin et al. for it. ", "Done."]),
        ("Version v1.2.3 of kb.toml is here.", ["Version v1.2.3 of kb.toml is here."]),
        ("first line\nsecond line", ["first line\n", "second line"]),
        ("", []),
    ],
)
def test_sentence_ends(text, expected):
    assert sentences(text) == expected


def test_a_long_text_is_split_between_sentences():
    assert parts("一二三四五。六七八九十。甲乙丙丁戊。", 6) == ["一二三四五。", "六七八九十。", "甲乙丙丁戊。"]


def test_a_long_sentence_is_split_at_a_clause():
    assert parts("the first clause of it is here, the second clause of it is there", 40) == [
        "the first clause of it is here, ",
        "the second clause of it is there",
    ]


@pytest.mark.parametrize("token", ["ZK305-12/2023", "3,141,592.65", "CuFeS2+O2", "HX-2023-017"])
def test_numbers_and_identifiers_are_not_cut(token):
    text = " ".join(["word"] * 20 + [token] + ["word"] * 20)
    for limit in range(20, 60, 3):
        found = parts(text, limit)
        assert "".join(found) == text
        assert any(token in part for part in found)


def test_a_code_and_its_number_after_a_space_stay_together():
    text = "按照规范执行，" * 3 + "DZ/T 0214-2002" + "的规定进行工作" * 4
    assert any("DZ/T 0214-2002" in part for part in parts(text, 30))


def test_a_formula_between_dollar_signs_is_not_cut():
    text = "where the value is $a + b = c, d + e = f$ and so on it goes for a while"
    assert any("$a + b = c, d + e = f$" in part for part in parts(text, 36))


@pytest.mark.parametrize("cluster", ["e\u0301", "👨‍👩‍👧", "👍🏽", "🇩🇪", "ก็", "\u1112\u1161\u11ab", "\ud83d\ude00"])
def test_grapheme_clusters_are_not_cut(cluster):
    text = cluster * 30
    found = parts(text, 9)
    assert "".join(found) == text
    assert all(len(part) % len(cluster) == 0 for part in found)


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("ab1 .,，。；\n$（)e\u0301👍🏽矿中-/"), max_size=300), st.integers(3, 40))
def test_parts_follow_each_other_without_a_gap_and_within_the_limit(text, limit):
    ranges = split_long(text, 0, len(text), limit, by_length)
    assert "".join(text[a:b] for a, b in ranges) == text
    assert all(a < b for a, b in ranges)
    for a, b in ranges:
        inside = [place for place in range(a + 1, b) if between_clusters(text, place)]
        assert b - a <= limit or not inside
        assert between_clusters(text, a)
        assert a == 0 or not unicodedata.combining(text[a])
