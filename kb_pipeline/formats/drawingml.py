"""Charts and diagrams of Office files: what is written in them."""

from __future__ import annotations

from lxml import etree

from kb_pipeline.formats.ooxml import Package

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def chart_title(package: Package, part: str) -> str:
    """Titles of a chart and its axes, and the names of its series, on one line."""
    root = package.xml(part)
    titles = ["".join(text.text or "" for text in title.iter(f"{A}t")) for title in root.iter(f"{C}title")]
    names = [_cached(series.find(f"{C}tx")) for series in root.iter(f"{C}ser")]
    return "; ".join(dict.fromkeys(filter(None, (" ".join(text.split()) for text in (*titles, *map(" ".join, names))))))


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
    points = {int(point.get("idx", 0)): point.findtext(f"{C}v") or "" for point in element.iter(f"{C}pt")}
    if not points:
        value = element.findtext(f"{C}v")
        return [value] if value else []
    return [" ".join(points.get(i, "").split()) for i in range(max(points) + 1)] if max(points) < 10_000 else []
