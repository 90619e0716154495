"""What lies over the cells of a sheet: pictures, charts, text boxes."""

from __future__ import annotations

from lxml import etree

from kb_pipeline.formats.drawingml import A, chart_names, chart_title
from kb_pipeline.formats.ooxml import Package, R, integer
from kb_pipeline.formats.pictures import picture_ending
from kb_pipeline.formats.spreadsheet.book import Picture, Span

X = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"


def read_drawing(package: Package, part: str) -> list[Picture]:
    """Objects of a drawing part in the order of their places."""
    relationships = package.relationships(part)
    found = []
    for anchor in package.xml(part):
        place = _place(anchor)
        for shape in anchor.iter(f"{X}pic", f"{X}graphicFrame", f"{X}sp"):
            named = shape.find(f".//{X}cNvPr")
            alt = "" if named is None else " ".join((named.get("descr") or "").split())
            for blip in shape.iter(f"{A}blip"):
                relationship = relationships.get(blip.get(f"{R}embed", ""))
                if relationship and not relationship.outside and relationship.target in package:
                    data = package.shared(relationship.target)
                    found.append(Picture(place, data, picture_ending(data), alt))
            for chart in shape.iter("{*}chart"):
                relationship = relationships.get(chart.get(f"{R}id", ""))
                if relationship and relationship.target in package:
                    said = chart_title(package, relationship.target), chart_names(package, relationship.target)
                    found.append(Picture(place, text="; ".join(filter(None, said)) or alt))
            if shape.tag == f"{X}sp":
                text = " ".join("".join(t.text or "" for t in p.iter(f"{A}t")) for p in shape.iter(f"{A}p"))
                if text.strip():
                    found.append(Picture(place, text=" ".join(text.split())))
    return sorted(found, key=lambda picture: picture.place)


def _place(anchor: etree._Element) -> Span:
    """The cells that an object lies over."""
    first, last = anchor.find(f"{X}from"), anchor.find(f"{X}to")
    top, left = _corner(first)
    bottom, right = _corner(last) if last is not None else (top, left)
    return top, left, max(top, bottom), max(left, right)


def _corner(element: etree._Element | None) -> tuple[int, int]:
    if element is None:
        return 0, 0
    return max(0, integer(element.findtext(f"{X}row"))), max(0, integer(element.findtext(f"{X}col")))
