"""Workbooks: tables on a sheet, headers, hidden parts, notes, links, pictures, places."""

from __future__ import annotations

import io
import re
import zipfile

import numpy as np
import openpyxl
import PIL.Image
import pytest
import xlwt
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.styles import Border, Font, PatternFill, Side
from openpyxl.worksheet.table import Table

from kb_pipeline.formats import archive, read_native
from kb_pipeline_tests.office_bytes import PNG, changed, rows, workbook


def read(*fills, keep=()):
    return read_native("xlsx", workbook(*fills), "a.xlsx", keep).document


def tables(document):
    return [section for section in document.sections if section.role == "table"]


def headers(section):
    return [cell.text for cell in section.cells if cell.header]


SALES = [["地区", "产量", "品位"], ["北京", 10, 0.5], ["上海", 12, 0.75]]


def test_a_sheet_is_a_heading_over_its_table():
    title, table = read(rows(*SALES)).sections
    assert (title.role, title.level, title.text) == ("title", 1, "Sheet1")
    assert table.breadcrumb == ("Sheet1",)
    assert table.text == "地区 | 产量 | 品位\n北京 | 10 | 0.5\n上海 | 12 | 0.75"
    assert headers(table) == SALES[0]


def test_every_cell_has_its_place():
    table = tables(read(rows(*SALES)))[0]
    assert {c.text: (c.locators[0].sheet, c.locators[0].range) for c in table.cells}["0.75"] == ("Sheet1", "C3")
    marked = {place.range: table.text[place.start : place.end] for place in table.locators}
    assert marked["B2"] == "10"
    assert marked["C3"] == "0.75"


def test_values_show_as_their_number_format_says():
    def fill(sheet):
        sheet.append(["编号", "日期", "占比", "金额"])
        sheet.append([7, 43831, 0.125, 1234.5])
        for name, code in (("A2", "000"), ("B2", "yyyy-mm-dd"), ("C2", "0.0%"), ("D2", "#,##0.00")):
            sheet[name].number_format = code

    assert tables(read(fill))[0].text.endswith("007 | 2020-01-01 | 12.5% | 1,234.50")


def test_two_tables_parted_by_a_row_and_a_column():
    def fill(sheet):
        for r, row in enumerate(SALES, 1):
            for c, value in enumerate(row, 1):
                sheet.cell(r, c, value)
                sheet.cell(r + 5, c, value)
                sheet.cell(r, c + 5, value)

    found = tables(read(fill))
    assert [table.locators[0].range for table in found] == ["A1", "F1", "A6"]
    assert all(headers(table) == SALES[0] for table in found)


def test_a_second_header_after_one_empty_row_begins_a_table():
    found = tables(read(rows(*SALES, [], ["城市", "人口", "面积"], ["广州", 18, 7], ["深圳", 17, 2])))
    assert [headers(table)[0] for table in found] == ["地区", "城市"]


def test_a_title_row_is_the_caption():
    def fill(sheet):
        sheet.append(["铜山矿区产量表"])
        sheet.merge_cells("A1:C1")
        rows(*SALES)(sheet)

    table = tables(read(fill))[0]
    assert table.caption == "铜山矿区产量表"
    assert table.text.startswith("铜山矿区产量表\n地区")
    assert table.locators[0].range == "A1:C1"
    assert headers(table) == SALES[0]


def test_a_header_of_two_rows_with_merged_cells():
    def fill(sheet):
        sheet.append(["钻孔", "见矿深度", None, "品位"])
        sheet.append([None, "自", "至", None])
        sheet.append(["ZK1", 10, 20, 0.5])
        sheet.append(["ZK2", 30, 40, 0.6])
        for area in ("A1:A2", "B1:C1", "D1:D2"):
            sheet.merge_cells(area)

    table = tables(read(fill))[0]
    assert headers(table) == ["钻孔", "见矿深度", "品位", "自", "至"]
    spans = {cell.text: (cell.rowspan, cell.colspan) for cell in table.cells}
    assert spans["钻孔"] == (2, 1)
    assert spans["见矿深度"] == (1, 2)
    assert '<th colspan="2">见矿深度</th>' in table.html


