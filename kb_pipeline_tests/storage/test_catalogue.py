"""The catalogue: names in any script, document ids, pointers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.errors import InvalidName, KnowledgeBaseExists, UnknownDocument, UnknownKnowledgeBase, UsageError
from kb_pipeline.storage.catalogue import Catalogue, document_id
from kb_pipeline.storage.names import is_collection_name
from kb_pipeline.storage.objects import MemoryStore


@pytest.fixture
def catalogue():
    return Catalogue(MemoryStore())


@pytest.mark.parametrize("name", ["reports", "铜矿报告", "a/b ..", "Ünïcode 🗻", "x" * 200])
def test_a_knowledge_base_may_have_a_name_in_any_script(catalogue, name):
    made = catalogue.create(name, {})
    assert catalogue.knowledge_base(name) == made
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", made.id)
    assert [entry.name for entry in catalogue.knowledge_bases()] == [name]


@pytest.mark.parametrize("name", ["", "  ", "line\nbreak", "x" * 201])
def test_names_that_nobody_can_type_are_refused(catalogue, name):
    with pytest.raises(InvalidName):
        catalogue.create(name, {})


def test_an_existing_name_is_refused(catalogue):
    catalogue.create("铜矿", {})
    with pytest.raises(KnowledgeBaseExists):
        catalogue.create("铜矿", {})


def test_an_unknown_name_says_what_there_is(catalogue):
    catalogue.create("铜矿", {})
    with pytest.raises(UnknownKnowledgeBase) as caught:
        catalogue.knowledge_base("金矿")
    assert "铜矿" in caught.value.remedy


def test_a_document_keeps_its_id_when_its_source_moves(catalogue):
    kb = catalogue.create("k", {}).id
    one = catalogue.register(kb, "a/报告.pdf", "/old/报告.pdf")
    two = catalogue.register(kb, "a/报告.pdf", "/new/报告.pdf")
    assert one.id == two.id and two.source == "/new/报告.pdf" and two.added == one.added
    assert catalogue.find(kb, one.id) == catalogue.find(kb, "a/报告.pdf") == two
    with pytest.raises(UnknownDocument):
        catalogue.find(kb, "b.pdf")


def test_a_document_of_one_knowledge_base_is_not_found_in_another(catalogue):
    one, two = catalogue.create("one", {}).id, catalogue.create("two", {}).id
    entry = catalogue.register(one, "a.pdf", "/a.pdf")
    with pytest.raises(UnknownDocument):
        catalogue.find(two, entry.id)


def test_readers_see_a_document_only_while_it_has_a_version(catalogue):
    kb = catalogue.create("k", {}).id
    entry = catalogue.register(kb, "a.pdf", "/a.pdf")
    assert catalogue.pointers(kb, [entry.id])[entry.id].versions == {}
    catalogue.point(entry, "kbn_k", "v1")
    assert catalogue.pointers(kb, [entry.id, "other"])[entry.id].versions == {"kbn_k": "v1"}
    catalogue.hide(entry)
    assert catalogue.pointers(kb, [entry.id]) == {}


def test_a_document_has_a_version_in_each_index(catalogue):
    kb = catalogue.create("k", {}).id
    entry = catalogue.register(kb, "a.pdf", "/a.pdf")
    catalogue.point(entry, "old", "v1")
    catalogue.point(entry, "new", "v2")
    assert catalogue.pointer(kb, entry.id).versions == {"old": "v1", "new": "v2"}
    catalogue.point(entry, "old", "")
    assert catalogue.pointer(kb, entry.id).versions == {"new": "v2"}


@given(st.text(min_size=1), st.text(min_size=1))
def test_document_ids_are_safe_keys_and_differ_for_different_paths(one, two):
    key = document_id("kb", one)
    assert re.fullmatch(r"([a-z0-9]+(-[a-z0-9]+)*-)?[0-9a-f]{12}", key) and len(key) <= 60
    assert (key == document_id("kb", two)) == (one == two)


def test_a_document_id_is_readable():
    assert document_id("kb", "reports/Annual Report 2024.pdf").startswith("annual-report-2024-pdf-")


def test_a_renamed_knowledge_base_keeps_its_id_and_frees_its_name():
    catalogue = Catalogue(MemoryStore())
    first = catalogue.create("铜矿", {"query.threshold": 0.3})
    renamed = catalogue.rename("铜矿", "铜矿 2024")
    assert (renamed.id, renamed.settings) == (first.id, first.settings)
    assert catalogue.knowledge_base("铜矿 2024") == renamed
    with pytest.raises(UnknownKnowledgeBase):
        catalogue.knowledge_base("铜矿")
    second = catalogue.create("铜矿", {})
    assert second.id != first.id
    assert is_collection_name(second.id)
    assert [entry.name for entry in catalogue.knowledge_bases()] == ["铜矿", "铜矿 2024"]
    with pytest.raises(KnowledgeBaseExists):
        catalogue.rename("铜矿", "铜矿 2024")
    with pytest.raises(InvalidName):
        catalogue.rename("铜矿", "a\nb")


def test_a_boost_outlives_new_versions_and_is_bounded():
    catalogue = Catalogue(MemoryStore())
    kb = catalogue.create("kb", {})
    entry = catalogue.register(kb.id, "a.pdf", "/a.pdf")
    catalogue.point(entry, kb.id, "1")
    catalogue.boost(entry, 1.5)
    catalogue.point(entry, kb.id, "2")
    pointer = catalogue.pointer(kb.id, entry.id)
    assert (pointer.versions, pointer.boost) == ({kb.id: "2"}, 1.5)
    for factor in (0.1, 9.0):
        with pytest.raises(UsageError):
            catalogue.boost(entry, factor)
