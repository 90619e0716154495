from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.storage.names import collection_name, is_collection_name, knowledge_base_name

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200)
tricky = st.from_regex(r"(kb_|kbn_|kb_h_)?[0-9a-fh_A-F]{1,80}", fullmatch=True)
names = texts | tricky


@given(names)
def test_every_name_gives_a_name_that_milvus_takes(name: str) -> None:
    collection = collection_name(name)
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", collection)
    assert len(collection) <= 255
    assert is_collection_name(collection)


@given(names)
def test_a_name_comes_back_unless_it_is_too_long(name: str) -> None:
    collection = collection_name(name)
    found = knowledge_base_name(collection)
    assert found == (None if collection.startswith("kb_h_") else name)


@given(names, names)
def test_two_names_never_share_a_collection(one: str, other: str) -> None:
    same = collection_name(one).lower() == collection_name(other).lower()  # SQLite folds case
    assert same == (one == other)


def test_plain_names_stay_readable_and_others_are_hex() -> None:
    assert collection_name("reports_2024") == "kbn_reports_2024"
    assert collection_name("铜矿报告") == "kb_" + "铜矿报告".encode().hex()
    assert collection_name("Reports") == "kb_" + b"Reports".hex()


def test_a_name_that_looks_like_another_names_hex_is_no_clash() -> None:
    assert collection_name("铜") != collection_name("铜".encode().hex())
    assert collection_name("x" * 300) != collection_name(collection_name("x" * 300))


@pytest.mark.parametrize(
    "collection", ["docs", "kb_", "kb_zz", "kb_ff", "kbn_", "kbn_A", "kb_h_00", "kb_" + b"ab".hex()]
)
def test_collections_of_others_are_not_ours(collection: str) -> None:
    assert not is_collection_name(collection)


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(ValueError, match="name"):
        collection_name("")