def test_bold_rows_are_headers_of_words():
    def fill(sheet):
        rows(["项目", "负责人"], ["一期", "甲"], ["一期", "乙"])(sheet)
        for cell in sheet[1]:
            cell.font = Font(bold=True)

    assert headers(tables(read(fill))[0]) == ["项目", "负责人"]


def test_coloured_rows_are_headers():
    def fill(sheet):
        rows(["甲，乙；丙。", "丁"], ["一。", "二"], ["三。", "四"])(sheet)
        for cell in sheet[1]:
            cell.fill = PatternFill("solid", fgColor="FFCCEEFF")

    assert len(headers(tables(read(fill))[0])) == 2


def test_a_declared_table_is_one_with_its_header():
    def fill(sheet):
        rows(["甲", "乙"], [1, 2], [3, 4], ["下面", "的行"])(sheet)
        sheet.add_table(Table(displayName="T1", ref="A1:B3"))

    first, second = tables(read(fill))
    assert headers(first) == ["甲", "乙"]
    assert [cell.text for cell in second.cells] == ["下面", "的行"]


def test_notes_below_a_table_are_text():
    document = read(rows(*SALES, ["注：品位为平均值。"]))
    assert document.sections[-1].role == "text"
    assert document.sections[-1].text == "注：品位为平均值。"


def hide(sheet):
    rows(*SALES, ["天津", 99, 0.9])(sheet)
    sheet.row_dimensions[4].hidden = True
    sheet.column_dimensions["B"].hidden = True


def test_hidden_rows_columns_and_sheets_are_dropped_with_that_reason():
    def secret(sheet):
        rows(["密", "码"], [1, 2])(sheet)
        sheet.sheet_state = "hidden"

    document = read(hide, secret)
    assert tables(document)[0].text == "地区 | 品位\n北京 | 0.5\n上海 | 0.75"
    assert document.characters.balanced
    dropped = {item.reason: item for item in document.dropped}
    assert set(dropped) == {"hidden row", "hidden column", "hidden sheet"}
    assert dropped["hidden row"].locators[0].range == "A4:C4"
    kept = read(hide, secret, keep=("hidden row", "hidden column", "hidden sheet"))
    assert not kept.dropped
    assert "天津 | 99 | 0.9" in tables(kept)[0].text
    assert kept.characters.in_ == document.characters.in_


def test_rows_that_a_filter_hides_are_data():
    def fill(sheet):
        rows(*SALES)(sheet)
        sheet.auto_filter.ref = "A1:C3"
        sheet.auto_filter.add_filter_column(0, ["北京"])
        sheet.row_dimensions[3].hidden = True

    assert "上海" in tables(read(fill))[0].text


def test_notes_and_links_are_not_lost():
    def fill(sheet):
        rows(*SALES)(sheet)
        sheet["C1"].comment = Comment("单位为克每吨", "author")
        sheet["A2"].hyperlink = "https://host/beijing"

    document = read(fill)
    note = next(section for section in document.sections if "克每吨" in section.text)
    assert note.text == "品位 (C1): 单位为克每吨"
    assert note.locators[0].range == "C1"
    assert [(item.text, item.reason) for item in document.dropped] == [("https://host/beijing", "link address")]
    assert "北京 https://host/beijing" in tables(read(fill, keep=("link address",)))[0].text


def test_pictures_are_figures_with_their_place():
    def fill(sheet):
        rows(*SALES)(sheet)
        sheet.add_image(Image(io.BytesIO(PNG)), "E2")

    native = read_native("xlsx", workbook(fill), "a.xlsx")
    figure = native.document.sections[-1]
    assert figure.role == "figure"
    assert figure.locators[0].range.startswith("E2")
    assert native.pictures[figure.picture] == PNG


