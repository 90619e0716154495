"""A word that the dictionary lacks was cut one way in a question and another way in a passage, and not found."""

from __future__ import annotations

import pytest

from kb_pipeline.tokenization.term_weights import coverage, query_weights
from kb_pipeline.tokenization.tokens import fine


@pytest.mark.parametrize("word", ["三码", "见矿", "凼岭", "栖霞组", "蘑菇屿镇"])
@pytest.mark.parametrize("around", ["{}", "实行{}合一", "推进{}工作的通知", "在{}发现", "第二{}"])
def test_it_is_found_wherever_it_stands(word, around):
    weights = query_weights(f"{word}在哪里？")
    assert coverage(weights, fine(around.format(word))) > 0.75
    assert coverage(weights, fine(around.format("其他"))) < 0.25
