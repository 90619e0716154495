"""Pages with one table without rulings, with its exact truth: fonts, gaps, wraps, indents, empty cells, both languages.

Every page has a heading and a paragraph above the table and one below it, as such tables stand in reports.
"""

from __future__ import annotations

import html
import io
import random
from pathlib import Path
from typing import NamedTuple

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

DROID = Path("/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf")  # Debian: fonts-droid-fallback
WIDTH, HEIGHT, LEFT, RIGHT = 595.0, 842.0, 72.0, 523.0
LABELS = {
    "en": (
        "Revenue", "Cost of sales", "Gross profit", "Selling expenses", "Administrative expenses",
        "Other income", "Income from the sale of water to the towns on the northern bank", "Interest on loans",
        "Repairs", "Loss on the disposal of property, plant and equipment held for sale", "Income tax",
        "Trade receivables", "Cash and cash equivalents at the end of the year", "Inventories", "Net profit",
        "Wages and salaries", "Rent", "Depreciation", "Deferred tax assets",
        "Provisions for legal claims and warranties", "Share capital", "Total equity",
    ),
    "zh": (
        "营业收入", "减：营业成本", "税金及附加", "销售费用", "管理费用", "研发费用", "财务费用",
        "其中：利息费用", "利息收入", "加：其他收益", "投资收益（损失以负号填列）", "信用减值损失",
        "资产处置收益", "营业利润", "利润总额", "减：所得税费用", "净利润",
        "归属于母公司所有者的综合收益总额以及少数股东损益", "货币资金", "应收账款", "存货", "固定资产",
        "以公允价值计量且其变动计入当期损益的金融资产", "流动资产合计", "负债和所有者权益总计",
    ),
}  # fmt: skip
SECTIONS = {
    "en": ("Continuing operations", "Non-current assets", "Other"),
    "zh": ("一、营业总收入", "流动资产：", "二、其他"),
}
HEADS = {
    "en": ("Item", "2023", "2022", "2021", "Change", "Note"),
    "zh": ("项目", "2023年", "2022年", "2021年", "增减", "附注"),
}
WORDS = {
    "en": (
        "north",
        "limestone",
        "open",
        "closed",
        "weekly",
        "good",
        "poor",
        "steel",
        "in use",
        "spare",
        "cast iron",
        "none",
    ),
    "zh": ("正常", "停用", "石灰岩", "每周", "良好", "较差", "钢", "备用", "铸铁", "无", "东区", "西区"),
}
PARAGRAPH = {
    "en": (
        "The statement below covers the whole group and was drawn up under the same rules as in the year before.",
        "Amounts are given in thousands unless a note says otherwise; figures in brackets are negative, and small",
        "differences come from rounding. The board approved the statement in spring and has nothing to add to it.",
    ),
    "zh": (
        "下表列示本集团本年度的经营情况，编制基础与上年度一致。除另有注明外，金额单位均为千元；括号内的数字为负数，尾数差异",
        "系四舍五入所致。董事会已于春季会议审议通过本报表，并无其他补充说明。",
    ),
}


class Page(NamedTuple):
    """A PDF of one page, and the HTML of its table."""

    pdf: bytes
    truth: str


def borderless_page(seed: int) -> Page:
    """The page of a seed; the same one always comes out the same."""
    draw = random.Random(seed)
    language = "zh" if seed % 2 else "en"
    font = _font(language, draw)
    size = draw.choice((8, 9, 10, 11))
    columns = draw.randint(2, 5) if language == "zh" else draw.randint(2, 4)
    gap = draw.choice((14, 22, 34))
    of_words = [draw.random() < 0.2 for _ in range(columns - 1)]
    rows = _rows(draw, language, columns, of_words)
    wrap, hanging = draw.choice((0.30, 0.38)), draw.choice((0, 8))
    leading = size * 1.2
    pitch = leading * (draw.choice((1.4, 1.7)) if not hanging else draw.choice((1.0, 1.25, 1.6)))
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(WIDTH, HEIGHT), invariant=1)
    y = HEIGHT - 90
    _draw(canvas, LEFT, y, "Statement of income" if language == "en" else "合并利润表", font, size + 4)
    y = _paragraph(canvas, font, language, y - 30)
    edges = _column_edges(font, size, rows, columns, gap)
    left_aligned = [word and draw.random() < 0.5 for word in of_words]
    y -= 18
    label_room = min(wrap * (RIGHT - LEFT), edges[0][0] - LEFT - gap)
    indents = [0, *(draw.choice((0, 0, 0, 10)) for _ in rows[1:])]
    for number, row in enumerate(rows):
        lines = _wrapped(row[0], font, size, label_room - indents[number])
        for i, line in enumerate(lines):
            _draw(canvas, LEFT + indents[number] + (hanging if i else 0), y - i * leading, line, font, size)
        for value, (x0, x1), left in zip(row[1:], edges, left_aligned, strict=True):
            if left:
                _draw(canvas, x0, y, value, font, size)
            else:
                _draw(canvas, x1 - _width(value, font, size), y, value, font, size)
        y -= (len(lines) - 1) * leading + pitch
    _paragraph(canvas, font, language, y - 20)
    canvas.save()
    return Page(target.getvalue(), _html(rows))


