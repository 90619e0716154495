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
