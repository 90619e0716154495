"""Office packages that are damaged, swollen or hostile end with a typed error."""

from __future__ import annotations

import io
import zipfile

import pytest

from kb_pipeline.errors import DamagedFile, EmptyFile, EncryptedFile, FileTooLarge
from kb_pipeline.formats import archive, ooxml, read_native
from kb_pipeline_tests.office_bytes import changed, docx, p, rows, workbook, zipped


def test_cut_off():
    with pytest.raises(DamagedFile, match=r"a\.docx") as raised:
        read_native("docx", docx(p("text"))[:-40], "a.docx")
    assert raised.value.remedy


def test_a_part_that_is_not_xml():
    data = changed(docx(p("text")), "word/document.xml", lambda text: text[:-20])
    with pytest.raises(DamagedFile, match=r"document\.xml"):
        read_native("docx", data, "a.docx")


def test_no_main_part():
    with pytest.raises(DamagedFile, match="main part"):
        read_native("xlsx", zipped({"[Content_Types].xml": "<Types/>", "xl/x": "x"}), "a.xlsx")


def test_entities_are_not_expanded():
    bomb = '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    data = changed(docx(p("XX")), "word/document.xml", lambda text: bomb + text.replace("XX", "&b;"))
    with pytest.raises(DamagedFile, match="document type"):
        read_native("docx", data, "a.docx")


def test_entities_in_a_sheet():
    data = workbook(rows(["a", "b"]))
    data = changed(data, "xl/worksheets/sheet1.xml", lambda text: '<!DOCTYPE x [<!ENTITY a "ha">]>' + text)
    with pytest.raises(DamagedFile, match="document type"):
        read_native("xlsx", data, "a.xlsx")


@pytest.mark.parametrize("wrong", ["", "x", "-1", "99999999999", "1e999"])
def test_numbers_that_are_none(wrong):
    data = workbook(rows(["a", 1.5], ["b", 2.5]))
    data = changed(data, "xl/worksheets/sheet1.xml", lambda text: text.replace('row r="2"', f'row r="{wrong}"'))
    data = changed(data, "xl/styles.xml", lambda text: text.replace('numFmtId="0"', f'numFmtId="{wrong}"'))
    try:
        found = read_native("xlsx", data, "a.xlsx").document
    except DamagedFile:
        return
    assert "b" in found.sections[-1].text


def test_a_zip_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(archive, "SMALL", 1000)
    data = docx(p("text") + " " * 2_000_000)
    with pytest.raises(FileTooLarge, match="unpacks to"):
        read_native("docx", data, "a.docx")


def test_the_sum_of_all_parts_is_bounded(monkeypatch):
    monkeypatch.setattr(archive, "MAX_BYTES", 900)
    with pytest.raises(FileTooLarge):
        read_native("xlsx", workbook(rows(["a", "b"])), "a.xlsx")


def test_a_part_of_more_elements_than_memory_holds(monkeypatch):
    monkeypatch.setattr(ooxml, "MAX_NODES", 2_000)
    with pytest.raises(FileTooLarge, match="elements"):
        read_native("docx", docx("<w:p/>" * 3_000), "a.docx")
    monkeypatch.setattr(ooxml, "MAX_TAGS", 100)
    with pytest.raises(FileTooLarge, match="elements"):
        read_native("xlsx", workbook(rows(*[["a", "b"]] * 50)), "a.xlsx")


def test_parts_packed_as_office_never_packs_them():
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx(p("text")))) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    with pytest.raises(DamagedFile, match="packed by a method"):
        read_native("docx", stream.getvalue(), "a.docx")


@pytest.mark.parametrize(("kind", "data"), [("docx", docx("<w:p/>")), ("xlsx", workbook(rows()))])
def test_nothing_in_it(kind, data):
    with pytest.raises(EmptyFile):
        read_native(kind, data, f"a.{kind}")


def test_an_old_workbook_that_is_none():
    with pytest.raises(DamagedFile):
        read_native("xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.xls")


def test_an_encrypted_old_workbook(monkeypatch):
    import xlrd

    def refuse(**_):
        raise xlrd.XLRDError("Workbook is encrypted")

    monkeypatch.setattr(xlrd, "open_workbook", refuse)
    with pytest.raises(EncryptedFile, match="password"):
        read_native("xls", b"", "a.xls")
