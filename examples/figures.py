"""The drawn figures: a geological section and a hydrograph. Each returns its labels as lines."""

from __future__ import annotations

from itertools import pairwise

from drawing import Sheet, Style
from truth import Box, Line

LABEL_ZH = Style(size=8, align="left")
LABEL_EN = Style(size=7.5, font="Helvetica", align="left")


def geological_section(sheet: Sheet, box: Box) -> list[Line]:
    """A section along exploration line 3, drawn into the box: strata, intrusion, ore body, drill holes, scale."""
    x0, top, x1, bottom = box
    width, height = x1 - x0, bottom - top

    def area(points: list[tuple[float, float]], grey: tuple[float, float, float]) -> None:
        path = sheet.canvas.beginPath()
        for i, (x, y) in enumerate(points):
            place = (x0 + x * width, sheet.height - top - y * height)
            path.lineTo(*place) if i else path.moveTo(*place)
        path.close()
        sheet.canvas.setFillColorRGB(*grey)
        sheet.canvas.drawPath(path, stroke=1, fill=1)

    sheet.canvas.setLineWidth(0.7)
    ground = [(0.0, 0.30), (0.2, 0.24), (0.45, 0.20), (0.7, 0.17), (1.0, 0.13)]
    area([*ground, (1.0, 0.23), (0.7, 0.26), (0.45, 0.29), (0.2, 0.32), (0.0, 0.37)], (0.96, 0.93, 0.80))
    area(
        [(0.0, 0.37), (0.2, 0.32), (0.45, 0.29), (0.7, 0.26), (1.0, 0.23), (1.0, 0.98), (0.0, 0.98)], (0.86, 0.91, 0.95)
    )
    area(
        [(0.0, 0.82), (0.25, 0.76), (0.5, 0.80), (0.75, 0.84), (1.0, 0.80), (1.0, 0.98), (0.0, 0.98)],
        (0.95, 0.84, 0.82),
    )
    area([(0.12, 0.57), (0.35, 0.57), (0.6, 0.63), (0.9, 0.70), (0.62, 0.70), (0.36, 0.66)], (0.80, 0.62, 0.25))
    sheet.canvas.setFillColorRGB(0, 0, 0)
    lines = []
    for i, hole in enumerate(("ZK301", "ZK303", "ZK305", "ZK307", "ZK309", "ZK311")):
        x = 0.08 + i * 0.16
        y = 0.285 - i * 0.028
        sheet.canvas.setLineWidth(1.1)
        foot = (x0 + (x + 0.02) * width, sheet.height - top - (0.86 + i * 0.01) * height)
        sheet.canvas.line(x0 + x * width, sheet.height - top - y * height, *foot)
        lines.append(sheet.line(x0 + x * width - 13, top + y * height - 5, hole, LABEL_ZH))
    for x, y, text in (
        (0.255, 0.283, "第四系残坡积层"),
        (0.105, 0.46, "大理岩"),
        (0.45, 0.645, "铜矿体"),
        (0.60, 0.93, "花岗闪长斑岩"),
    ):
        lines.append(sheet.line(x0 + x * width, top + y * height, text, LABEL_ZH))
    bar = sheet.height - top - 0.05 * height
    sheet.canvas.setLineWidth(1.5)
    sheet.canvas.line(x0 + 12, bar, x0 + 92, bar)
    lines.append(sheet.line(x0 + 98, top + 0.05 * height + 3, "100m", LABEL_ZH))
    sheet.canvas.setLineWidth(0.8)
    sheet.canvas.rect(x0, sheet.height - bottom, width, height)
    return lines


def hydrograph(sheet: Sheet, box: Box, flows: list[float]) -> list[Line]:
    """Monthly mean discharge as a line over the months, drawn into the box, with axes and their labels."""
    x0, top, x1, bottom = box
    left, right, upper, lower = x0 + 30, x1 - 8, top + 8, bottom - 26
    sheet.canvas.setLineWidth(0.8)
    sheet.canvas.line(left, sheet.height - lower, right, sheet.height - lower)
    sheet.canvas.line(left, sheet.height - lower, left, sheet.height - upper)
    lines, scale = [], (lower - upper) / 50
    for value in (0, 10, 20, 30, 40, 50):
        y = lower - value * scale
        sheet.canvas.line(left - 3, sheet.height - y, left, sheet.height - y)
        lines.append(sheet.line(left - 14, y + 2.5, str(value), LABEL_EN))
    step = (right - left) / len(flows)
    points = [(left + (i + 0.5) * step, lower - flow * scale) for i, flow in enumerate(flows)]
    for (ax, ay), (bx, by) in pairwise(points):
        sheet.canvas.line(ax, sheet.height - ay, bx, sheet.height - by)
    for i, (x, y) in enumerate(points):
        sheet.canvas.circle(x, sheet.height - y, 1.6, fill=1)
        lines.append(sheet.line(x - 2.5, lower + 10, "JFMAMJJASOND"[i], LABEL_EN))
    lines.append(sheet.line((left + right) / 2 - 12, lower + 21, "Month", LABEL_EN))
    lines.append(sheet.line(left + 6, upper + 4, "Discharge (m³/s)", LABEL_EN))
    return lines
