"""A question on fault code 2201 was answered with the steps for another code, at confidence 0.87."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_pipeline.errors import UsageError
from kb_pipeline.records import Chunk
from kb_pipeline_tests.index.conftest import client, index_folder
from kb_pipeline_tests.query.shelf import Shelf

__all__ = ["client", "index_folder"]

PASSAGES = [
    "故障代码2202：电机过载。处理步骤：断电，检查负载，复位后重新启动。",
    "故障代码2210：温度过高。处理步骤：清洁散热器，检查风扇。",
    "The seal is tested at +40 °C for two hours. It holds 16 bar.",
    "第十二条 承包人应当在2024年3月5日前提交竣工资料。",
    "Version 3.10.1 fixes the export of reports.",
]


@pytest.fixture
def base(index_folder: Path):
    shelf = Shelf(index_folder, "kbn_codes")
    shelf.put("manual-1", [Chunk(i, "text", text, (), 9, (), ()) for i, text in enumerate(PASSAGES)])
    return shelf.base()


@pytest.mark.parametrize(
    ("question", "absent", "near"),
    [
        ("故障代码2201怎么处理？", "2201", "2202"),
        ("How is the seal tested at −40 °C?", "-40 °c", "+40 °c"),
        ("第十三条规定了什么？", "第十三条", "第十二条"),
        ("2024年5月3日前提交什么？", "2024年5月3日", "2024年3月5日"),
        ("What does version 3.1.10 fix?", "version 3.1.10", "version 3.10.1"),
    ],
)
def test_what_is_nowhere_is_said_to_be_nowhere(base, question, absent, near):
    found = base.find(question)
    assert found.hits == () and found.near_misses
    assert [key.said for key in found.missing] == [absent] and near in found.missing[0].nearest
    answer = base.ask(question)
    assert absent in answer.answer and near in answer.answer
    assert answer.confidence < 0.1 and answer.citations == ()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("故障代码2202怎么处理？", PASSAGES[0]),
        ("What holds 1.6 MPa?", PASSAGES[2]),
        ("Article 12 提交什么？", PASSAGES[3]),
        ("What is due on 5 March 2024?", PASSAGES[3]),
        ("v3.10.1 修复了什么", PASSAGES[4]),
        ("seal above 20 bar", PASSAGES[2]),
    ],
)
def test_what_is_written_in_another_form_is_found_first(base, question, text):
    assert base.search(question)[0].text == text


@pytest.mark.parametrize("question", ['"', "\\", ";", "？！。", "   ", "\0"])
def test_nothing_to_search_for_is_told(base, question):
    with pytest.raises(UsageError, match="nothing to search for"):
        base.search(question)
