"""The English survey: two columns in a scientific style, and a lying page with a wide table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import hydrology_texts as texts
from drawing import Sheet, Style
from figures import hydrograph
from flow import Flow, Frame
from grids import Look, draw_table
from truth import Document

NAME = "hydrology_survey.pdf"
HEADER = "Qingxi Basin Notes 12 (2023)"
LEFT, RIGHT, TOP, BOTTOM = 54.0, 541.0, 76.0, 770.0  # body of a page, points
GUTTER = 19.0
COLUMN = (RIGHT - LEFT - GUTTER) / 2

BODY = Style(size=10.5, leading=14, font="Times-Roman", first_indent=10, hyphens=texts.HYPHENS)
FIRST = replace(BODY, first_indent=0)
HEAD = Style(size=12, leading=17, font="Times-Bold", align="left", before=8, after=3)
SUBHEAD = Style(size=10.5, leading=15, font="Times-BoldItalic", align="left", before=5, after=2)
CAPTION = Style(size=9, leading=12, font="Times-Roman", align="left", before=2, after=5)
REFERENCE = Style(size=9, leading=12, font="Times-Roman", hanging=14, after=1)
RUNNING = Style(size=8, leading=10, font="Times-Italic", align="center")


class Survey:
    """One build of the survey."""

    def __init__(self):
        self.sheet = Sheet(NAME, texts.TITLE)

    def build(self) -> tuple[bytes, Document]:
        flow = Flow(self.sheet, self.pages())
        self.part(flow, "1 Introduction", texts.INTRODUCTION)
        self.part(flow, "1.1 Setting", texts.SETTING, level=2)
        self.part(flow, "1.2 Earlier work", texts.EARLIER, level=2)
        self.part(flow, "2 Methods", texts.METHODS)
        self.part(flow, "3 Results", [])
        self.part(flow, "3.1 Water balance", texts.BALANCE[:1], level=2)
        self.table(flow)
        flow.paragraph(texts.BALANCE[1], BODY)
        self.part(flow, "3.2 Response of groundwater", texts.RESPONSE[:1], level=2)
        self.figure(flow)
        flow.paragraph(texts.RESPONSE[1], BODY)
        self.part(flow, "3.3 Water chemistry", texts.CHEMISTRY, level=2)
        self.part(flow, "3.4 Sediment", texts.SEDIMENT, level=2)
        self.part(flow, "3.5 Springs", texts.SPRINGS, level=2)
        self.part(flow, "3.6 Uncertainty", texts.UNCERTAINTY, level=2)
        self.part(flow, "4 Conclusions", texts.CONCLUSIONS)
        flow.heading("References", HEAD, 1)
        for text in texts.REFERENCES:
            flow.paragraph(text, REFERENCE, "reference")
        flow.use(self.lying_page())
        flow.paragraph(texts.TABLE_2, replace(CAPTION, size=10, leading=14), "table caption")
        widths = [60, 75, 80, 75, 75, 80, 60, 95, 90]
        style = Style(size=10, leading=15, font="Times-Roman", align="center")
        draw_table(flow, widths, texts.station_cells(), Look(style, "three"))
        return self.sheet.close(), self.sheet.document

    def pages(self) -> Iterator[Frame]:
        self.sheet.new_page()
        self.page_number()
        top = self.title()
        while True:
            yield Frame(LEFT, top, COLUMN, BOTTOM)
            yield Frame(LEFT + COLUMN + GUTTER, top, COLUMN, BOTTOM)
            self.sheet.new_page()
            self.running_header()
            self.page_number()
            top = TOP

    def lying_page(self) -> Iterator[Frame]:
        self.sheet.new_page(rotation=90)
        self.running_header()
        self.page_number()
        yield Frame(76, 120, 690, 500)

    def running_header(self) -> None:
        self.sheet.noise("running header", [self.sheet.aligned(LEFT, self.sheet.width - LEFT, 48, HEADER, RUNNING)])

    def page_number(self) -> None:
        style, base = replace(RUNNING, font="Times-Roman"), self.sheet.height - 36
        number = self.sheet.aligned(LEFT, self.sheet.width - LEFT, base, str(self.sheet.page), style)
        self.sheet.noise("page number", [number])

    def title(self) -> float:
        """Title, authors and abstract over both columns; returns where the columns begin."""
        flow = Flow(self.sheet, iter([Frame(LEFT + 20, 62, RIGHT - LEFT - 40, BOTTOM)]))
        flow.paragraph(texts.TITLE, Style(size=17, leading=21, font="Times-Bold", align="center", after=8), "title", 1)
        flow.paragraph(texts.AUTHORS, Style(size=11, leading=14, font="Times-Italic", align="center", after=10))
        flow.paragraph(texts.ABSTRACT, replace(FIRST, size=9.5, leading=13))
        return flow.y + 14

    def part(self, flow: Flow, title: str, paragraphs: list[str], level: int = 1) -> None:
        flow.heading(title, HEAD if level == 1 else SUBHEAD, level)
        for i, text in enumerate(paragraphs):
            flow.paragraph(text, BODY if i else FIRST)

    def table(self, flow: Flow) -> None:
        flow.need(150)
        flow.paragraph(texts.TABLE_1, replace(CAPTION, before=8), "table caption")
        style = Style(size=9, leading=12, font="Times-Roman", align="left")
        draw_table(flow, [96, 46, 46, 46], texts.balance_cells(), Look(style, "none"))
        flow.y += 10

    def figure(self, flow: Flow) -> None:
        flow.need(185)
        box = (flow.frame.x, flow.y + 6, flow.frame.x + flow.frame.width, flow.y + 146)
        labels = hydrograph(self.sheet, box, texts.FLOWS)
        self.sheet.section("figure", labels).boxes.append((self.sheet.page, box))
        flow.y = box[3] + 4
        flow.paragraph(texts.FIGURE_1, CAPTION, "figure caption")


def make_survey() -> tuple[bytes, Document]:
    """The PDF and its truth."""
    return Survey().build()
