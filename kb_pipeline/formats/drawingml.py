"""Charts and diagrams of Office files: what is written in them."""

from __future__ import annotations

import re

from lxml import etree

from kb_pipeline.formats.ooxml import Package, integer
from kb_pipeline.formats.spreadsheet.number_format import general

MAX_POINTS = 10_000  # of a series
_FRACTION = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def chart_title(package: Package, part: str) -> str:
    """Titles of a chart and its axes on one line."""
    titles = ["".join(text.text or "" for text in title.iter(f"{A}t")) for title in package.xml(part).iter(f"{C}title")]
    return "; ".join(dict.fromkeys(filter(None, (" ".join(title.split()) for title in titles))))


def chart_names(package: Package, part: str) -> str:
    """Names of a chart's series on one line."""
    names = [" ".join(_cached(series.find(f"{C}tx"))) for series in package.xml(part).iter(f"{C}ser")]
    return "; ".join(dict.fromkeys(filter(None, names)))


def chart_rows(package: Package, part: str) -> list[list[str]]:
    """The figures of a chart as they are stored in it: a row a category under the names of the series."""
    series = [
        (
            " ".join(_cached(one.find(f"{C}tx"))),
            _cached(one.find(f"{C}cat") if one.find(f"{C}cat") is not None else one.find(f"{C}xVal")),
            _cached(one.find(f"{C}val") if one.find(f"{C}val") is not None else one.find(f"{C}yVal")),
        )
        for one in package.xml(part).iter(f"{C}ser")
    ]
    length = max((len(values) for _, _, values in series), default=0)
    if not length:
        return []
    categories = max((cat for _, cat, _ in series), key=len)
    rows = [["", *(name for name, _, _ in series)]]
    for i in range(length):
        first = categories[i] if i < len(categories) else ""
        rows.append([first, *(values[i] if i < len(values) else "" for _, _, values in series)])
    return rows


def diagram_lines(package: Package, part: str) -> list[str]:
    """Texts of a diagram, one a shape."""
    found = []
    for body in package.xml(part).iter("{*}t"):
        if etree.QName(body).namespace != A.strip("{}"):  # the text body of a point, not the run within it
            text = " ".join("".join(run.text or "" for run in body.iter(f"{A}t")).split())
            found += [text] if text else []
    return found


def _cached(element: etree._Element | None) -> list[str]:
    """Stored values of a reference or a literal, in the order of their indexes."""
    if element is None:
        return []
    points = {integer(point.get("idx")): point.findtext(f"{C}v") or "" for point in element.iter(f"{C}pt")}
    if not points:
        value = element.findtext(f"{C}v")
        return [value] if value else []
    if not 0 <= max(points) < MAX_POINTS:
        return []
    return [_shown(points.get(i, "")) for i in range(max(points) + 1)]


def _shown(text: str) -> str:
    """A stored value without the last digits that only a binary fraction has."""
    text = " ".join(text.split())
    return general(float(text)) if _FRACTION.fullmatch(text) else text
