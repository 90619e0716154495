"""CSV and TSV: delimiters, quotes, ragged rows, places of cells, long files."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.errors import EmptyFile, FileTooLarge
from kb_pipeline.formats import delimited, read_native
from kb_pipeline.formats.delimited import best_delimiter, records


def read(text: str | bytes):
    data = text.encode("utf-8") if isinstance(text, str) else text
    return read_native("csv", data, "a.csv").document


def grid(document):
    return [[c.text for c in s.cells if c.row == row] for s in document.sections for row in {c.row: 0 for c in s.cells}]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter):
    rows = [["孔号", "深度, 米", "备注"], ["ZK1", "12,5", "a; b"], ["ZK2", "13,5", "c"], ["ZK3", "14,5", "d"]]
    target = io.StringIO()
    csv.writer(target, delimiter=delimiter).writerows(rows)
    assert grid(read(target.getvalue())) == rows


def test_commas_in_every_text_do_not_part_it():
    assert best_delimiter("name;note\na;x, y, z\nb;p, q, r\n") == ";"


def test_one_column_stays_one_column():
    document = read("note\nOne sentence, with a comma.\nAnother.\nA third.\n")
    assert grid(document) == [["note"], ["One sentence, with a comma."], ["Another."], ["A third."]]


def test_quoted_fields_hold_line_ends_and_quotes():
    document = read('id,text\r\n1,"first line\r\nsecond ""line"""\r\n2,x\r\n')
    assert grid(document) == [["id", "text"], ["1", 'first line second "line"'], ["2", "x"]]
    cells = {c.text: c.locators[0] for c in document.sections[0].cells}
    assert (cells["1"].first, cells["1"].last, cells["1"].range) == (2, 3, "A2")
    assert (cells["x"].first, cells["x"].last, cells["x"].range) == (4, 4, "B3")


def test_a_quote_that_encloses_nothing_is_a_character():
    text = 'size,part\n5",pipe\n"6,elbow\n7,tee\n'
    assert grid(read(text)) == [["size", "part"], ['5"', "pipe"], ['"6', "elbow"], ["7", "tee"]]


def test_places_are_ranges_of_the_text():
    section = read("孔号,品位\nZK1,0.5\n").sections[0]
    for place in section.locators:
        assert section.text[place.start : place.end] in ("孔号", "品位", "ZK1", "0.5")
    assert [place.range for place in section.locators] == ["A1", "B1", "A2", "B2"]


def test_a_title_row_is_the_caption_and_no_header():
    section = read("2023年销售表,,\n地区,一月,二月\n北京,10,12\n上海,11,13\n").sections[0]
    assert section.caption == "2023年销售表"
    assert [c.text for c in section.cells if c.header] == ["地区", "一月", "二月"]


def test_data_without_a_header_has_none():
    assert not any(c.header for c in read("1,张三,10.5\n2,李四,11.5\n3,王五,12.5\n").sections[0].cells)


def test_years_name_columns():
    assert sum(c.header for c in read("地区,2021,2022\n北京,10,12\n上海,11,13\n").sections[0].cells) == 3


def test_other_encodings():
    assert grid(read("孔号,品位\n钻孔一,富矿\n".encode("gb18030"))) == [["孔号", "品位"], ["钻孔一", "富矿"]]


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"', "sep=\t"])
def test_a_first_line_gives_the_delimiter(first):
    mark = "\t" if "\t" in first else ";"
    document = read(f"{first}\r\nname{mark}val,unit\r\na{mark}1,5 m\r\n")
    assert grid(document) == [["name", "val,unit"], ["a", "1,5 m"]]
    assert [(p.first, p.range) for p in document.sections[0].locators] == [(2, "A1"), (2, "B1"), (3, "A2"), (3, "B2")]
    assert document.characters.balanced


def test_a_bad_line_is_told_in_the_notes():
    lines = "姓名,部门\n张三,质量管理部\n李四,设备维护部\n".encode("gb18030").split(b"\n")
    document = read(b"\n".join([lines[0], lines[1] + b"\xff", *lines[2:]]))
    assert document.charset == "gb18030" and "line 2" in document.notes[0]
    assert grid(document)[2] == ["李四", "设备维护部"]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "big5hkscs", "gb18030", "utf-8-sig"])
def test_mixed_line_ends_in_each_encoding(codec):
    assert grid(read("品名;數量\r\n銅礦;12\r鐵礦;13\n".encode(codec))) == [
        ["品名", "數量"],
        ["銅礦", "12"],
        ["鐵礦", "13"],
    ]


def test_long_files_come_in_parts_under_the_header():
    document = read("id,value\n" + "".join(f"{i},v{i}\n" for i in range(1, 1201)))
    assert len(document.sections) == 3
    for section in document.sections:
        assert [c.text for c in section.cells if c.header] == ["id", "value"]
    assert document.sections[1].cells[2].text == "501"
    assert document.sections[1].cells[2].locators[0].first == 502
    assert document.characters.balanced


def test_too_many_cells_are_refused(monkeypatch):
    monkeypatch.setattr(delimited, "MAX_CELLS", 10)
    with pytest.raises(FileTooLarge, match="more than 10 cells") as raised:
        read("a,b\n" * 8)
    assert raised.value.remedy


def test_nothing_in_it():
    with pytest.raises(EmptyFile):
        read(",,\n,,\n")


FIELD = st.text(st.sampled_from('ab1 ,;"\n\t|问题。'), max_size=8)


@given(st.lists(st.lists(FIELD, min_size=2, max_size=4), min_size=1, max_size=8))
def test_no_value_is_lost(rows):
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows(rows)
    found = [record.fields for record in records(target.getvalue(), ",")]
    assert found == rows


@given(st.text(st.sampled_from('ab1 ,;"\n\r\t|。'), max_size=60))
def test_the_character_sum_is_exact_for_any_text(text):
    try:
        document = read("x,y\n" + text)
    except EmptyFile:
        return
    assert document.characters.balanced
    syntax = str.maketrans("", "", ' ,;"\n\r\t|')
    kept = "".join(c.text for s in document.sections for c in s.cells) + "".join(s.caption for s in document.sections)
    assert sorted(kept.translate(syntax)) == sorted(("x,y\n" + text).translate(syntax))
