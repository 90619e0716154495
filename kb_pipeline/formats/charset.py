"""Bytes to text: which encoding a text file is in.

A byte order mark or valid UTF-8 decides at once, UTF-16 without a mark shows by its zero or ideograph bytes. For the
rest every candidate decodes the whole text and is scored by what it then reads like: ideographs that are frequent,
one script, letters in words, and no characters that no one writes.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

SAMPLE = 200_000  # bytes that are scored; the whole text is decoded
CONTROL_SHARE = 0.01  # share of control bytes up to which bytes are text
STRAY = 0.002  # share of bytes that may be invalid in UTF-8 that is cut or damaged

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WIDE = ("utf-16-le", "utf-16-be")
READS_WELL = 0.5  # score of text that is surely in that codec
# how much a codec's score is raised or lowered beforehand: what is rare in Chinese and English files needs more proof
CANDIDATES = {
    "gb18030": 0.15,
    "big5hkscs": 0.0,
    "cp1252": 0.0,
    "cp932": -0.05,
    "euc_jp": -0.1,
    "cp949": -0.3,
    "cp1251": -0.1,
    "utf-16-le": -0.3,
    "utf-16-be": -0.35,
}

# the most frequent ideographs of running Chinese and Japanese text, simplified and traditional
_FREQUENT = frozenset(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后"
    "多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合"
    "还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又利比或但质气第向道此变条只没结"
    "解问意建月公无系很情者最立代想已通并提直题程展五果料员位入常文总次品式活设及管特件长求基资流路级少图山统接知"
    "這為個國時來們於對會發動過說產種後學經進著電裡現實兩體機當點從業應開還與關線數質氣變條沒結問無並題員總設長資"
    "見間東京都市本語事者方言思気年月日時分人出入上下"
)
_HIRAGANA = re.compile(r"[\u3041-\u3096]")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]")
_HALF_KATAKANA = re.compile(r"[\uff61-\uff9f]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")
_RARE_IDEOGRAPH = re.compile(r"[\u3400-\u4dbf\U00020000-\U0003ffff\uf900-\ufaff]")
_PUNCTUATION = re.compile(r"[，。、；：？！“”‘’（）《》「」『』【】…—　·]")
_PRIVATE = re.compile(r"[\ue000-\uf8ff\ufffd\x80-\x9f]")
_CYRILLIC_WORD = re.compile(r"[А-ЯЁ]?[а-яё]{2,}|[А-ЯЁ]{2,}")
_LATIN_WORD = re.compile(r"[A-Za-z]+[À-ÖØ-öø-ÿŒœŠšŽž]{1,2}[a-z]*|[À-ÖØ-Þ]?[à-öø-ÿœšž][a-z]+")
_LATIN_SIGN = re.compile(r"[‘’“”–—…•€£©®°«»§±²³µ·½¼]")


class Decoded(NamedTuple):
    """Text and the codec that read it."""

    text: str
    codec: str


def decode(data: bytes) -> Decoded:
    """The text of a text file. Bytes that the codec cannot read become U+FFFD, one each: nothing is left out."""
    for mark, codec in MARKS:
        if data.startswith(mark):
            return Decoded(data.decode(codec, "replace"), codec)
    wide = _wide(data)
    if wide:
        return Decoded(data.decode(wide, "replace"), wide)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    high = sum(byte >= 0x80 for byte in data)
    if text.count("\ufffd") <= max(1, STRAY * len(data)) and high >= 20 * text.count("\ufffd"):
        return Decoded(text, "utf-8")
    sample = _sample(data)
    names = [name for name in CANDIDATES if name not in WIDE or len(data) % 2 == 0]
    best = max(names, key=lambda name: _score(sample, name) + CANDIDATES[name])
    return Decoded(data.decode(best, "replace"), best)


def is_text(data: bytes) -> bool:
    """Whether bytes are text in some encoding: a mark, UTF-16, or hardly a control byte."""
    if data.startswith(tuple(mark for mark, _ in MARKS)) or _wide(data):
        return True
    head = data[:65536]
    control = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 or byte == 127 for byte in head)
    if b"\0" in head:
        return False
    # UTF-16 of Chinese alone has no zero bytes, and control bytes in plenty
    return control <= CONTROL_SHARE * len(head) or (
        len(data) % 2 == 0 and any(_score(_sample(data), codec) >= READS_WELL for codec in WIDE)
    )


def _sample(data: bytes) -> bytes:
    """The bytes that are scored, cut at a line's end."""
    if len(data) <= SAMPLE:
        return data
    end = data.rfind(b"\n", 0, SAMPLE)
    return data[: end if end > SAMPLE // 2 else SAMPLE]


def _wide(data: bytes) -> str:
    """ "utf-16-le" or "utf-16-be" for UTF-16 without a mark that shows by its zero bytes, else ""."""
    head = data[: 4096 & ~1]
    if len(head) < 4 or len(data) % 2:
        return ""
    low, high = head[0::2], head[1::2]
    for codec, upper, lower in (("utf-16-le", high, low), ("utf-16-be", low, high)):
        zeros = upper.count(0) / len(upper)
        ideographs = sum(0x4E <= byte <= 0x9F for byte in upper) / len(upper)
        if lower.count(0) <= 0.02 * len(lower) and (zeros > 0.4 or (zeros + ideographs > 0.85 and zeros > 0.02)):
            return codec
    return ""


def _score(data: bytes, codec: str) -> float:
    """How much the bytes read like text in that codec: about 1 for running text, below 0 for nonsense."""
    text = data.decode(codec, "replace")
    foreign = [c for c in text if ord(c) >= 0x80]
    if not foreign:
        return 0.0
    joined = "".join(foreign)
    total = len(foreign)

    def share(pattern: re.Pattern[str]) -> float:
        return len(pattern.findall(joined)) / total

    ideographs, hiragana, katakana = share(_IDEOGRAPH), share(_HIRAGANA), share(_KATAKANA)
    hangul, half = share(_HANGUL), share(_HALF_KATAKANA)
    frequent = sum(c in _FREQUENT for c in foreign) / total
    score = -5.0 * (share(_PRIVATE) + share(_RARE_IDEOGRAPH)) + 0.5 * share(_PUNCTUATION)
    # about 40 of 100 ideographs of running text are among the frequent ones
    chinese = min(1.0, 2.2 * frequent) + 0.2 * ideographs - hiragana - katakana - hangul - half
    japanese = min(1.2, 2.5 * hiragana + katakana) if hiragana > 0.05 else 0.3 * katakana
    japanese += 0.2 * ideographs - 2.0 * half
    korean = 1.1 * hangul - 1.5 * ideographs
    if codec in WIDE:
        return (
            score + max(chinese, japanese, korean) - 5.0 * sum(c < " " and c not in "\t\n\r" for c in text) / len(text)
        )
    if codec in ("gb18030", "big5hkscs"):
        return score + chinese
    if codec in ("cp932", "euc_jp"):
        return score + japanese
    if codec == "cp949":
        return score + korean
    if codec == "cp1251":
        return score + sum(len(word) for word in _CYRILLIC_WORD.findall(text)) / total - 0.2 * share(_LATIN_SIGN)
    words = sum(sum(ord(c) >= 0x80 for c in word) for word in _LATIN_WORD.findall(text))
    return score + 0.9 * min(1.0, words / total + share(_LATIN_SIGN)) * min(1.0, 3 * _ascii_letters(text))


def _ascii_letters(text: str) -> float:
    """Share of ASCII letters among all letters."""
    letters = [c for c in text if c.isalpha()]
    return sum(c.isascii() for c in letters) / len(letters) if letters else 0.0
