from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.tokenization.identifiers import index_token, is_id, parts
from kb_pipeline.tokenization.keys import ids, keys
from kb_pipeline.tokenization.tokens import coarse, fine

PUNCTUATION = str.maketrans({"ǀ": "-", "ǁ": "/", "ǂ": "_", "ǃ": ".", "ʘ": "#"})  # what an index token writes otherwise

part = st.text(st.sampled_from("abkxz0123456789"), min_size=1, max_size=5)
identifiers = (
    st.lists(part, min_size=1, max_size=4)
    .flatmap(lambda p: st.sampled_from("-_/#").map(lambda s: s.join(p)))
    .filter(is_id)
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ZK305的见矿厚度", ["zk305"]),
        ("ＺＫ３０５、ZK 305、zk 305、zk305", ["zk305"]),
        ("ZK12-3与ZK12—4", ["zk12-3", "zk12-4"]),
        ("报告HX-2023-017", ["hx-2023-017"]),
        ("DZ/T 0214-2002、GB/T 13908-2020", ["dz/t0214-2002", "gb/t13908-2020"]),
        ("GB 50021–2001", ["gb50021-2001"]),
        ("CuFeS₂和SiO2", ["cufes2", "sio2"]),
        ("2023-05-01", ["2023-05-01"]),
        ("COVID-19, Q3 2023", ["covid-19", "q3"]),
        ("品位0.85%，厚12.5m，5.2g/t，10-20m，10 km 305", []),
        ("Table 3, Fig. 2, No. 5", []),
        ("TABLE 3 PAGE 12 NO 5 IN 2023", []),
        ("in 2020.The end", []),
        ("state-of-the-art km/h", []),
        ("1/2 与 1,234,567", []),
        ("第3章 2023年", []),
        ("", []),
    ],
)
def test_identifiers_are_told_from_words_numbers_and_measures(text, found):
    assert [key.token for key in keys(text) if key.kind in ("identifier", "date")] == found


@given(identifiers)
def test_an_identifier_goes_to_the_index_and_back(token):
    assert index_token(token).isalnum()
    assert index_token(token).translate(PUNCTUATION) == token


@given(identifiers, identifiers)
def test_different_identifiers_are_different_tokens(first, second):
    assert (index_token(first) == index_token(second)) == (first == second)


@given(identifiers)
def test_canonical_spelling_is_stable(token):
    assert [found for text in ids(token) for found in ids(text)] == ids(token)


@given(identifiers)
def test_parts_are_pieces_of_the_identifier(token):
    assert all(part in token and part != token for part in parts(token))
    assert len(parts(token)) <= 24


def test_an_identifier_is_whole_in_coarse_and_searchable_by_part_in_fine():
    assert coarse("ZK12-3") == [index_token("zk12-3")]
    assert {"zk", "zk12", "12", "3"} < set(fine("ZK12-3"))


def test_hashes_and_addresses_do_not_fill_the_index():
    text = "0123456789abcdef" * 10
    assert ids(text) == []
    assert len(fine(text)) < 100
    assert all(len(token) <= 64 for token in fine(text))
