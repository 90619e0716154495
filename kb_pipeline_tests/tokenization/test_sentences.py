from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.tokenization.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("品位为0.85。储量12吨！是吗？", ["品位为0.85。", "储量12吨！", "是吗？"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("Grade is 3.14 g/t. See Fig. 2 of v1.2. Done", ["Grade is 3.14 g/t.", "See Fig. 2 of v1.2.", "Done"]),
        ("By J. Smith et al. in 2020. Next.", ["By J. Smith et al. in 2020.", "Next."]),
        ("ZK305 | 0.85\nZK306 | 0.91", ["ZK305 | 0.85", "ZK306 | 0.91"]),
        ("1. First point\n2. Second", ["1. First point", "2. Second"]),
        ("  \n ", []),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[a:b] for a, b in sentences(text)] == expected


@given(st.text(st.sampled_from('ab.。!？\n 1”"…AZ中'), max_size=60))
def test_every_character_is_in_one_sentence(text: str) -> None:
    found = sentences(text)
    covered = [i for a, b in found for i in range(a, b)]
    assert covered == sorted(set(covered))
    assert all(text[i].isspace() for i in range(len(text)) if i not in set(covered))
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in found)
