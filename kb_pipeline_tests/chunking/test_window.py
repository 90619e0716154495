"""Sliding windows: what Paddle-ERNIE-RAG's windows lose or cut, these do not."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline_tests.chunking.samples import chunks, letters, own_text, section, sentences, squeezed, table, texts


def windows(*sections, **chosen):
    return chunks(*sections, mode="sliding_window", count=letters, most=chosen.pop("most", 507), **chosen)


def test_windows_have_at_most_300_characters_and_begin_up_to_120_before_the_last_one_ended():
    found = windows(section(sentences(60)))
    assert len(found) > 6
    assert all(len(text) <= 300 for text in texts(found))
    for before, after in pairwise(found):
        shared = after.added[0]
        assert (shared.kind, shared.start) == ("overlap", 0)
        assert 30 < shared.end <= 120
        assert before.text.endswith(after.text[: shared.end].strip())


def test_windows_begin_and_end_with_whole_sentences():
    for text in texts(windows(section(sentences(60)))):
        assert text.startswith("This is")
        assert text.endswith("here.")


def test_no_word_is_cut_and_none_is_lost():
    # the original cuts a line of more than 300 characters every 300 of them
    words = [f"copper{i}" for i in range(400)]
    found = windows(section(" ".join(words)))
    assert {word for text in texts(found) for word in text.split()} == set(words)


def test_nothing_is_cut_off_behind_a_long_heading():
    # the original cuts a chunk to 380 characters less its heading
    title = "标题" * 40
    text = "矿区位于省境东南部，交通方便，气候温和。" * 40
    found = windows(section(title, level=1), section(text, trail=(title,)))
    assert own_text(found) == squeezed([title, text])


def test_windows_run_over_pages():
    lines = [section(f"Line {i} of a page.") for i in range(40)]
    pages = [
        type(item)(item.id, item.role, item.text, locators=tuple(
            type(p)(1 + i // 4, p.box, p.page_size, p.start, p.end) for p in item.locators))
        for i, item in enumerate(lines)
    ]  # fmt: skip
    assert any(len({place.page for place in chunk.locators}) > 1 for chunk in windows(*pages))


def test_headings_are_marked_as_in_markdown():
    found = windows(section("Copper", level=2), section("It is red."))
    assert texts(found) == ["## Copper\n\nIt is red."]
    assert [(mark.kind, found[0].text[mark.start : mark.end]) for mark in found[0].added] == [("label", "## ")]


def test_a_table_parts_windows_and_takes_its_heading_along():
    found = windows(section("It is red."), section("Grades", level=1), table([["a"], ["1"]]), section("It is soft."))
    assert texts(found) == ["It is red.", "Grades\na\n1", "It is soft."]


def test_size_and_overlap_can_be_set():
    found = windows(section(sentences(60)), window=100, window_overlap=0)
    assert all(len(text) <= 100 for text in texts(found))
    assert not any(chunk.added for chunk in found)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.from_regex(r"[a-z]{1,12}|[A-Z]{2}[0-9]{3}|[0-9],[0-9]{3}\.[0-9]", fullmatch=True), max_size=150))
def test_words_numbers_and_identifiers_stay_whole(words):
    found = windows(section(" ".join(words) or "x"), window=60, window_overlap=20)
    known = set(words) or {"x"}
    assert all(set(re.split(r"\s+", text)) <= known for text in texts(found))
