"""Types are told by content; names that claim another type are refused with the way out."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import pytest

from kb_pipeline.errors import EmptyFile, EncryptedFile, FileTooLarge, MismatchedType, UnsupportedType
from kb_pipeline.formats import archive as archives
from kb_pipeline.formats.detect import check_name, detect

PDF = b"%PDF-1.7\n1 0 obj<<>>endobj\nstartxref\n0\n%%EOF"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


def archive(*members: str, **contents: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name in members:
            file.writestr(name, contents.get(name, b"x"))
    return stream.getvalue()


def office(folder: str) -> bytes:
    return archive("[Content_Types].xml", f"{folder}/document.xml")


def ole(stream: str) -> bytes:
    return OLE + stream.encode("utf-16-le") + bytes(64)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PDF, "pdf"),
        (b"\r\njunk before it " * 20 + PDF, "pdf"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "png"),
        (b"\xff\xd8\xff\xe0" + bytes(20), "jpeg"),
        (b"II*\x00" + bytes(20), "tiff"),
        (b"MM\x00*" + bytes(20), "tiff"),
        (b"BM" + bytes(12) + b"\x28\0\0\0" + bytes(40), "bmp"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "webp"),
        (b"GIF89a" + bytes(10), "gif"),
        (office("word"), "docx"),
        (office("xl"), "xlsx"),
        (office("ppt"), "pptx"),
        (archive("a.txt"), "zip"),
        (ole("WordDocument"), "doc"),
        (ole("Workbook"), "xls"),
        (ole("PowerPoint Document"), "ppt"),
        (ole("Workbook") + ole("WordDocument"), "doc"),  # a workbook inside of a letter
        (ole("Nothing known"), "ole"),
        (b"{\\rtf1 hello}", "rtf"),
        (b"\x7fELF\0\0\0\0", "unknown"),
        ("矿区概况".encode("gb18030"), "text"),
        (b"<!DOCTYPE html><html></html>", "html"),
    ],
)
def test_types_by_content(data, kind):
    assert detect(data, "name-without-extension") == kind


@pytest.mark.parametrize(
    ("name", "kind"), [("a.md", "markdown"), ("a.TXT", "text"), ("a.csv", "csv"), ("a.html", "html"), ("a.xyz", "text")]
)
def test_text_types_by_extension(name, kind):
    assert detect(b"plain words", name) == kind


def test_a_text_about_pdf_is_text():
    assert detect(b"The header of such a file is %PDF-1.7 and so on.", "notes.txt") == "text"


def test_a_damaged_zip_is_told_by_its_names():
    assert detect(office("word")[:-30], "a.docx") == "docx"


def test_a_type_member_is_not_unpacked_whole():
    """400 MB of it in 0.4 MB of archive; what is looked at are its first bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file, file.open("mimetype", "w") as member:
        for _ in range(400):
            member.write(bytes(1_000_000))
    tracemalloc.start()
    assert detect(stream.getvalue(), "a.zip") == "zip"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


def test_a_type_member_that_cannot_be_unpacked():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", b"application/epub+zip" * 20)
    data = bytearray(stream.getvalue())
    data[38:44] = b"\xff" * 6  # the packed bytes behind its header
    assert detect(bytes(data), "a.epub") == "zip"


def test_an_archive_of_more_members_than_is_safe(monkeypatch):
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    with pytest.raises(FileTooLarge, match="more than 3 parts"):
        detect(archive("a", "b", "c", "d"), "a.zip")


def test_no_bytes():
    with pytest.raises(EmptyFile, match="empty\\.pdf"):
        detect(b"", "empty.pdf")


@pytest.mark.parametrize("name", ["a.pdf", "folder/b.PDF", "no-extension", "报告.pdf"])
def test_a_fitting_name_passes(name):
    check_name("pdf", name)


def test_a_picture_named_pdf():
    with pytest.raises(MismatchedType) as raised:
        check_name("png", "scan.pdf")
    assert "scan.pdf" in str(raised.value)
    assert ".png" in raised.value.remedy


def test_an_old_word_document_named_docx():
    with pytest.raises(MismatchedType) as raised:
        check_name("doc", "letter.docx")
    assert ".doc" in raised.value.remedy
    assert "convert" in raised.value.remedy


def test_text_named_pdf():
    with pytest.raises(MismatchedType):
        check_name("text", "page.pdf")


def test_text_kinds_may_carry_each_others_names():
    check_name("text", "notes.log")
    check_name("markdown", "readme.md")


@pytest.mark.parametrize(
    ("kind", "name"), [("pptx", "a.pptx"), ("unknown", "a.bin"), ("zip", "a.zip"), ("html", "a.html")]
)
def test_types_without_a_reader_list_what_can_be_read(kind, name):
    with pytest.raises(UnsupportedType) as raised:
        check_name(kind, name)
    assert all(word in raised.value.remedy for word in ("PDF", "png", "txt", "md"))


def test_an_encrypted_office_document():
    kind = detect(ole("EncryptedPackage"), "plan.xlsx")
    with pytest.raises(EncryptedFile, match="password"):
        check_name(kind, "plan.xlsx")
