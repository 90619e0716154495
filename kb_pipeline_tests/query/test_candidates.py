"""Which of the rows that the legs found are read and scored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.query.candidates import Candidate, shortlist
from kb_pipeline.query.fusion import PRESETS
from kb_pipeline.query.results import parent_id

WINDOW = (0.7, 1.0)

candidates = st.lists(
    st.builds(
        Candidate,
        st.builds("d:1:{}".format, st.one_of(st.integers(0, 99).map(str), st.just("3.120"), st.just("3.q0"))),
        st.just("d"),
        st.just("1"),
        st.one_of(st.none(), st.floats(-1, 1.1)),
        st.floats(0, 1),
        st.integers(0, 50),
        st.integers(0, 50),
        st.booleans(),
    ),
    unique_by=lambda one: one.chunk_id,
    max_size=30,
)


def row(number: int, nearness: float | None = None, text: float = 0.0, **more) -> Candidate:
    rank = {"dense_rank": number + 1} if nearness is not None else {}
    return Candidate(f"d:1:{number}", "d", "1", nearness, text, **rank, **more)


def kept(rows: list[Candidate], count: int, fusion: str = "windowed", boosts=None) -> list[str]:
    return [one.chunk_id for one in shortlist(rows, PRESETS[fusion], WINDOW, boosts or {}, count)]


def test_a_near_row_in_another_language_is_not_crowded_out_by_rows_that_share_words() -> None:
    words = [row(n, 0.82 - n / 1000, 0.9) for n in range(40)]
    assert "d:1:99" in kept([*words, row(99, 0.95)], 10)


def test_a_row_that_only_full_text_found_is_no_nearer_than_the_farthest_of_the_dense_leg() -> None:
    rows = [row(0, 0.95, 0.2), row(1, 0.85, 0.2), row(2, None, 0.9), row(3, None, 0.1)]
    assert kept(rows, 4) == ["d:1:0", "d:1:2", "d:1:1", "d:1:3"]


def test_rows_that_name_what_was_asked_for_come_first() -> None:
    rows = [*(row(n, 0.99, 1.0) for n in range(5)), row(9, 0.71, named=True)]
    assert kept(rows, 1) == ["d:1:9"]


def test_a_boost_counts() -> None:
    rows = [Candidate("a:1:0", "a", "1", 0.9, dense_rank=1), Candidate("b:1:0", "b", "1", 0.88, dense_rank=2)]
    assert kept(rows, 1) == ["a:1:0"]
    assert kept(rows, 1, boosts={"b": 1.5}) == ["b:1:0"]


@given(candidates, st.integers(1, 30), st.sampled_from(sorted(PRESETS)))
def test_the_list_holds_that_many_chunks_with_all_rows_of_the_first_ones(rows, count, fusion) -> None:
    chosen = kept(rows, count, fusion)
    chunks = {parent_id(one.chunk_id) for one in rows}
    assert len(set(chosen)) == len(chosen)
    assert len({parent_id(one) for one in chosen}) == min(count, len(chunks))
    if count >= len(chunks):
        assert sorted(chosen) == sorted(one.chunk_id for one in rows)
