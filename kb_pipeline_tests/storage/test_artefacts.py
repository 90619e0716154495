"""Artefacts: commit, content hashes, pruning, pages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.storage.artefacts import Artefacts, DocumentState, StageState
from kb_pipeline.storage.fingerprints import parts_hash, value_hash
from kb_pipeline.storage.objects import MemoryStore


def commit(artefacts, key, parts, display="\0"):
    stored = {name: artefacts.save_part("d", "s", name, data) for name, data in parts.items()}
    return artefacts.commit("d", "s", key, stored, basis={}, inputs={}, seconds=0.1, metadata={}, display=display)


def test_a_committed_artefact_gives_its_parts_back():
    artefacts = Artefacts(MemoryStore())
    commit(artefacts, "f1", {"a.json": b"{}", "b.parquet": b"PAR1"})
    found = artefacts.artefact("d", "s", "f1")
    assert artefacts.part(found, "b.parquet") == b"PAR1"
    assert artefacts.artefact("d", "s", "f2") is None


def test_equal_parts_under_other_fingerprints_have_one_content_hash():
    artefacts = Artefacts(MemoryStore())
    one, two = commit(artefacts, "f1", {"a": b"x"}), commit(artefacts, "f2", {"a": b"x"})
    assert one.content_hash == two.content_hash != commit(artefacts, "f3", {"a": b"y"}).content_hash


def test_display_parts_do_not_count_for_the_content_hash():
    artefacts = Artefacts(MemoryStore())
    one = commit(artefacts, "f1", {"1.json": b"x", "1.jpg": b"large"}, display=".jpg")
    two = commit(artefacts, "f2", {"1.json": b"x", "1.jpg": b"small"}, display=".jpg")
    assert one.content_hash == two.content_hash


def test_pruning_keeps_the_newest_and_never_a_part_that_is_still_used(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr("kb_pipeline.storage.artefacts.time.time", lambda: next(clock))
    artefacts = Artefacts(MemoryStore(), keep_versions=2)
    artefacts.save_page("d", "s", "p-old", {"own": b"1"}, {}, 0.0)
    artefacts.save_page("d", "s", "p-shared", {"shared": b"same"}, {}, 0.0)
    for number in range(4):
        commit(artefacts, f"f{number}", {"own": str(number + 1).encode(), "shared": b"same"})
    assert [artefacts.artefact("d", "s", f"f{n}") is not None for n in range(4)] == [False, False, True, True]
    newest = artefacts.artefact("d", "s", "f3")
    assert artefacts.part(newest, "shared") == b"same"
    assert artefacts.page("d", "s", "p-old") is None  # its part went, so it must not count as done
    assert artefacts.page("d", "s", "p-shared") is not None


def test_state_is_kept_and_empty_at_first():
    artefacts = Artefacts(MemoryStore())
    assert artefacts.state("d") == DocumentState()
    state = DocumentState({"chunks": StageState("failed", reason="why")}, "host:1")
    artefacts.save_state("d", state)
    assert artefacts.state("d") == state


def test_remove_leaves_nothing():
    store = MemoryStore()
    artefacts = Artefacts(store)
    commit(artefacts, "f1", {"a": b"x"})
    artefacts.save_state("d", DocumentState())
    artefacts.remove("d")
    assert store.kept == {}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), values))
def test_value_hash_ignores_the_order_of_keys_and_nothing_else(tree):
    backwards = dict(reversed(tree.items()))
    assert value_hash(tree) == value_hash(backwards)
    assert value_hash(tree) != value_hash({**tree, "one more": 1} if "one more" not in tree else {})


@given(st.lists(values, max_size=4), st.lists(values, max_size=4))
def test_different_values_have_different_hashes(one, two):
    import json

    same = json.dumps(one, sort_keys=True) == json.dumps(two, sort_keys=True)
    assert (value_hash(*one) == value_hash(*two)) == same


def test_parts_hash_depends_on_names():
    assert parts_hash({"a": "1"}) != parts_hash({"b": "1"})
