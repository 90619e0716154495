"""Cell styles of an XLSX workbook, as far as they tell what a cell shows and whether it stands out."""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from kb_pipeline.formats.ooxml import Package, Relationship, integer
from kb_pipeline.formats.spreadsheet.number_format import BUILT_IN

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
WHITE = ("FFFFFFFF", "00FFFFFF", "FFFFFF")


class Style(NamedTuple):
    """How cells look: number format, bold type, type that is struck out, coloured ground, a border."""

    code: str = "General"
    bold: bool = False
    struck: bool = False
    ground: bool = False
    border: bool = False


def read_styles(package: Package, relationships: list[Relationship]) -> list[Style]:
    """Cell styles by index."""
    if not relationships:
        return []
    root = package.xml(relationships[0].target)
    codes = {
        integer(element.get("numFmtId")): element.get("formatCode", "") for element in root.iter(f"{S}numFmt")
    }  # fmt: skip
    fonts = root.findall(f"{S}fonts/{S}font")
    bold, struck = ([has_mark(font, name) for font in fonts] for name in ("b", "strike"))
    ground = [_is_coloured(fill) for fill in root.iterfind(f"{S}fills/{S}fill")]
    border = [any(side.get("style") for side in element) for element in root.iterfind(f"{S}borders/{S}border")]
    found = []
    for xf in root.iterfind(f"{S}cellXfs/{S}xf"):
        number = integer(xf.get("numFmtId"))
        code = codes.get(number) or BUILT_IN.get(number, "General")
        found.append(
            Style(
                code,
                _at(bold, xf.get("fontId")),
                _at(struck, xf.get("fontId")),
                _at(ground, xf.get("fillId")),
                _at(border, xf.get("borderId")),
            )
        )
    return found


def _at(values: list[bool], index: str | None) -> bool:
    place = integer(index)
    return values[place] if 0 <= place < len(values) else False


def has_mark(font: etree._Element, name: str) -> bool:
    """Whether a font or the look of a run has a switch such as `b` or `strike` on."""
    mark = font.find(S + name)
    return mark is not None and is_true(mark.get("val", "1"))


def _is_coloured(fill: etree._Element) -> bool:
    pattern = fill.find(f"{S}patternFill")
    if pattern is None:
        return fill.find(f"{S}gradientFill") is not None
    colour = pattern.find(f"{S}fgColor")
    white = colour is not None and (
        colour.get("rgb") in WHITE or (colour.get("theme") == "0" and not colour.get("tint"))
    )
    return pattern.get("patternType") == "solid" and not white


def is_true(value: str | None) -> bool:
    return value in ("1", "true", "on")