def test_a_picture_on_many_sheets_is_unpacked_once(monkeypatch):
    target = io.BytesIO()
    PIL.Image.fromarray(np.random.default_rng(7).integers(0, 255, (60, 60, 3), np.uint8)).save(target, "PNG")

    def fill(sheet):
        sheet.append(["a", "b"])
        sheet.add_image(Image(io.BytesIO(target.getvalue())), "D1")

    data = workbook(*[fill] * 4)
    for number in range(2, 5):
        part = f"xl/drawings/_rels/drawing{number}.xml.rels"
        data = changed(data, part, lambda text: re.sub(r"image\d+\.png", "image1.png", text))
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        used = sum(one.file_size for one in package.filelist if not re.search(r"image[234]", one.filename))
    monkeypatch.setattr(archive, "MAX_BYTES", used)
    assert len(read_native("xlsx", data, "a.xlsx").pictures) == 4


def test_a_long_sheet_comes_in_parts_under_its_header():
    found = tables(read(rows(["id", "value"], *([i, i * 1.5] for i in range(1100)))))
    assert len(found) == 3
    assert all(headers(table) == ["id", "value"] for table in found)
    assert found[1].cells[2].locators[0].range == "A502"


def test_framed_cells_hold_a_form_together():
    def fill(sheet):
        thin = Side(style="thin")
        sheet["A1"], sheet["C1"], sheet["A4"], sheet["C4"] = "姓名", "张三", "电话", "123"
        for row in sheet["A1:C4"]:
            for cell in row:
                cell.border = Border(thin, thin, thin, thin)

    found = tables(read(fill))
    assert len(found) == 1
    assert [cell.text for cell in found[0].cells if cell.text] == ["姓名", "张三", "电话", "123"]


def test_scattered_cells_are_one_table_and_stay_within_bounds():
    def fill(sheet):
        for i in range(20):
            for j in range(20):
                sheet.cell(3 * i + 1, 3 * j + 1, f"c{i}-{j}")

    document = read(fill)
    assert len(document.sections) == 2
    assert document.characters.balanced


def test_a_merged_cell_that_begins_in_a_hidden_row_is_shown():
    def fill(sheet):
        sheet["A1"], sheet["B2"] = "标题", "值"
        sheet.merge_cells("A1:A3")
        sheet.row_dimensions[1].hidden = True
        sheet.row_dimensions[2].hidden = True

    document = read(fill)
    assert [section.text for section in document.sections] == ["Sheet1", "标题"]
    assert [item.text for item in document.dropped] == ["值"]
    assert document.characters.balanced


def test_a_merged_cell_as_large_as_the_sheet():
    data = workbook(rows(["a", "b"], ["c", "d"]))
    merged = '</sheetData><mergeCells><mergeCell ref="A5:XFD1048576"/></mergeCells>'
    data = changed(data, "xl/worksheets/sheet1.xml", lambda text: text.replace("</sheetData>", merged))
    assert read_native("xlsx", data, "a.xlsx").document.characters.sections == 10


def test_old_workbooks_read_the_same():
    book = xlwt.Workbook()
    sheet = book.add_sheet("品位")
    sheet.write_merge(0, 0, 0, 2, "铜山矿区产量表")
    for r, row in enumerate(SALES, 1):
        for c, value in enumerate(row):
            sheet.write(r, c, value)
    sheet.write(4, 0, 43831, xlwt.easyxf(num_format_str="yyyy-mm-dd"))
    sheet.write(4, 1, 7, xlwt.easyxf(num_format_str="000"))
    sheet.row(5).hidden = True
    sheet.write(5, 0, "secret")
    target = io.BytesIO()
    book.save(target)
    document = read_native("xls", target.getvalue(), "a.xls").document
    table = tables(document)[0]
    assert table.caption == "铜山矿区产量表"
    assert table.text.endswith("上海 | 12 | 0.75\n2020-01-01 | 007 | ")
    assert table.locators[0].range == "A1:C1"
    assert [item.reason for item in document.dropped] == ["hidden row"]
    assert document.characters.balanced


VALUES = st.one_of(st.none(), st.integers(-999, 99999), st.sampled_from(["矿", "a b", "合计", "x\ny", "#N/A", "1.5"]))


def strike(sheet):
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont

    for values in (["item", "price"], ["pump", 100], ["valve", 80], ["pipe", "x"]):
        sheet.append(values)
    sheet["B2"].font = Font(strike=True)
    sheet["B4"] = CellRichText(TextBlock(InlineFont(strike=True), "120 "), TextBlock(InlineFont(), "90"))


