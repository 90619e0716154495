"""Quantities with the common units of engineering, brought to one unit of their kind, so that they compare by value.

1.6 MPa, 16 bar and 16巴 give `q_pa_1600000`; 25 m3/h and 25立方米每小时 the same; −40 °C and +40 °C do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

SIGNIFICANT = 6  # digits that two equal quantities share; conversions are exact to more

# by kind (the unit that quantities are brought to): its units with their factors; names in lower case
_UNITS: dict[str, dict[str, float]] = {
    "pa": {
        "pa": 1, "kpa": 1e3, "mpa": 1e6, "gpa": 1e9, "bar": 1e5, "mbar": 1e2, "atm": 101325, "psi": 6894.757,
        "mmhg": 133.322, "帕": 1, "千帕": 1e3, "兆帕": 1e6, "巴": 1e5, "毫巴": 1e2,
    },
    "m": {
        "m": 1, "km": 1e3, "cm": 1e-2, "dm": 0.1, "mm": 1e-3, "um": 1e-6, "μm": 1e-6, "nm": 1e-9, "meter": 1,
        "metre": 1,
        "kilometer": 1e3, "kilometre": 1e3, "centimeter": 1e-2, "centimetre": 1e-2, "millimeter": 1e-3,
        "millimetre": 1e-3, "ft": 0.3048, "foot": 0.3048, "feet": 0.3048, "inch": 0.0254, "inche": 0.0254,
        "mile": 1609.344, "米": 1, "千米": 1e3, "公里": 1e3, "厘米": 1e-2, "分米": 0.1, "毫米": 1e-3, "微米": 1e-6,
        "纳米": 1e-9, "英寸": 0.0254, "英尺": 0.3048,
    },
    "m2": {
        "m2": 1, "km2": 1e6, "cm2": 1e-4, "mm2": 1e-6, "ha": 1e4, "hectare": 1e4, "square meter": 1, "square metre": 1,
        "square kilometer": 1e6, "square kilometre": 1e6, "平方米": 1, "平方公里": 1e6, "平方千米": 1e6, "公顷": 1e4,
        "平方厘米": 1e-4, "平方毫米": 1e-6,
    },
    "m3": {
        "m3": 1, "cm3": 1e-6, "l": 1e-3, "ml": 1e-6, "liter": 1e-3, "litre": 1e-3, "cubic meter": 1, "cubic metre": 1,
        "立方米": 1, "升": 1e-3, "毫升": 1e-6, "立方厘米": 1e-6,
    },
    "kg": {
        "kg": 1, "g": 1e-3, "mg": 1e-6, "t": 1e3, "tonne": 1e3, "kilogram": 1, "gram": 1e-3, "lb": 0.45359237,
        "千克": 1, "公斤": 1, "克": 1e-3, "毫克": 1e-6, "吨": 1e3,
    },
    "s": {
        "s": 1, "ms": 1e-3, "second": 1, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600, "秒": 1,
        "毫秒": 1e-3, "分钟": 60, "小时": 3600,
    },
    "w": {"w": 1, "kw": 1e3, "mw": 1e6, "gw": 1e9, "watt": 1, "kilowatt": 1e3, "megawatt": 1e6, "瓦": 1, "千瓦": 1e3,
          "兆瓦": 1e6},
    "j": {"j": 1, "kj": 1e3, "mj": 1e6, "kwh": 3.6e6, "mwh": 3.6e9, "千瓦时": 3.6e6, "焦": 1, "千焦": 1e3},
    "v": {"v": 1, "kv": 1e3, "mv": 1e-3, "volt": 1, "kilovolt": 1e3, "伏": 1, "千伏": 1e3, "毫伏": 1e-3},
    "hz": {"hz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9, "赫兹": 1, "千赫": 1e3, "兆赫": 1e6},
    "ohm": {"ω": 1, "kω": 1e3, "ohm": 1, "欧姆": 1, "千欧": 1e3},
    "n": {"kn": 1e3, "mn": 1e6, "牛顿": 1, "千牛": 1e3},
    "db": {"db": 1, "分贝": 1},
    "ppm": {"ppm": 1, "ppb": 1e-3},
    "pct": {"%": 1, "percent": 1, "per cent": 1, "‰": 0.1},
    "cny": {"元": 1, "万元": 1e4, "亿元": 1e8, "千元": 1e3, "百万元": 1e6, "yuan": 1},
}  # fmt: skip
_RATES = {
    **dict.fromkeys(("s", "秒", "second"), 1.0),
    **dict.fromkeys(("min", "分", "分钟", "minute"), 60.0),
    **dict.fromkeys(("h", "时", "小时", "hour"), 3600.0),
    **dict.fromkeys(("d", "天", "日", "day"), 86400.0),
}  # seconds
_PER = {"t": ("t", 1e3), "l": ("l", 1e-3), "m3": ("m3", 1.0), "kg": ("kg", 1.0)}  # g/t, mg/L, kg/m3: named as written
_DEGREES = {
    **dict.fromkeys(("°c", "摄氏度", "度", "degree celsius", "degree", "deg c", "°"), (1.0, 0.0)),
    **dict.fromkeys(("°f", "华氏度", "degree fahrenheit", "deg f"), (5 / 9, -32.0)),
}  # factor, and what is added before it

_KIND = {name: (kind, factor) for kind, units in _UNITS.items() for name, factor in units.items()}


def _names(names: Iterator[str] | list[str]) -> str:
    """Alternatives, longest first; a Latin name may be a plural and ends where no letter or digit follows."""
    found = sorted(names, key=lambda name: (-len(name), name))
    plural = [re.escape(n) + (r"s?(?![a-z0-9])" if n[-1].isascii() and n[-1].isalnum() else "") for n in found]
    return "|".join(plural)


_QUANTITY = re.compile(
    rf"""(?P<sign>(?<![a-z0-9%)\]°.])[-+][ \t]?|零下[ \t]?|负|minus[ \t]+)?
    (?<![a-z0-9._/\#^])(?P<number>\d+(?:\.\d+)?)
    (?:[ \t]?[×*][ \t]?10\^(?P<power>-?\d{{1,2}}))?
    (?P<times>万|亿|[ \t]?million[ \t]|[ \t]?billion[ \t])?[ \t]{{0,2}}
    (?:(?P<degree>{_names(list(_DEGREES))})(?P<celsius>[ \t]?celsius|[ \t]?c(?![a-z0-9]))?
      |(?P<unit>{_names(list(_KIND))})
       (?:[ \t]?(?:/|每|per[ \t])[ \t]?(?:(?P<rate>{_names(list(_RATES))})|(?P<per>{_names(list(_PER))})))?)""",
    re.X,
)
_DECADE = re.compile(r"(?:1\d|20)?\d0s")
_PERCENT = re.compile(r"百分之[ \t]*(\d+(?:\.\d+)?)")
_TIMES = {"万": 1e4, "亿": 1e8, "million": 1e6, "billion": 1e9}


def quantities(text: str) -> Iterator[tuple[int, int, str]]:
    """Places and canonical spellings of the quantities in a text.

    Args:
        text: normalised, in lower case.
    """
    for match in _QUANTITY.finditer(text):
        value = (
            float(match["number"]) * 10 ** int(match["power"] or 0) * _TIMES.get((match["times"] or "").strip(), 1.0)
        )
        if (match["sign"] or "+").strip() not in ("+", ""):
            value = -value
        if match["degree"]:
            if match["degree"] == "°" and not match["celsius"]:
                continue  # an angle
            factor, before = _DEGREES[_singular(match["degree"], _DEGREES)]
            yield (*match.span(), f"q_degc_{_written((value + before) * factor)}")
            continue
        if _DECADE.fullmatch(match.group()):
            continue
        kind, factor = _KIND[_singular(match["unit"], _KIND)]
        if match["rate"]:
            kind, factor = f"{kind}/s", factor / _RATES[_singular(match["rate"], _RATES)]
        elif match["per"]:
            below, share = _PER[_singular(match["per"], _PER)]
            kind, factor = f"{kind}/{_KIND[below][0]}", factor / share
        yield (*match.span(), f"q_{kind}_{_written(value * factor)}")
    for match in _PERCENT.finditer(text):
        yield (*match.span(), f"q_pct_{_written(float(match[1]))}")


def _singular(name: str, known: dict) -> str:
    return name if name in known else name[:-1]


def _written(value: float) -> str:
    """Decimal digits without an exponent, so that equal values have one spelling."""
    exact = Decimal(f"{value:.{SIGNIFICANT}g}").normalize()
    return format(exact if exact else Decimal(0), "f")
