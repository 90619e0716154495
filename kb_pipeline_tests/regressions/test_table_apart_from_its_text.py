"""Tables and figures are torn from their text or stand in another order than in the document (ragflow #7848, #4695,
#10844, #6956, #9490)."""

from __future__ import annotations

import pytest

from kb_pipeline_tests.chunking.samples import chunks, section, table


@pytest.mark.parametrize("mode", ["general", "table", "manual", "sliding_window"])
def test_chunks_stand_in_the_order_of_the_document(mode):
    text = "各孔的位置和深度在附图中标出，此处从略，读者可以参看。"
    found = chunks(
        section("第一段。" + text),
        table([["孔号", "品位", "厚度"], ["ZK1", "0.1", "2"]]),
        section("第二段。" + text),
        section("图1 矿体", role="figure"),
        section("第三段。" + text),
        mode=mode,
    )
    firsts = [chunk.text[:4] for chunk in found if chunk.parent < 0]
    assert firsts == ["第一段。", "孔号 |", "第二段。", "图1 矿", "第三段。"]


def test_the_heading_of_a_table_is_in_its_chunk_and_in_that_of_every_part_as_breadcrumb():
    rows = [["孔号", "品位", "厚度"], *[[f"ZK{i}", f"0.{i}", "2"] for i in range(30)]]
    trail = ("第四章 品位",)
    grid = table(rows)
    grid = type(grid)("", "table", grid.text, breadcrumb=trail, locators=grid.locators, cells=grid.cells)
    found = chunks(section("第四章 品位", level=1), grid)
    assert len(found) > 2
    assert found[0].text.startswith("第四章 品位\n孔号")
    assert all(chunk.breadcrumb == trail for chunk in found[1:])