def _font(language: str, draw: random.Random) -> str:
    if language == "en":
        return draw.choice(("Helvetica", "Times-Roman"))
    if "Droid" not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(TTFont("Droid", str(DROID)))
    return "Droid"


def _rows(draw: random.Random, language: str, columns: int, of_words: list[bool]) -> list[list[str]]:
    heads = [HEADS[language][0], *draw.sample(HEADS[language][1:], columns - 1)]
    rows = [heads]
    for label in draw.sample(LABELS[language], draw.randint(5, 16)):
        if draw.random() < 0.07 and len(rows) > 1:
            rows.append([draw.choice(SECTIONS[language]), *[""] * (columns - 1)])
        values = ["" if draw.random() < 0.12 else _value(draw, language, word) for word in of_words]
        rows.append([label, *(values if any(values) else [_value(draw, language, word) for word in of_words])])
    return rows


def _value(draw: random.Random, language: str, word: bool) -> str:
    if word:
        return draw.choice(WORDS[language])
    amount = draw.choice((draw.randint(1, 999), draw.randint(1000, 9_999_999)))
    text = f"{amount:,}" + (f".{draw.randint(0, 99):02d}" if draw.random() < 0.3 else "")
    return draw.choice((text, text, text, f"({text})", f"-{text}", "-"))


def _runs(text: str, font: str) -> list[tuple[str, str]]:
    """Pieces of a text with their font: the Chinese font has no Latin letters and no digits."""
    found: list[tuple[str, str]] = []
    for character in text:
        own = "Helvetica" if font == "Droid" and character.isascii() else font
        if found and found[-1][1] == own:
            found[-1] = (found[-1][0] + character, own)
        else:
            found.append((character, own))
    return found


def _width(text: str, font: str, size: float) -> float:
    return sum(pdfmetrics.stringWidth(piece, own, size) for piece, own in _runs(text, font))


def _draw(canvas: Canvas, x: float, y: float, text: str, font: str, size: float) -> None:
    for piece, own in _runs(text, font):
        canvas.setFont(own, size)
        canvas.drawString(x, y, piece)
        x += pdfmetrics.stringWidth(piece, own, size)


def _column_edges(font, size, rows, columns, gap) -> list[tuple[float, float]]:
    """Left and right edge of every column after the first, against the right margin."""
    edges: list[tuple[float, float]] = []
    right = RIGHT
    for col in range(columns - 1, 0, -1):
        width = max(_width(row[col], font, size) for row in rows)
        edges.append((right - width, right))
        right -= width + gap
    return edges[::-1]


def _wrapped(text: str, font: str, size: float, room: float) -> list[str]:
    pieces = text.split(" ") if text.isascii() else list(text)
    glue = " " if text.isascii() else ""
    lines = [pieces[0]]
    for piece in pieces[1:]:
        longer = lines[-1] + glue + piece
        if _width(longer, font, size) <= room:
            lines[-1] = longer
        else:
            lines.append(piece)
    return lines


def _paragraph(canvas: Canvas, font: str, language: str, y: float) -> float:
    size = 10 if language == "en" else 8
    for line in PARAGRAPH[language]:
        _draw(canvas, LEFT, y, line, font, size)
        y -= size * 1.4
    return y


def _html(rows: list[list[str]]) -> str:
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>{body}</table>"
