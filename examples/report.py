"""The Chinese geological report: cover, contents, five chapters, an appendix that is a scan."""

from __future__ import annotations

from collections.abc import Iterator

import report_data as data
import report_texts as texts
from drawing import Sheet, Style
from figures import geological_section
from flow import Flow, Frame
from grids import Look, draw_table
from scans import add_scan
from truth import Document, Noise, around

NAME = "铜山矿区地质勘查报告.pdf"
TITLE = "铜山矿区地质勘查报告"
WATERMARK = "内部资料 注意保存"
LEFT, RIGHT, TOP, BOTTOM = 72.0, 523.0, 92.0, 768.0  # body of a page, points
GUTTER = 24.0

BODY = Style(first_indent=21, after=3)
CHAPTER = Style(size=16, leading=26, bold=True, before=6, after=6)
PART = Style(size=12.5, leading=21, bold=True, before=5, after=3)
CAPTION = Style(size=9, leading=15, align="center", before=3, after=4)
SMALL = Style(size=9, leading=14, align="left", hanging=12)
RUNNING = Style(size=9, leading=12)
CELL = Look(Style(size=9, leading=13, align="center"), splits=True)


class Report:
    """One build of the report; `contents` and `pages` come from a build before (empty and 0 in the first one)."""

    def __init__(self, contents: list[dict], pages: int):
        self.sheet, self.contents, self.pages = Sheet(NAME, TITLE), contents, pages

    def build(self) -> tuple[bytes, Document]:
        self.cover()
        self.contents_page()
        flow = Flow(self.sheet, self.first_pages())
        self.chapter(flow, "第一章 绪论", texts.INTRODUCTION)
        self.chapter(flow, "第二章 区域地质", texts.GEOLOGY)
        self.figure(flow)
        flow.use(self.column_page())
        self.chapter(flow, "第三章 矿体与矿石", texts.ORE)
        flow.use(self.body_pages())
        self.chapter(flow, "第四章 钻探工程", [("第一节 钻孔编录", [texts.LOGS, *map(data.log, data.HOLES)])])
        self.assays(flow)
        self.chapter(flow, "第五章 资源量估算", texts.ESTIMATE)
        self.formula(flow)
        for text in texts.estimate_results():
            flow.paragraph(text, BODY)
        self.part(flow, "第二节 结论与建议", 2)
        for text in texts.conclusions():
            flow.paragraph(text, BODY)
        self.part(flow, "参考文献", 1)
        for text in texts.REFERENCES:
            flow.paragraph(text, SMALL, "reference")
        scan, drawn = appendix()
        add_scan(self.sheet, scan, drawn, slope=0.018, seed=301)
        self.sheet.bookmark(texts.APPENDIX_TITLE, 1, 0)
        self.place_footnote()
        return self.sheet.close(), self.sheet.document

    # ------------------------------------------------------------ pages

    def new_page(self) -> None:
        """A body page: watermark, running header with a rule, page number."""
        sheet = self.sheet
        sheet.new_page()
        self.watermark()
        header = (
            sheet.line(LEFT, 58, TITLE, RUNNING),
            sheet.aligned(LEFT, RIGHT, 58, "编号 TS-KC-2023-017", _right(RUNNING)),
        )
        sheet.canvas.setLineWidth(0.5)
        sheet.canvas.line(LEFT, sheet.height - 64, RIGHT, sheet.height - 64)
        sheet.noise("running header", header)
        number = f"第 {sheet.page} 页 共 {self.pages} 页"
        sheet.noise("page number", [sheet.aligned(LEFT, RIGHT, 800, number, _center(RUNNING))])

    def watermark(self) -> None:
        """Light letters on the diagonal; recorded with the upright box around them."""
        sheet, size = self.sheet, 46
        cx, cy = sheet.width / 2, sheet.height / 2
        sheet.canvas.saveState()
        sheet.canvas.setFillColorRGB(0.91, 0.91, 0.91)
        sheet.canvas.translate(cx, cy)
        sheet.canvas.rotate(45)
        half = sheet.canvas.stringWidth(WATERMARK, "CJK", size) / 2
        sheet.canvas.setFont("CJK", size)
        sheet.canvas.drawString(-half, -size * 0.35, WATERMARK)
        sheet.canvas.restoreState()
        reach = (half + size / 2) * 0.5**0.5
        box = (cx - reach, cy - reach, cx + reach, cy + reach)
        sheet.document.noise.append(Noise("watermark", WATERMARK, [(sheet.page, box)]))

    def first_pages(self) -> Iterator[Frame]:
        self.new_page()
        self.footnote()
        yield Frame(LEFT, TOP, RIGHT - LEFT, 722)
        yield from self.body_pages()

    def body_pages(self) -> Iterator[Frame]:
        while True:
            self.new_page()
            yield Frame(LEFT, TOP, RIGHT - LEFT, BOTTOM)

    def column_page(self) -> Iterator[Frame]:
        self.new_page()
        width = (RIGHT - LEFT - GUTTER) / 2
        yield Frame(LEFT, TOP, width, BOTTOM)
        yield Frame(LEFT + width + GUTTER, TOP, width, BOTTOM)

    def cover(self) -> None:
        sheet = self.sheet
        sheet.new_page()
        number = sheet.aligned(LEFT, RIGHT, 110, "编号：TS-KC-2023-017", _right(BODY))
        sheet.section("text", [number])
        title = sheet.aligned(LEFT, RIGHT, 300, TITLE, Style(size=30, bold=True, align="center"))
        sheet.section("title", [title], level=1)
        sheet.section("text", [sheet.aligned(LEFT, RIGHT, 345, "（3号勘探线详查）", Style(size=16, align="center"))])
        place = Style(size=14, align="center")
        sheet.section("text", [sheet.aligned(LEFT, RIGHT, 640, "铜山矿区勘查项目组", place)])
        sheet.section("text", [sheet.aligned(LEFT, RIGHT, 668, "二〇二三年九月", place)])

    def contents_page(self) -> None:
        """Titles with dot leaders and page numbers, all recorded as noise."""
        sheet, y = self.sheet, 170.0
        sheet.new_page()
        lines = [sheet.aligned(LEFT, RIGHT, 120, "目 录", Style(size=18, bold=True, align="center"))]
        for entry in self.contents:
            style = Style(size=11, bold=entry["level"] == 1)
            x = LEFT + 22 * (entry["level"] - 1)
            title = sheet.line(x, y, entry["title"] + " ", style)
            number = sheet.aligned(LEFT, RIGHT, y, f" {entry['page']}", _right(Style(size=11)))
            dots = int((number.box[0] - title.box[2]) / sheet.canvas.stringWidth(".", "Helvetica", 11))
            lines += [title, sheet.aligned(LEFT, number.box[0], y, "." * dots, _right(Style(size=11))), number]
            y += 26
        sheet.noise("contents", lines)

    # ------------------------------------------------------------ pieces

    def chapter(self, flow: Flow, title: str, parts: list[tuple[str, list[str]]]) -> None:
        self.part(flow, title, 1)
        for heading, paragraphs in parts:
            self.part(flow, heading, 2)
            for text in paragraphs:
                flow.paragraph(text, BODY)

    def part(self, flow: Flow, title: str, level: int) -> None:
        flow.heading(title, CHAPTER if level == 1 else PART, level, keep=90 if level == 1 else 48, bookmark=True)

    def footnote(self) -> None:
        """A rule and one small line at the foot of the current page, read after the page's text."""
        sheet = self.sheet
        sheet.canvas.setLineWidth(0.5)
        sheet.canvas.line(LEFT, sheet.height - 738, LEFT + 140, sheet.height - 738)
        self.note = sheet.line(LEFT, 754, texts.FOOTNOTE, Style(size=8.5))

    def place_footnote(self) -> None:
        """Reads the footnote after the last section that begins on its page."""
        note = self.sheet.section("text", [self.note], note="footnote")
        sections = self.sheet.document.sections
        sections.remove(note)
        begun = [i for i, section in enumerate(sections) if section.lines and section.lines[0].page <= self.note.page]
        sections.insert(begun[-1] + 1, note)

    def figure(self, flow: Flow) -> None:
        flow.need(250)
        box = (LEFT + 20, flow.y + 6, RIGHT - 20, flow.y + 206)
        labels = geological_section(self.sheet, box)
        self.sheet.section("figure", labels).boxes.append((self.sheet.page, box))
        flow.y = box[3] + 4
        flow.paragraph("图2-1 铜山矿区3号勘探线地质剖面示意图", CAPTION, "figure caption")

    def assays(self, flow: Flow) -> None:
        self.part(flow, "第二节 钻探质量", 2)
        for text in texts.QUALITY:
            flow.paragraph(text, BODY)
        self.part(flow, "第三节 样品化验结果", 2)
        flow.paragraph(texts.ASSAYS, BODY)
        flow.need(140)
        flow.paragraph("表4-1 3号勘探线钻孔见矿及化验结果", CAPTION, "table caption")
        draw_table(flow, [52, 50, 50, 50, 44, 54, 151], data.assay_cells(), CELL)
        flow.y += 8

    def formula(self, flow: Flow) -> None:
        """The weighted mean as a displayed fraction, numbered at the right margin."""
        sheet, big, small = self.sheet, Style(size=12, align="left"), Style(size=8, align="left")
        flow.need(56)
        x, y = LEFT + 175, flow.y + 26
        lines = [sheet.line(x, y + 4, "C =", big)]
        for base in (y - 5, y + 17):
            lines.append(sheet.line(x + 32, base, "∑", big))
            for dx, letter in ((44, "C"), (60, "L")) if base < y else ((44, "L"),):
                lines.append(sheet.line(x + dx, base, letter, big))
                lines.append(sheet.line(lines[-1].box[2], base + 3, "i", small))
        sheet.canvas.setLineWidth(0.8)
        sheet.canvas.line(x + 28, sheet.height - y, x + 78, sheet.height - y)
        extent = around(point for line in lines for point in (line.box[:2], line.box[2:]))
        lines.append(sheet.aligned(LEFT, RIGHT, y + 4, "（5-1）", _right(BODY)))
        sheet.section("equation", lines).boxes.append((sheet.page, extent))
        flow.y += 56


