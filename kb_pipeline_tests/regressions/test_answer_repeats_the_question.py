"""Asked a question that a document holds with its answer, the answer is the question itself."""

from __future__ import annotations

from kb_pipeline.query.statements import statements
from kb_pipeline.records import Hit
from kb_pipeline.tokenization.tokens import tokenizer


def said(text):
    hit = Hit("d:v:0", "d", "d", "text", text, (), 1.0, {}, ())
    return [one.text for one in statements(hit, 0, tokenizer())]


def test_a_question_is_quoted_with_its_answer():
    assert said("怎么重置密码？\n点击“忘记密码”。按提示操作。\n多久发货？\n两天内发货。") == [
        "怎么重置密码？\n点击“忘记密码”。按提示操作。",
        "点击“忘记密码”。",
        "按提示操作。",
        "多久发货？\n两天内发货。",
        "两天内发货。",
    ]


def test_a_long_answer_is_not_quoted_whole():
    first = said("Why is that so? Because of the first reason. " + "And there is one more thing to say about it. " * 9)[
        0
    ]
    assert first.startswith("Why is that so? Because of the first reason.")
    assert len(first) < 220
