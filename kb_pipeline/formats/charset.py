"""Bytes to text: which encoding a text file is in.

A byte order mark or valid UTF-8 decides at once, UTF-16 without a mark shows by its zero or ideograph bytes. For the
rest every candidate decodes the text line by line and is scored by what its lines then read like: ideographs that are
frequent, one script, letters in words, and no characters that no one writes. A line that the file's codec cannot read
does not make the file one of another codec: it is told.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from typing import NamedTuple

SAMPLE = 200_000  # bytes that are scored; the whole text is decoded
CONTROL_SHARE = 0.01  # share of control bytes up to which bytes are text
ZEROS = bytes(4)  # that many zero bytes in a row stand in no text, save at its end
STRAY = 0.05  # of the bytes beyond ASCII, that may be invalid in UTF-8 of a single line that is cut or damaged
SURE = 9  # bytes beyond ASCII of a line that is UTF-8 in a file of another codec
BAD_LINE = 0.6  # taken off a codec's score, times the share of lines that it cannot read
MAX_TOLD = 5  # lines that a note lists

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WIDE = ("utf-16-le", "utf-16-be")
# codecs in which the byte of a line feed is nothing else
LINEWISE = ("utf-8", "utf-8-sig", "gb18030", "big5hkscs", "cp1252", "cp932", "euc_jp", "cp949", "cp1251")
READS_WELL = 0.5  # score of text that is surely in that codec
# how much a codec's score is raised or lowered beforehand: what is rare in Chinese and English files needs more proof
CANDIDATES = {
    "gb18030": 0.15,  # before the tables of one byte a letter, which can read anything
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
# of one case, save its first letter: what bytes of Chinese look like in that table is not
_CYRILLIC_WORD = re.compile(r"(?<!\w)(?:[А-ЯЁ]?[а-яё]+|[А-ЯЁ]{2,})(?!\w)")
_LATIN_WORD = re.compile(r"[A-Za-z]+[À-ÖØ-öø-ÿŒœŠšŽž]{1,2}[a-z]*|[À-ÖØ-Þ]?[à-öø-ÿœšž][a-z]+")
_LATIN_SIGN = re.compile(r"[‘’“”–—…•€£©®°«»§±²³µ·½¼]")


class Decoded(NamedTuple):
    """Text, the codec that read it, and what a reader should know of it."""

    text: str
    codec: str
    notes: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """The text of a text file. Bytes that no codec can read become U+FFFD, one each, and their lines are told; zero
    bytes, which no text holds, are left out and told."""
    codec = _codec(data)
    if codec in LINEWISE:
        text, notes = _lines(data, codec)
    else:
        text = data.decode(codec, "replace")
        notes = _told([n for n, line in enumerate(text.split("\n"), 1) if "\ufffd" in line], codec)
    zeros = text.count("\0")
    if zeros:
        text = text.replace("\0", "")
        notes = (*notes, f"{zeros} zero bytes were left out")
    return Decoded(text, codec, notes)


def _codec(data: bytes) -> str:
    """The codec of most of the text."""
    for mark, codec in MARKS:
        if data.startswith(mark):
            return codec
    wide = _wide(data)
    if wide:
        return wide
    if _is_utf8(data):
        return "utf-8"
    sample = _sample(data)
    names = [name for name in CANDIDATES if name not in WIDE or len(data) % 2 == 0]
    return max(names, key=lambda name: _score(sample, name) + CANDIDATES[name])


def _is_utf8(data: bytes) -> bool:
    """Whether most lines beyond ASCII are UTF-8, or hardly a byte is not."""
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    if sum(_reads(line, "utf-8") for line in lines) * 2 >= len(lines):
        return True
    bad = data.decode("utf-8", "replace").count("\ufffd")
    return bad <= STRAY * sum(byte >= 0x80 for byte in data)


def _reads(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _lines(data: bytes, codec: str) -> tuple[str, tuple[str, ...]]:
    """Lines in that codec; one that is wholly in UTF-8, or in GB18030 among UTF-8, is read so, and told."""
    utf8 = codec.startswith("utf-8")
    if utf8 and _reads(data, codec):
        return data.decode(codec), ()
    other = "gb18030" if utf8 else "utf-8"
    texts, foreign, bad = [], [], []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.isascii():
            texts.append(line.decode("ascii"))
        elif not utf8 and sum(byte >= 0x80 for byte in line) >= SURE and _reads(line, other):
            texts.append(line.decode(other))  # bytes of another codec are not in that form by accident
            foreign.append(number)
        elif _reads(line, codec):
            texts.append(line.decode(codec))
        elif utf8 and _reads(line, other) and _score(line, other) >= READS_WELL:
            texts.append(line.decode(other))
            foreign.append(number)
        else:
            texts.append(line.decode(codec, "replace"))
            bad.append(number)
    return "\n".join(texts), (*_told(bad, codec), *_told(foreign, codec, f"read as {other}"))


def _told(lines: Sequence[int], codec: str, what: str = "what cannot be read is shown as \ufffd") -> tuple[str, ...]:
    """The note on lines that are not in a file's codec; none for no lines."""
    if not lines:
        return ()
    named = ", ".join(map(str, lines[:MAX_TOLD])) + (f" and {len(lines) - MAX_TOLD} more" if lines[MAX_TOLD:] else "")
    return (f"not in the file's encoding {codec}: line {named}; {what}",)


def is_text(data: bytes) -> bool:
    """Whether bytes are text in some encoding: a mark, UTF-16, or hardly a control byte."""
    if data.startswith(tuple(mark for mark, _ in MARKS)) or _wide(data):
        return True
    head = data[:65536].rstrip(b"\0")
    control = sum(0 < byte < 9 or 13 < byte < 27 or 27 < byte < 32 or byte == 127 for byte in head)
    if ZEROS in head or head.count(0) > max(1, CONTROL_SHARE * len(head)):
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
    head = data[: min(4096, len(data) & ~1)]
    if len(head) < 4:
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
    text, bad = data.decode(codec, "replace"), 0.0
    if codec in LINEWISE and "\ufffd" in text:
        lines = [line for line in data.split(b"\n") if not line.isascii()]
        read = [line for line in lines if _reads(line, codec)]
        if read:  # else none of them tells more than the others
            text, bad = "\n".join(line.decode(codec) for line in read), 1 - len(read) / len(lines)
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
    score = -5.0 * share(_PRIVATE) + 0.5 * share(_PUNCTUATION) - BAD_LINE * bad
    rare = share(_RARE_IDEOGRAPH)
    if codec == "gb18030":  # its four bytes, two of them digits, are no accident
        ideographs += rare
    else:
        score -= 5.0 * rare
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
