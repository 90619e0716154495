"""Values as a spreadsheet shows them under a number format (ECMA-376 part 1, 18.8.31)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from kb_pipeline.formats.counting import DIGITS as DIGIT_NAMES
from kb_pipeline.formats.counting import LEGAL, chinese_numeral
from kb_pipeline.formats.spreadsheet.date_format import ELAPSED, VALUED, date_text

SIGNIFICANT = 15  # digits of a fraction under "General": what a spreadsheet keeps of a number
DIGITS = 700  # of the longest number under the longest format
LONGEST_WHOLE = 20  # digits of a whole number that is shown in full under "General", since it may be a code

# built-in formats by id; 27…36 and 50…58 are those of Chinese installations
BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "$#,##0;-$#,##0", 6: "$#,##0;-$#,##0",
    7: "$#,##0.00;-$#,##0.00", 8: "$#,##0.00;-$#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "yyyy/m/d", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 22: "yyyy/m/d h:mm", 27: 'yyyy"年"m"月"', 28: 'm"月"d"日"', 29: 'm"月"d"日"',
    30: "m/d/yy", 31: 'yyyy"年"m"月"d"日"', 32: 'h"时"mm"分"', 33: 'h"时"mm"分"ss"秒"', 34: 'AM/PMh"时"mm"分"',
    35: 'AM/PMh"时"mm"分"ss"秒"', 36: 'yyyy"年"m"月"', 37: "#,##0;-#,##0", 38: "#,##0;-#,##0",
    39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00", 41: "#,##0", 42: "$#,##0", 43: "#,##0.00", 44: "$#,##0.00",
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@", 50: 'yyyy"年"m"月"', 51: 'm"月"d"日"',
    52: 'yyyy"年"m"月"', 53: 'm"月"d"日"', 54: 'm"月"d"日"', 55: 'AM/PMh"时"mm"分"', 56: 'AM/PMh"时"mm"分"ss"秒"',
    57: 'yyyy"年"m"月"', 58: 'm"月"d"日"',
}  # fmt: skip

_TOKEN = re.compile(
    r'"(?P<literal>[^"]*)"|[\\!](?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>General|G/通用格式)|(?P<ampm>AM/PM|A/P|上午/下午)"
    r"|(?P<exponent>E[+-]0+)|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|a{3,4}|e+|b+)"
    r"|(?P<digits>[0#?][0#?,]*)|(?P<point>\.)|(?P<comma>,)|(?P<percent>%)|(?P<text>@)|(?P<other>.)",
    re.I | re.S,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[\d.]+(?:E[+-]?\d+)?)", re.I)
_NUMERALS = re.compile(r"DBNum([123])", re.I)
_SHOWS_SIGN = re.compile(r"[-−(（△▲▼↓负减欠亏]")  # what a section for negative numbers writes for the sign
_CURRENCY = re.compile(r"\$([^-]*)")
Token = tuple[str, str]


def general(value: float | Decimal) -> str:
    """A number without a format: whole ones in full, others with as many digits as a spreadsheet keeps."""
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    if exact == exact.to_integral_value() and abs(exact) < 10**LONGEST_WHOLE:
        return str(int(exact))
    text = f"{exact:.{SIGNIFICANT}g}"
    mantissa, marked, power = text.lower().partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    if marked:
        return f"{mantissa}E{power[0]}{power[1:].lstrip('0').rjust(2, '0')}"
    return mantissa


def shown_number(value: float | Decimal, code: str, since_1904: bool = False) -> str:
    """A number as it is shown under a format code; empty where the format hides it.

    A sign that only the colour of the number tells is written: `0;[Red]0` shows -500 as -500.

    Args:
        value: a Decimal keeps digits beyond those of a float.
    """
    sections = _sections(code)
    tokens, signed = _section_for(value, sections)
    text = _in_numerals(_shown(value, tokens, signed, since_1904), tokens)
    if value < 0 and not signed and re.search(r"[1-9一-九壹-玖１-９]", text):
        beside = "".join(_plain(kind, said) for kind, said in tokens)
        return text if _SHOWS_SIGN.search(beside) else f"-{text}"
    return text


def _shown(value: float | Decimal, tokens: tuple[Token, ...], signed: bool, since_1904: bool) -> str:
    kinds = {kind for kind, _ in tokens}
    if "general" in kinds:
        return _around(tokens, "general", general(value if signed else abs(value)))
    if kinds & {"date", "elapsed"}:
        try:
            marks = [(kind, text if kind in VALUED else _plain(kind, text)) for kind, text in tokens]
            return date_text(float(value), marks, since_1904)
        except (OverflowError, ValueError):
            return general(value)
    if "digits" not in kinds:
        return _around(tokens, "text", general(value))
    with localcontext(prec=DIGITS):
        text = _number(abs(value), tokens)
    return f"-{text}" if value < 0 and signed and re.search(r"[1-9]", text) else text


def _in_numerals(text: str, tokens: tuple[Token, ...]) -> str:
    """Digits of a shown number in the numerals that the format asks for ([DBNum1] 一百二十三, [DBNum2] 壹佰贰拾叁,
    [DBNum3] １２３): in words for whole numbers without a pattern of digits and for parts of dates, else one by one."""
    form = next((m[1] for kind, said in tokens if kind == "bracket" and (m := _NUMERALS.match(said))), "")
    if not form:
        return text
    if form == "3":
        return text.translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)})
    kinds = {kind for kind, _ in tokens}
    legal, in_words = form == "2", bool(kinds & {"general", "date", "elapsed"})
    one_by_one = dict(zip("0123456789", LEGAL if legal else "〇" + DIGIT_NAMES[1:], strict=True))

    def numeral(match: re.Match[str]) -> str:
        digits, behind_point = match.group(), text[: match.start()].endswith(".")
        if in_words and not behind_point and not (digits[0] == "0" and len(digits) > 1) and not _is_year(match, kinds):
            return chinese_numeral(int(digits), legal)
        return "".join(one_by_one[digit] for digit in digits)

    return re.sub(r"\d+", numeral, text).replace(".", "点" if in_words and "general" in kinds else ".")


def _is_year(match: re.Match[str], kinds: set[str]) -> bool:
    return "date" in kinds and len(match.group()) == 4


def shown_text(value: str, code: str) -> str:
    """A text as it is shown under a format code, whose fourth section, or one with @, holds for texts."""
    sections = _sections(code)
    for tokens in sections[3:4] or sections[-1:]:
        if any(kind == "text" for kind, _ in tokens):
            return _around(tokens, "text", value)
    return value


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[tuple[Token, ...], ...]:
    found: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code or "General"):
        kind = match.lastgroup or "other"
        text = match[kind]
        if kind == "other" and text == ";":
            found.append([])
        elif kind == "bracket" and ELAPSED.fullmatch(text):
            found[-1].append(("elapsed", text))
        else:
            found[-1].append((kind, text))
    return tuple(tuple(tokens) for tokens in found)


def _section_for(value: float | Decimal, sections: Sequence[tuple[Token, ...]]) -> tuple[tuple[Token, ...], bool]:
    """The section that holds for a value, and whether the sign is still to be shown."""
    conditions = [_condition(tokens) for tokens in sections]
    if any(conditions):
        for tokens, condition in zip(sections, conditions, strict=True):
            if condition is None or _holds(value, *condition):
                return tokens, True
        return sections[-1], True
    if value < 0 and len(sections) > 1:
        return sections[1], False
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], True


def _condition(tokens: tuple[Token, ...]) -> tuple[str, float] | None:
    for kind, text in tokens:
        match = _CONDITION.fullmatch(text) if kind == "bracket" else None
        if match:
            return match[1], float(match[2])
    return None


def _holds(value: float | Decimal, sign: str, bound: float) -> bool:
    return {
        "<": value < bound, ">": value > bound, "=": value == bound,
        "<=": value <= bound, ">=": value >= bound, "<>": value != bound,
    }[sign]  # fmt: skip


def _plain(kind: str, text: str) -> str:
    """What a token shows beside the value."""
    if kind == "bracket":
        match = _CURRENCY.match(text)
        return match[1] if match else ""
    if kind == "space":
        return " "
    return text if kind in ("literal", "escaped", "other", "percent", "point", "comma") else ""


def _around(tokens: tuple[Token, ...], place: str, value: str) -> str:
    return "".join(value if kind == place else _plain(kind, text) for kind, text in tokens).strip()


# ---------------------------------------------------------------- numbers


def _number(value: float | Decimal, tokens: tuple[Token, ...]) -> str:
    if any(kind == "other" and text == "/" for kind, text in tokens):
        return _fraction(value, tokens)
    first = next(i for i, (kind, _) in enumerate(tokens) if kind == "digits")
    last = max(i for i, (kind, _) in enumerate(tokens) if kind in ("digits", "point", "exponent"))
    point = next((i for i, (kind, _) in enumerate(tokens) if kind == "point"), None)
    whole = "".join(t for i, (k, t) in enumerate(tokens) if k == "digits" and (point is None or i < point))
    after = "".join(t for i, (k, t) in enumerate(tokens) if k == "digits" and point is not None and i > point)
    exponent = next((text for kind, text in tokens if kind == "exponent"), "")
    thousands = "," in whole.rstrip(",")
    ending = after or whole
    scale = len(ending) - len(ending.rstrip(",")) + (tokens[last + 1 :][:1] == (("comma", ","),))
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    shown = exact * 100 ** sum(kind == "percent" for kind, _ in tokens) / 1000**scale
    whole, after = whole.replace(",", ""), after.replace(",", "")
    if exponent:
        body = _scientific(shown, whole, after, exponent)
    else:
        body = _digits(shown, whole, after, thousands, point is not None)
    parts = [_plain(k, t) for k, t in tokens[:first]], [_plain(k, t) for k, t in tokens[last + 1 :] if k != "comma"]
    inner = [t for k, t in tokens[first:last] if k in ("literal", "escaped", "other")]
    if inner and not exponent and point is None:  # digits in groups, such as 000-0000
        body = _grouped(shown, tokens[first : last + 1])
    return ("".join(parts[0]) + body + "".join(parts[1])).strip()


def _digits(value: Decimal, whole: str, after: str, thousands: bool, point: bool) -> str:
    rounded = value.quantize(Decimal(1).scaleb(-len(after)), ROUND_HALF_UP)
    left, _, right = f"{rounded:f}".partition(".")
    least = sum(mark == "0" for mark in whole)
    left = "" if left == "0" and not least else left.rjust(least, "0")
    if thousands:
        head = len(left) % 3
        left = ",".join(filter(None, [left[:head], *(left[i : i + 3] for i in range(head, len(left), 3))]))
    while right and after[len(right) - 1] in "#?" and right[-1] == "0":
        right = right[:-1]
    return left + ("." + right if right else "." if point and "0" in after else "")


def _scientific(value: Decimal, whole: str, after: str, exponent: str) -> str:
    power = value.adjusted() if value else 0
    step = max(1, len(whole))
    power -= power % step if step > 1 else 0
    mantissa = _digits(value.scaleb(-power), whole, after, False, bool(after))
    sign = "-" if power < 0 else "+" if "+" in exponent else ""
    return f"{mantissa}E{sign}{str(abs(power)).rjust(len(exponent) - 2, '0')}"


def _grouped(value: Decimal, tokens: tuple[Token, ...]) -> str:
    slots = sum(len(text.replace(",", "")) for kind, text in tokens if kind == "digits")
    digits = str(int(value.to_integral_value(ROUND_HALF_UP))).rjust(slots, "0")
    extra = len(digits) - slots
    text, at = digits[:extra], extra
    for kind, token in tokens:
        if kind == "digits":
            size = len(token.replace(",", ""))
            text += digits[at : at + size]
            at += size
        else:
            text += token
    return text


def _fraction(value: float | Decimal, tokens: tuple[Token, ...]) -> str:
    slash = next(i for i, (kind, text) in enumerate(tokens) if kind == "other" and text == "/")
    below = next((text for kind, text in tokens[slash + 1 :] if kind in ("digits", "other") and text.strip()), "?")
    fixed = int(below) if below.isdigit() and int(below) else 0
    mixed = sum(kind == "digits" for kind, _ in tokens[:slash]) > 1
    whole, rest = (int(value), value - int(value)) if mixed else (0, value)
    if fixed:
        top, bottom = round(rest * fixed), fixed
    else:
        near = Fraction(rest).limit_denominator(10 ** len(below) - 1)
        top, bottom = near.numerator, near.denominator
    if mixed and top == bottom:
        whole, top = whole + 1, 0
    if mixed and top == 0:
        return str(whole)
    return f"{whole} {top}/{bottom}" if whole else f"{top}/{bottom}"
