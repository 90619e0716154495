"""Chunks of spreadsheets and Word documents: pairs, rows under their header, places of cells."""

from __future__ import annotations

import pytest

from kb_pipeline.chunking.cut import chunk_document
from kb_pipeline.formats import read_native
from kb_pipeline.query.table_rows import table_rows
from kb_pipeline.records import Hit
from kb_pipeline.settings import ChunkingSettings
from kb_pipeline_tests.chunking.samples import words
from kb_pipeline_tests.office_bytes import docx, heading, p, rows, workbook

PAIRS = [["怎么重置密码？", "点击忘记密码。"], ["多久发货？", "两天内。"], ["能退货吗？", "七天内可以。"]]
SHIFTED = [[None, *pair] for pair in PAIRS]


def chunks(kind, data, mode, tokens=512):
    document = read_native(kind, data, f"a.{kind}").document
    return chunk_document(document, ChunkingSettings(mode=mode, chunk_tokens=tokens), words, max(tokens, 64))


def as_csv(values):
    return "\n".join(",".join(row) for row in values).encode()


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("csv", as_csv(PAIRS)),
        ("csv", as_csv([["问题", "答案"], *PAIRS])),
        ("xlsx", workbook(rows(*PAIRS))),
        ("xlsx", workbook(rows(["Question", "Answer"], *PAIRS))),
        ("xlsx", workbook(rows(*SHIFTED))),
        ("docx", docx("".join(p(f"问：{q}") + p(f"答：{a}") for q, a in PAIRS))),
        ("docx", docx("".join(heading(q) + p(a) for q, a in PAIRS))),
    ],
    ids=["csv", "csv with header", "xlsx", "xlsx with header", "xlsx shifted", "docx marked", "docx headings"],
)
def test_a_pair_is_one_chunk(kind, data):
    found = chunks(kind, data, "qa")
    assert len(found) == len(PAIRS)
    for chunk, (question, answer) in zip(found, PAIRS, strict=True):
        assert question in chunk.text
        assert answer in chunk.text
        assert chunk.locators


def test_rows_are_never_cut_and_every_part_has_the_whole_header():
    def fill(sheet):
        sheet.append(["钻孔品位表"])
        sheet.merge_cells("A1:D1")
        sheet.append(["钻孔", "见矿深度", None, "品位"])
        sheet.append([None, "自", "至", None])
        for area in ("A2:A3", "B2:C2", "D2:D3"):
            sheet.merge_cells(area)
        for i in range(80):
            sheet.append([f"ZK{i}", i, i + 10, i / 100])

    found = chunks("xlsx", workbook(fill), "table", tokens=100)
    parts = [chunk for chunk in found if chunk.kind == "table" and chunk.parent < 0]
    children = [chunk for chunk in found if chunk.parent >= 0]
    assert len(parts) > 3
    assert all("钻孔品位表\n钻孔 | 见矿深度 | 品位\n自 | 至\n" in part.text for part in parts)
    lines = [line for part in parts for line in part.text.split("\n") if line.startswith("ZK")]
    assert lines == [f"ZK{i} | {i} | {i + 10} | {i / 100:g}" for i in range(80)]
    assert len(children) == 80
    row = next(child for child in children if "ZK41" in child.text)
    assert "见矿深度 / 自: 41" in row.text
    places = {row.text[place.start : place.end]: place.range for place in row.locators}
    assert places["41"] == "B45"
    assert places["0.41"] == "D45"


def test_a_row_is_read_with_the_headers_above_it():
    def fill(sheet):
        rows(["钻孔", "深度", None], [None, "自", "至"], ["ZK1", 10, 20], [None, 30, 40])(sheet)
        for area in ("A1:A2", "B1:C1", "A3:A4"):
            sheet.merge_cells(area)

    chunk = next(one for one in chunks("xlsx", workbook(fill), "general") if one.kind == "table")
    found = table_rows(Hit("d:v:0", "d", "d", "table", chunk.text, (), 1.0, {}, chunk.locators))
    assert found[-1].statement.endswith("钻孔: ZK1; 深度 自: 30; 深度 至: 40")
