"""What holds in every mode: nothing lost, in order, below the cap, every place inside its page and its text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.chunking.cut import chunk_document
from kb_pipeline.chunking.passage import passage
from kb_pipeline.embedding.local import LocalEmbedder
from kb_pipeline.records import Chunk, ParsedDocument, encode
from kb_pipeline.settings import ChunkingSettings
from kb_pipeline.tokenization.sentences import sentence_ends
from kb_pipeline_tests.chunking.samples import SIZE, chunks, documents, letters, own_text, section, squeezed

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


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=40, deadline=None)
@given(documents(), SIZES, OVERLAPS, CONTEXTS, st.integers(40, 90))
def test_counted_by_the_real_tokenizer_no_chunk_is_above_the_cap(mode, parsed, tokens, overlap, context, most):
    model = LocalEmbedder()
    chosen = ChunkingSettings(
        mode=mode, chunk_tokens=tokens, overlap=overlap, context_tokens=context, child_delimiters=("。",)
    )
    for chunk in chunk_document(parsed, chosen, model.count_many, most):
        assert chunk.tokens == model.count_many([chunk.text])[0]
        assert model.count_many([passage(chunk)])[0] <= most


@settings(max_examples=100, deadline=None)
@given(documents(), SIZES, st.sampled_from([0.1, 0.25, 0.5]))
def test_overlap_repeats_whole_sentences_from_the_end_of_the_chunk_before(parsed, tokens, overlap):
    found = [chunk for chunk in cut(parsed, "general", tokens, overlap, 0, 10_000) if chunk.parent < 0]
    texts = {item.id: item.text for item in parsed.sections}
    last = ""
    for chunk in found:
        repeated = [chunk.text[mark.start : mark.end] for mark in chunk.added if mark.kind == "overlap"]
        assert letters(["".join(repeated)])[0] <= overlap * tokens
        if repeated:
            assert chunk.text.startswith(repeated[0])
            assert squeezed([last]).endswith(squeezed(repeated))
            starts = {text[a:].strip() for text in texts.values() for a in (0, *sentence_ends(text))}
            assert any(start.startswith(repeated[0]) for start in starts)
        last = chunk.text if chunk.kind == "text" else last


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("ab 1.,，。；\n矿中铜"), min_size=200, max_size=600), SIZES)
def test_paragraphs_are_broken_at_sentences_wherever_a_sentence_fits(text, tokens):
    ends = {text[:end].rstrip() for end in sentence_ends(text)}
    longest = max(letters([text[a:b]])[0] for a, b in zip([0, *sentence_ends(text)], sentence_ends(text), strict=False))
    if longest <= tokens:
        place = 0
        for chunk in chunks(section(text), count=letters, chunk_tokens=tokens):
            place = text.index(chunk.text, place) + len(chunk.text)
            assert text[:place].rstrip() in ends
