"""Question/answer chunks."""

from __future__ import annotations

from collections import Counter

from kb_pipeline.chunking.cut import chunk_document
from kb_pipeline.formats.markdown.read import read_markdown
from kb_pipeline.formats.text import read_text
from kb_pipeline.settings import ChunkingSettings
from kb_pipeline_tests.chunking.samples import chunks, document, letters, own_text, section, squeezed, table, texts


def qa(*sections, **chosen):
    return chunks(*sections, mode="qa", chunk_tokens=512, **chosen)


def parsed(data: str, reader) -> list[str]:
    found = chunk_document(reader(data.encode(), "faq"), ChunkingSettings(mode="qa"), letters, 500)
    return texts(found)


def test_each_row_of_two_columns_is_a_pair_under_its_header():
    rows = [["问题", "答案"], ["何时取样？", "2019 年。"], ["品位多少？", "0.85。"]]
    found = qa(table(rows))
    assert texts(found) == ["问题 | 答案\n何时取样？\n2019 年。", "问题: 品位多少？\n答案: 0.85。"]
    for chunk in found:
        cells = [p for p in chunk.locators if chunk.text[p.start : p.end] in ("2019 年。", "0.85。")]
        assert len(cells) == 1
        assert cells[0].box[0] == 100.0


def test_rows_without_a_header_are_all_pairs():
    found = qa(table([["何时取样？", "2019 年。"], ["品位多少？", "0.85。"]]))
    assert texts(found) == ["何时取样？\n2019 年。", "品位多少？\n0.85。"]


def test_named_columns_among_others_make_pairs():
    rows = [
        ["编号", "问题", "答案", "来源"],
        ["1", "何时取样？", "2019 年。", "手册"],
        ["2", "品位？", "0.85。", "表 3"],
    ]
    found = texts(qa(table(rows)))
    assert len(found) == 2
    assert found[1] == "编号: 2\n问题: 品位？\n答案: 0.85。\n来源: 表 3"


def test_other_tables_stay_tables():
    found = qa(table([["孔号", "深度", "品位"], ["ZK305", "120", "0.85"]]))
    assert [(chunk.kind, chunk.text) for chunk in found] == [("table", "孔号 | 深度 | 品位\nZK305 | 120 | 0.85")]


def test_marked_lines_are_pairs_and_text_before_them_is_a_general_chunk():
    found = qa(
        section("本手册回答常见的问题。"),
        section("问：何时取样？"),
        section("答：2019 年。"),
        section("取样由地质队完成。"),
        section("Q: What is the grade?\nA: 0.85 percent."),
    )
    assert texts(found) == [
        "本手册回答常见的问题。",
        "问：何时取样？\n答：2019 年。\n取样由地质队完成。",
        "Q: What is the grade?\nA: 0.85 percent.",
    ]


def test_question_and_answer_on_one_line_are_a_pair():
    found = qa(section("问：何时取样？ 答：2019 年。 问：品位？ 答：0.85。"))
    assert texts(found) == ["问：何时取样？ 答：2019 年。", "问：品位？ 答：0.85。"]


def test_lines_of_two_fields_by_tab_or_comma():
    assert parsed("何时取样？\t2019 年。\n品位，多少？\t0.85\n接着说明\n何处？\t省境\n", read_text) == [
        "何时取样？\t2019 年。",
        "品位，多少？\t0.85\n接着说明",
        "何处？\t省境",
    ]
    assert parsed("when?,in 2019\nwhere?,in the east\n", read_text) == ["when?,in 2019", "where?,in the east"]


def test_prose_with_commas_is_no_list_of_pairs():
    prose = "Copper was found, and more of it.\nGold was not found there, nor was silver, nor lead.\nNothing else."
    assert parsed(prose, read_text) == [prose]


def test_headings_are_questions_and_their_text_the_answer():
    found = parsed("# 手册\n\n## 何时取样？\n\n2019 年。\n\n由地质队完成。\n\n## 品位多少？\n\n0.85。\n", read_markdown)
    assert found == ["手册\n何时取样？\n2019 年。\n由地质队完成。", "品位多少？\n0.85。"]


def test_numbered_questions_whose_numbers_rise():
    found = qa(
        section("1. 何时取样？"),
        section("分两次：（1）2019 年，（2）2021 年。"),
        section("2. 品位多少？"),
        section("0.85。"),
    )
    assert texts(found) == ["1. 何时取样？\n分两次：（1）2019 年，（2）2021 年。", "2. 品位多少？\n0.85。"]


def test_a_document_without_pairs_gives_general_chunks():
    assert texts(qa(section("矿区位于省境东南。"), section("交通方便。"))) == ["矿区位于省境东南。\n交通方便。"]


def test_a_pair_stays_whole_above_the_soft_limit_and_is_split_under_its_question_above_the_cap():
    answer = "取样分多次进行，每次都有记录。" * 20
    parts = [section("问：何时取样？"), section("答：" + answer)]
    assert len(chunks(*parts, mode="qa", chunk_tokens=64, count=letters, most=500)) == 1
    found = chunks(*parts, mode="qa", chunk_tokens=64, count=letters, most=120)
    assert len(found) > 2
    assert all(chunk.text.startswith("问：何时取样？") and chunk.tokens <= 120 for chunk in found)
    assert [mark.kind for chunk in found[1:] for mark in chunk.added] == ["question"] * (len(found) - 1)
    assert own_text(found) == squeezed(item.text for item in document(*parts).sections)


def test_no_row_is_lost_where_cells_are_empty():
    rows = [["何时？", "2019"], ["", "补充"], ["何处？", ""]]
    found = qa(table(rows))
    assert Counter(squeezed(texts(found))) == Counter(squeezed(cell for row in rows for cell in row))
