"""CSV, XLSX and DOCX through the assets: asked, answered, and cited at their cells and paragraphs."""

from __future__ import annotations

import json
import sys

import pytest

from kb_pipeline import cli
from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.records import CellLocator, LineLocator, ParagraphLocator
from kb_pipeline.stages.pipeline import open_context
from kb_pipeline_tests.office_bytes import PNG, docx, heading, p, picture, row, rows, table, workbook

HOLES = [["钻孔", "见矿深度", "品位"], ["ZK301", 120, 0.47], ["ZK302", 135, 0.52], ["ZK303", 150, 0.61]]
FAQ = "问题,答案\n怎么重置密码？,点击“忘记密码”。\n多久发货？,付款后四十八小时内发货。\n"
REPORT = (
    heading("水文地质")
    + p("区内主要含水层为第四系砂砾石层。")
    + heading("涌水量", 2)
    + p("矿坑正常涌水量为每日1250立方米，最大涌水量为每日3100立方米。")
    + p(picture("p1", "矿区交通位置图"))
    + table(row("泉号", "流量"), row("Q3", "2.9"), row("Q7", "4.1"))
)


@pytest.fixture
def base(kb_home, tmp_path):
    folder = tmp_path / "office"
    folder.mkdir()
    (folder / "faq.csv").write_bytes(FAQ.encode("gb18030"))
    (folder / "holes.xlsx").write_bytes(workbook(rows(*HOLES)))
    (folder / "report.docx").write_bytes(docx(REPORT, media={"p1": PNG}))
    (folder / "broken.docx").write_bytes(docx(REPORT)[:-60])
    with open_context() as context:
        entry = context.catalogue.create("office", {"chunking.modes": ["faq.csv=qa"]})
        documents = register(context.catalogue, entry, [str(folder)])
        report = ingest(entry, documents, context, lambda step: None)
    assert [failure.document for failure in report.failures] == ["broken.docx"]
    assert "DamagedFile" in report.failures[0].reason
    return KnowledgeBase.open("office")


def kb(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["kb", *arguments])
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        cli.main()
    return end.value.code, *capsys.readouterr()


def test_answers_point_at_cells_lines_and_paragraphs(base, monkeypatch, capsys, tmp_path):
    sheet = base.ask("ZK302 的品位是多少？").citations[0]
    assert sheet.document == "holes.xlsx"
    assert sheet.quote == "ZK302 | 135 | 0.52"
    assert {(place.sheet, place.range) for place in sheet.locators if isinstance(place, CellLocator)} == {
        ("Sheet1", "A3"), ("Sheet1", "B3"), ("Sheet1", "C3"),
    }  # fmt: skip

    pair = base.ask("怎么重置密码？").citations[0]
    assert pair.document == "faq.csv"
    assert "忘记密码" in pair.quote
    assert "B2" in [place.range for place in pair.locators if isinstance(place, LineLocator)]

    text = base.ask("矿坑最大涌水量是多少？").citations[0]
    assert text.document == "report.docx"
    assert "3100" in text.quote
    place = text.locators[0]
    assert isinstance(place, ParagraphLocator)
    assert (place.first, place.heading_path) == (4, ("水文地质", "涌水量"))

    hit = base.search("Q7 泉的流量")[0]
    value = next(place for place in hit.locators if hit.text[place.start : place.end] == "4.1")
    assert (value.first, value.range) == (11, "B3")

    figure = next(hit for hit in base.search("矿区交通位置图") if hit.kind == "figure")
    assert base.picture(figure) == PNG

    code, out, _ = kb(monkeypatch, capsys, "ask", "ZK303 的品位是多少？", "--kb", "office")
    assert code == 0
    assert "[1] holes.xlsx Sheet1!A4, B4, C4" in out or "[1] holes.xlsx Sheet1!A4:C4" in out
    code, out, _ = kb(monkeypatch, capsys, "trace", "--citation", "1", "--json")
    assert code == 0
    assert json.loads(out)["where"].startswith("holes.xlsx Sheet1!A4")
    code, _, err = kb(monkeypatch, capsys, "trace", "--citation", "1", "--out", str(tmp_path / "x.png"))
    assert code == 2
    assert "Sheet1!A4" in err
