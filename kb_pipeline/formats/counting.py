"""Numbers as the automatic numbering of word processors writes them (ECMA-376 part 1, 17.18.59)."""

from __future__ import annotations

DIGITS = "零一二三四五六七八九"
LEGAL = "零壹贰叁肆伍陆柒捌玖"
LEGAL_TRADITIONAL = "零壹貳參肆伍陸柒捌玖"
STEMS = "甲乙丙丁戊己庚辛壬癸"
BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
ONES = (
    "Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve",
    "Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen",
)  # fmt: skip
TENS = ("", "", "Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety")
ORDINALS = {
    "One": "First", "Two": "Second", "Three": "Third", "Five": "Fifth", "Eight": "Eighth", "Nine": "Ninth",
    "Twelve": "Twelfth",
}  # fmt: skip
IN_THOUSANDS = (
    "chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting", "taiwaneseCountingThousand",
)  # fmt: skip
DIGIT_BY_DIGIT = ("ideographDigital", "japaneseDigitalTenThousand", "taiwaneseDigital")


def counted(number: int, form: str) -> str:
    """A number in a numbering format; empty for `none`, figures for formats that are not known."""
    if form == "none":
        return ""
    if form in IN_THOUSANDS:
        return _chinese(number, DIGITS, "十百千")
    if form in DIGIT_BY_DIGIT:
        return "".join("〇" if digit == "0" else DIGITS[int(digit)] for digit in str(number))
    if form in ("chineseLegalSimplified", "ideographLegalTraditional", "japaneseLegal"):
        return _chinese(number, LEGAL if form == "chineseLegalSimplified" else LEGAL_TRADITIONAL, "拾佰仟", one=True)
    if form in ("upperRoman", "lowerRoman"):
        roman = _roman(number)
        return roman if form == "upperRoman" else roman.lower()
    if form in ("upperLetter", "lowerLetter") and number > 0:  # after z come aa, bb
        letter = chr(ord("A") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter if form == "upperLetter" else letter.lower()
    if form == "decimalZero":
        return f"{number:02d}"
    if form in ("decimalFullWidth", "decimalFullWidth2"):
        return "".join(chr(ord(digit) + 0xFEE0) for digit in str(number))
    if form in ("decimalEnclosedCircle", "decimalEnclosedCircleChinese") and 1 <= number <= 20:
        return chr(0x2460 + number - 1)
    if form == "decimalEnclosedParen" and 1 <= number <= 20:
        return chr(0x2474 + number - 1)
    if form == "decimalEnclosedFullstop" and 1 <= number <= 20:
        return chr(0x2488 + number - 1)
    if form == "ideographEnclosedCircle" and 1 <= number <= 10:
        return chr(0x3280 + number - 1)
    if form == "ideographTraditional" and 1 <= number <= 10:
        return STEMS[number - 1]
    if form == "ideographZodiac" and 1 <= number <= 12:
        return BRANCHES[number - 1]
    if form == "numberInDash":
        return f"- {number} -"
    if form == "ordinal":
        ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{number}{ending}"
    if form == "cardinalText" and 0 <= number < 100:
        return _cardinal(number)
    if form == "ordinalText" and 0 < number < 100:
        return _ordinal(number)
    return str(number)


def chinese_numeral(number: int, legal: bool = False) -> str:
    """A number of any size in words: 一百二十三, 一万二千; `legal`: 壹佰贰拾叁."""
    digits, units = (LEGAL, "拾佰仟") if legal else (DIGITS, "十百千")
    if number == 0:
        return digits[0] if legal else "〇"
    groups = [number // 10**power % 10_000 for power in range(0, len(str(number)), 4)]
    text = ""
    for place in reversed(range(len(groups))):
        group = groups[place]
        if not group:
            continue
        gap = digits[0] if text and group < 1000 else ""
        said = _chinese(group, digits, units, one=legal or bool(text))
        text += gap + said + ("", "万", "亿", "万亿", "亿亿")[min(place, 4)]
    return text


def _chinese(number: int, digits: str, units: str, one: bool = False) -> str:
    """Up to 9999 with units; `one`: ten is 壹拾, not 十."""
    if not 0 < number < 10_000:
        return str(number)
    text, gap = "", False
    for power in (3, 2, 1, 0):
        digit = number // 10**power % 10
        if digit == 0:
            gap = bool(text)
            continue
        text += (digits[0] if gap else "") + digits[digit] + (units[power - 1] if power else "")
        gap = False
    return text[1:] if 10 <= number < 20 and not one else text


def _roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    text = ""
    for worth, letters in ROMAN:
        while number >= worth:
            text, number = text + letters, number - worth
    return text


def _cardinal(number: int) -> str:
    if number < 20:
        return ONES[number]
    return TENS[number // 10] + (f"-{ONES[number % 10].lower()}" if number % 10 else "")


def _ordinal(number: int) -> str:
    head, dash, last = _cardinal(number).rpartition("-")
    name = last.capitalize()
    ending = ORDINALS.get(name) or (name[:-1] + "ieth" if name.endswith("y") else name + "th")
    return head + dash + (ending.lower() if head else ending)
