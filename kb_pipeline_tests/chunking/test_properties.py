"""What holds in every mode: nothing lost, in order, below the cap, every place inside its page and its text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.chunking.cut import chunk_document
from kb_pipeline.chunking.passage import passage
from kb_pipeline.records import Chunk, ParsedDocument, encode
from kb_pipeline.settings import ChunkingSettings
from kb_pipeline_tests.chunking.samples import SIZE, documents, letters, own_text, squeezed

MODES = ("general", "qa", "table", "manual", "sliding_window")
OVERLAPS = st.sampled_from([0.0, 0.2])
CONTEXTS = st.sampled_from([0, 12])
SIZES = st.integers(32, 80)
CAPS = st.integers(20, 60)


def cut(parsed: ParsedDocument, mode: str, tokens: int, overlap: float, context: int, most: int) -> list[Chunk]:
    chosen = ChunkingSettings(
        mode=mode, chunk_tokens=tokens, overlap=overlap, context_tokens=context, window=60, window_overlap=20,
        child_delimiters=("。",),
    )  # fmt: skip
    return chunk_document(parsed, chosen, letters, most)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=120, deadline=None)
@given(documents(), SIZES, OVERLAPS, CONTEXTS, CAPS)
def test_chunks_without_what_was_added_give_back_all_sections_in_order(mode, parsed, tokens, overlap, context, most):
    found = cut(parsed, mode, tokens, overlap, context, most)
    assert own_text(found) == squeezed(item.text for item in parsed.sections)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=120, deadline=None)
@given(documents(), SIZES, OVERLAPS, CONTEXTS, CAPS)
def test_no_chunk_is_above_the_cap_and_every_place_is_where_its_text_is(mode, parsed, tokens, overlap, context, most):
    found = cut(parsed, mode, tokens, overlap, context, most)
    assert [chunk.ordinal for chunk in found] == list(range(len(found)))
    known = {item.id: item for item in parsed.sections}
    parents = {chunk.ordinal for chunk in found if chunk.parent < 0}
    for chunk in found:
        assert chunk.text == chunk.text.strip() != ""
        assert chunk.tokens == letters([chunk.text])[0]
        assert letters([passage(chunk)])[0] <= most
        assert chunk.parent == -1 or chunk.parent in parents
        assert all(0 <= mark.start < mark.end <= len(chunk.text) for mark in chunk.added)
        members = [known[i] for i in chunk.section_ids]
        sources = [(p.box, item.text[p.start : p.end] or item.text) for item in members for p in item.locators]
        for place in chunk.locators:
            assert 0 <= place.start <= place.end <= len(chunk.text)
            assert 0 <= place.box[0] < place.box[2] <= SIZE[0]
            assert 0 <= place.box[1] < place.box[3] <= SIZE[1]
            piece = chunk.text[place.start : place.end]
            assert piece == "[figure]" or any(place.box == box and piece in text for box, text in sources)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=60, deadline=None)
@given(documents(), SIZES, OVERLAPS)
def test_every_character_that_is_not_a_label_can_be_traced(mode, parsed, tokens, overlap):
    for chunk in cut(parsed, mode, tokens, overlap, 12, 60):
        covered = [False] * len(chunk.text)
        for start, end in [(p.start, p.end) for p in chunk.locators] + [
            (mark.start, mark.end) for mark in chunk.added if mark.kind == "label"
        ]:
            covered[start:end] = [True] * (end - start)
        rest = "".join(c for c, seen in zip(chunk.text, covered, strict=True) if not seen)
        assert chunk.parent >= 0 or not rest.replace("|", "").strip()


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=20, deadline=None)
@given(documents())
def test_the_same_document_gives_the_same_bytes(mode, parsed):
    assert encode(cut(parsed, mode, 32, 0.1, 12, 40)) == encode(cut(parsed, mode, 32, 0.1, 12, 40))
