"""Encodings are told by what the text reads like, not by the first codec that does not fail."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.formats.charset import decode, is_text

SIMPLIFIED = (
    "矿区位于省境东南部，交通方便。区内出露地层主要为震旦系和寒武系，铜矿体呈似层状产出，平均品位百分之一点二。"
)
TRADITIONAL = (
    "礦區位於省境東南部，交通方便。區內出露地層主要為震旦系和寒武系，銅礦體呈似層狀產出，平均品位百分之一點二。"
)
JAPANESE = "この鉱山は県の南東部にあり、交通は便利です。銅の品位は高く、地層は古いと考えられています。カタカナも使う。"
KOREAN = "이 광산은 도의 남동부에 있으며 교통이 편리합니다. 구리의 품위는 높고 지층은 오래된 시대의 것입니다."
FRENCH = "Le gisement est situé à l’est de la région; la teneur moyenne en cuivre dépasse un pour cent, où l’été dure."
RUSSIAN = "Рудник расположен на юго-востоке области, дороги хорошие. Среднее содержание меди превышает один процент."

CASES = [
    (SIMPLIFIED, "gb18030"),
    (SIMPLIFIED, "gbk"),
    (TRADITIONAL, "big5"),
    (TRADITIONAL, "gb18030"),
    (JAPANESE, "cp932"),
    (JAPANESE, "euc_jp"),
    (KOREAN, "cp949"),
    (FRENCH, "cp1252"),
    (RUSSIAN, "cp1251"),
    (SIMPLIFIED, "utf-16"),
    (SIMPLIFIED, "utf-16-le"),
    (SIMPLIFIED, "utf-16-be"),
    (FRENCH, "utf-16-le"),
    (SIMPLIFIED, "utf-8"),
    (SIMPLIFIED, "utf-8-sig"),
    (JAPANESE, "utf-16-le"),
]


@pytest.mark.parametrize(("text", "codec"), CASES)
def test_each_encoding_is_read(text, codec):
    assert decode(text.encode(codec)).text == text


@pytest.mark.parametrize(("text", "codec"), CASES)
def test_each_encoding_is_read_among_ascii(text, codec):
    mixed = "id,name,value\n" * 30 + text + "\nend of file, 12345\n"
    assert decode(mixed.encode(codec)).text == mixed


@pytest.mark.parametrize("text", ["铜矿的品位", "品位统计表", "孔号\t品位\nZK305\t0.85"])
def test_short_chinese_is_read(text):
    assert decode(text.encode("gb18030")).text == text


def test_legacy_text_far_behind_ascii_is_read():
    """Detection that looks at the first kilobyte alone takes this for ASCII and loses all Chinese."""
    text = "plain ascii line of a log\n" * 2000 + SIMPLIFIED
    assert decode(text.encode("gb18030")).text == text


def test_utf8_with_a_cut_character_stays_utf8():
    data = (SIMPLIFIED * 20).encode("utf-8")[:-1]
    assert decode(data).codec == "utf-8"
    assert decode(data).text[:-1] == (SIMPLIFIED * 20)[:-1]


def test_the_codec_is_reported():
    assert decode(SIMPLIFIED.encode("gbk")).codec == "gb18030"


def test_text_and_binary_are_told_apart():
    assert is_text(SIMPLIFIED.encode("gb18030"))
    assert is_text(FRENCH.encode("utf-16-le"))
    assert is_text(b"\x1b[31mred\x1b[0m plain\n")
    assert not is_text(bytes(range(256)) * 4)
    assert not is_text(b"\x7fELF\x02\x01\x01\0\0\0")


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_utf8_is_always_read_as_it_is(text):
    data = text.encode("utf-8")
    if not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) and b"\0" not in data:
        assert decode(data).text == text


@given(st.binary(max_size=300))
def test_any_bytes_give_text(data):
    assert isinstance(decode(data).text, str)


ROWS = "姓名,部门\n张三,质量管理部\n李四,设备维护部\n王五,仓储物流部\n"


@pytest.mark.parametrize("text", ["姓名,部门\n㐂田,运维\n𠮷野,设备\n", "姓名\n欧阳娜娜\n司徒雷登\n", "王翀\n"])
def test_rare_names_in_gb18030_are_read(text):
    assert decode(text.encode("gb18030")) == (text, "gb18030", ())


@pytest.mark.parametrize("text", ["Prénom,Ville\nAndré,Orléans\n", "Имя,Город\nПётр,Казань\n", "T,°C\n1,5±2\n"])
def test_short_files_of_one_byte_a_letter_are_not_taken_for_chinese(text):
    codec = "cp1251" if "Имя" in text else "cp1252"
    assert decode(text.encode(codec))[:2] == (text, codec)


@pytest.mark.parametrize("codec", ["gb18030", "utf-8", "big5"])
@pytest.mark.parametrize("wrong", [b"\xff", b"\xfe\xfe\xfe"])
def test_one_bad_line_is_told_and_the_others_are_read(codec, wrong):
    rows = ROWS if codec != "big5" else "姓名,部門\n張三,質量管理部\n李四,設備維護部\n王五,倉儲物流部\n"
    lines = rows.encode(codec).split(b"\n")
    lines[1] += wrong
    text, found, notes = decode(b"\n".join(lines))
    assert found == ("big5hkscs" if codec == "big5" else codec)
    assert [line for line in text.split("\n") if "\ufffd" not in line] == [rows.split("\n")[i] for i in (0, 2, 3, 4)]
    assert len(notes) == 1 and "line 2" in notes[0]


@pytest.mark.parametrize(("codec", "other"), [("gb18030", "utf-8"), ("utf-8", "gb18030")])
def test_a_line_appended_in_another_encoding_is_read(codec, other):
    text, found, notes = decode(ROWS.encode(codec) + "赵六,研发中心\n".encode(other))
    assert (text, found) == (ROWS + "赵六,研发中心\n", codec)
    assert "line 5" in notes[0] and other in notes[0]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_that_was_cut_is_read(codec):
    text, _, notes = decode(ROWS.encode(codec) + b"\0")
    assert text == ROWS + "\ufffd" and "line 5" in notes[0]


def test_zero_bytes_are_left_out_and_told():
    data = b"a,b\n1\0,2\n3,4\n" + bytes(9)
    assert is_text(data)
    assert decode(data) == ("a,b\n1,2\n3,4\n", "utf-8", ("10 zero bytes were left out",))