def appendix() -> tuple[bytes, Document]:
    """The page that becomes a scan: a record sheet with a vertical column of text at its left side."""
    sheet = Sheet(NAME, TITLE)
    sheet.new_page()
    column = Style(size=13, leading=22)
    line = sheet.line(66, 150, texts.SIDE_COLUMN[0], column)
    edges = [150 - 13.0 + 22 * i for i in range(len(texts.SIDE_COLUMN) + 1)]
    for char, top in zip(texts.SIDE_COLUMN[1:], edges[1:], strict=False):
        sheet.line(66, top + 13, char, column)
    line.text, line.end, line.edges, line.vertical = texts.SIDE_COLUMN, len(texts.SIDE_COLUMN), edges, True
    line.box = (65, edges[0], 80, edges[-1] - 6)
    sheet.section("text", [line], note="side column")
    sheet.canvas.setLineWidth(0.8)
    sheet.canvas.line(98, sheet.height - 90, 98, 90)
    flow = Flow(sheet, iter([Frame(116, 96, 400, 770)]))
    flow.heading(texts.APPENDIX_TITLE, CHAPTER, 1)
    for text in texts.APPENDIX:
        flow.paragraph(text, Style(size=12, leading=22, first_indent=24, after=4))
    return sheet.close(), sheet.document


def _right(style: Style) -> Style:
    return Style(size=style.size, align="right")


def _center(style: Style) -> Style:
    return Style(size=style.size, align="center")


def make_report() -> tuple[bytes, Document]:
    """The PDF and its truth; built twice, since the contents page needs the page numbers."""
    _, draft = Report([], 0).build()
    report = Report(draft.bookmarks, len(draft.pages))
    return report.build()