@pytest.mark.parametrize("keep", [(), ("struck-out text",)])
def test_struck_out_values_are_no_data(keep):
    document = read(strike, keep=keep)
    expected = {(): "pump | \nvalve | 80\npipe | 90", ("struck-out text",): "pump | 100\nvalve | 80\npipe | 120 90"}
    assert document.sections[1].text == "item | price\n" + expected[keep]
    assert [(d.reason, d.text, d.locators[0].range) for d in document.dropped] == (
        [] if keep else [("struck-out text", "100", "B2"), ("struck-out text", "120", "B4")]
    )
    assert document.characters.balanced


def test_struck_out_values_of_an_old_workbook():
    book, target = xlwt.Workbook(), io.BytesIO()
    sheet = book.add_sheet("Prices")
    struck, plain = xlwt.easyfont("struck_out true"), xlwt.easyfont("")
    for row, values in enumerate((("item", "price"), ("pump", 100), ("valve", 80))):
        for col, value in enumerate(values):
            style = xlwt.easyxf("font: struck_out true") if value == 100 else xlwt.easyxf()
            sheet.write(row, col, value, style)
    sheet.write_rich_text(3, 0, ("pipe",))
    sheet.write_rich_text(3, 1, (("120 ", struck), ("90", plain)))
    book.save(target)
    document = read_native("xls", target.getvalue(), "a.xls").document
    assert document.sections[1].text == "item | price\npump | \nvalve | 80\npipe | 90"
    assert [(d.reason, d.text) for d in document.dropped] == [("struck-out text", "100"), ("struck-out text", "120")]
    assert document.characters.balanced


def test_a_value_that_its_format_hides_is_dropped_and_can_be_kept():
    def hide(sheet):
        for row, (name, value) in enumerate([("Item", "Value"), ("seen", 7), ("hidden", 815)], 1):
            sheet.cell(row, 1, name)
            sheet.cell(row, 2, value)
        sheet["B3"].number_format = ";;;"

    document = read(hide)
    assert [(item.text, item.reason, item.locators[0].range) for item in document.dropped] == [
        ("815", "hidden value", "B3")
    ]
    assert document.characters.balanced and "815" not in document.sections[-1].text
    assert "815" in read(hide, keep=("hidden value",)).sections[-1].text


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_cell_is_lost_and_the_sum_is_exact(data):
    grid = data.draw(st.lists(st.lists(VALUES, min_size=1, max_size=5), min_size=1, max_size=8))
    hidden = data.draw(st.sets(st.integers(1, 8), max_size=2))
    area = data.draw(st.sampled_from(["", "A1:B2", "B2:C4", "A3:E3"]))
    book = openpyxl.Workbook()
    sheet = book.active
    for row in grid:
        sheet.append(row)
    if area:
        sheet.merge_cells(area)
    for row in hidden:
        sheet.row_dimensions[row].hidden = True
    target = io.BytesIO()
    book.save(target)
    values = [cell.value for row in sheet.iter_rows() for cell in row if cell.value is not None]
    if not values:
        return
    document = read_native("xlsx", target.getvalue(), "a.xlsx").document
    assert document.characters.balanced
    text = "".join(section.text for section in document.sections) + "".join(item.text for item in document.dropped)
    for value in values:
        assert "".join(str(value).split()) in "".join(text.split())
    for section in tables(document):
        taken = [
            (cell.row + i, cell.col + j)
            for cell in section.cells
            for i in range(cell.rowspan)
            for j in range(cell.colspan)
        ]
        assert len(taken) == len(set(taken))


@pytest.mark.parametrize("name", ["Sheet 1", "铜矿's"])
def test_sheet_names_as_they_are(name):
    book = openpyxl.Workbook()
    book.active.title = name
    book.active.append(["a", "b"])
    target = io.BytesIO()
    book.save(target)
    document = read_native("xlsx", target.getvalue(), "a.xlsx").document
    assert document.sections[1].locators[0].sheet == name
