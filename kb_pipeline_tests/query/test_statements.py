from __future__ import annotations

import pytest

from kb_pipeline.query.statements import statements
from kb_pipeline.records import Hit, LineLocator
from kb_pipeline.tokenization.tokens import tokenizer


def read(text: str, kind: str = "text"):
    hit = Hit("d:1:0", "a.md", "d", kind, text, (), 1.0, {}, (LineLocator(1, 9),))
    return list(statements(hit, 0, tokenizer()))


def test_a_sentence_is_about_what_its_paragraph_names() -> None:
    found = read("ZK312：位于南段。0～25米为残坡积层。\n矿体呈透镜状。")
    assert [set(one.ids) for one in found] == [{"zk312"}, {"zk312", "q_m_25"}, set()]
    assert found[1].text == "0～25米为残坡积层。"


def test_a_table_gives_its_rows_and_its_caption() -> None:
    found = read("表1 产量\n年份 | 产量\n2001年 | 12.5", "table")
    assert [one.said for one in found] == ["表1 产量\n年份: 2001年; 产量: 12.5", "表1 产量", "年份 | 产量"]
    assert found[0].text == "2001年 | 12.5"


@pytest.mark.parametrize("kind", ["text", "table"])
def test_the_line_of_headings_above_a_chunk_is_not_quoted(kind: str) -> None:
    body = "表4-1 化验结果\n钻孔 | 品位\nZK305 | 0.47" if kind == "table" else "ZK305孔品位为0.47克每吨。另有说明。"
    hit = Hit(
        "a:1:0",
        "a.pdf",
        "a",
        kind,
        f"[第四章 钻探] > [第三节 化验]\n{body}",
        ("第四章 钻探", "第三节 化验"),
        1.0,
        {},
        (),
    )
    found = list(statements(hit, 0, tokenizer()))
    assert found and not any("[" in one.said for one in found)
    assert all(one.text in body for one in found)
