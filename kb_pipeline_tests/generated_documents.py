"""PDFs that are hard to put together, drawn with reportlab, each with its exact truth: the same bytes every time."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = 595.0, 842.0
SIZE, PITCH = 10.0, 14.0
LEFT, RIGHT, TOP = 60.0, 535.0, 80.0
PROSE = """the survey found copper in grey limestone below a thin cover of clay and the water of two streams was clear
after rain while samples from old pits held more zinc than those near the bank where miners once kept their tools"""
TOOLS = [("Hammer", 40), ("Chisel", 12), ("Lamp", 31), ("Rope of hemp", 9), ("Cart", 250)]


@dataclass
class Truth:
    """Paragraphs and headings in reading order, tables as rows of cell texts, dropped texts by reason."""

    texts: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    dropped: dict[str, list[str]] = field(default_factory=dict)


class Sheet:
    """A canvas whose y points down, and the truth of what is drawn on it."""

    def __init__(self) -> None:
        self.data, self.truth, self.random = io.BytesIO(), Truth(), random.Random(7)
        self.canvas = Canvas(self.data, pagesize=(WIDTH, HEIGHT), invariant=1)

    def prose(self, words: int) -> str:
        """A sentence of so many words that no other sentence is like."""
        text = " ".join(self.random.choice(PROSE.split()) for _ in range(words))
        return text[0].upper() + text[1:] + "."

    def put(self, text: str, x: float, top: float, size: float = SIZE, font: str = "Helvetica") -> None:
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, HEIGHT - top - size, text)

    def lines(self, text: str, width: float, size: float = SIZE) -> list[str]:
        found, line = [], ""
        for word in text.split():
            longer = f"{line} {word}".strip()
            if line and stringWidth(longer, "Helvetica", size) > width:
                found.append(line)
                line = word
            else:
                line = longer
        return [*found, line]

    def paragraph(self, text: str, x: float, top: float, width: float, size: float = SIZE) -> float:
        """Draws and records a paragraph; returns where the next one begins."""
        self.truth.texts.append(text)
        return self.rows(self.lines(text, width, size), x, top, size) + 8

    def rows(self, rows: list[str], x: float, top: float, size: float = SIZE) -> float:
        for row in rows:
            self.put(row, x, top, size)
            top += PITCH * size / SIZE
        return top

    def heading(self, text: str, x: float, top: float, size: float = 14.0) -> float:
        self.truth.texts.append(text)
        self.put(text, x, top, size, "Helvetica-Bold")
        return top + 2 * size

    def noise(self, reason: str, text: str, x: float, top: float, size: float = 9.0) -> None:
        self.truth.dropped.setdefault(reason, []).append(text)
        self.put(text, x, top, size)

    def grid(self, rows: list[list[str]], x: float, top: float, widths: list[float], height: float = 22.0) -> float:
        """Draws a ruled table whose first row is its header; the caller records it."""
        xs = [x + sum(widths[:i]) for i in range(len(widths) + 1)]
        for i in range(len(rows) + 1):
            self.canvas.line(xs[0], HEIGHT - top - i * height, xs[-1], HEIGHT - top - i * height)
        for at in xs:
            self.canvas.line(at, HEIGHT - top, at, HEIGHT - top - len(rows) * height)
        for r, row in enumerate(rows):
            for c, text in enumerate(row):
                font = "Helvetica-Bold" if r == 0 and not text[:1].isdigit() else "Helvetica"
                self.put(text, xs[c] + 5, top + r * height + 6, SIZE, font)
        return top + len(rows) * height

    def next_page(self) -> None:
        self.canvas.showPage()

    def done(self) -> tuple[bytes, Truth]:
        self.canvas.save()
        return self.data.getvalue(), self.truth


def _columns(count: int) -> tuple[bytes, Truth]:
    """A title and a paragraph over the whole width between two bands of columns."""
    sheet = Sheet()
    gap = 24.0
    width = (RIGHT - LEFT - (count - 1) * gap) / count
    sheet.heading("Copper and Zinc in the Upper Valley", LEFT + 60, TOP, 18)
    for band, top in enumerate((140.0, 500.0)):
        if band:
            sheet.paragraph(sheet.prose(40), LEFT, 440, RIGHT - LEFT)
        for c in range(count):
            x = LEFT + c * (width + gap)
            y = sheet.heading(f"{band * count + c + 1} Part {'ABCDEF'[band * count + c]}", x, top, 12)
            for words in (130 // count, 110 // count):
                y = sheet.paragraph(sheet.prose(words), x, y, width)
    return sheet.done()


def two_columns() -> tuple[bytes, Truth]:
    return _columns(2)


def three_columns() -> tuple[bytes, Truth]:
    return _columns(3)


def running_lines() -> tuple[bytes, Truth]:
    """Headers that alternate left and right, page numbers, and a heading that comes back on every page."""
    sheet = Sheet()
    for number in range(1, 5):
        if number % 2:
            sheet.noise("running header", "Report of the Valley Survey", RIGHT - 120, 36)
        else:
            sheet.noise("running header", "Geology and Mines", LEFT, 36)
        top = TOP
        for words in (60 + 7 * number, 50):
            top = sheet.paragraph(sheet.prose(words), LEFT, top, RIGHT - LEFT)
        top = sheet.heading("Summary", LEFT, top + 20 * number)
        sheet.paragraph(sheet.prose(70), LEFT, top, RIGHT - LEFT)
        sheet.noise("page number", f"Page {number} of 4", 275, 800)
        sheet.next_page()
    return sheet.done()


def watermarks() -> tuple[bytes, Truth]:
    """A leaning light watermark under the text of every page."""
    sheet = Sheet()
    for _ in range(2):
        canvas = sheet.canvas
        canvas.saveState()
        canvas.setFillGray(0.88)
        canvas.translate(WIDTH / 2, HEIGHT / 2)
        canvas.rotate(45)
        canvas.setFont("Helvetica-Bold", 52)
        canvas.drawCentredString(0, 0, "CONFIDENTIAL")
        canvas.restoreState()
        sheet.truth.dropped.setdefault("watermark", []).append("CONFIDENTIAL")
        top = TOP
        for words in (90, 80, 110, 70, 90, 85):
            top = sheet.paragraph(sheet.prose(words), LEFT, top, RIGHT - LEFT)
        sheet.next_page()
    return sheet.done()


def contents() -> tuple[bytes, Truth]:
    """A contents page with leaders, its chapters, and a price list that only looks like one."""
    sheet = Sheet()
    chapters = ["1 Rocks of the Valley", "2 Water and Springs", "3 Mines and Pits", "4 Roads and Bridges"]
    sheet.noise("contents", "Contents", LEFT, TOP, 14)
    for i, title in enumerate(chapters):
        dots = "." * int(
            (RIGHT - 30 - LEFT - stringWidth(title, "Helvetica", SIZE)) / stringWidth(".", "Helvetica", SIZE)
        )
        sheet.noise("contents", f"{title} {dots} {i // 2 + 2}", LEFT, TOP + 40 + 20 * i, SIZE)
    sheet.next_page()
    for i, title in enumerate(chapters):
        top = sheet.heading(title, LEFT, TOP + (i % 2) * 320)
        for words in (80, 90):
            top = sheet.paragraph(sheet.prose(words), LEFT, top, RIGHT - LEFT)
        if i % 2:
            sheet.next_page()
    sheet.heading("Prices of Tools", LEFT, TOP)
    for i, (name, price) in enumerate(
        [("Hammer", 40), ("Chisel", 12), ("Lamp", 31), ("Rope of hemp", 9), ("Cart", 250)]
    ):
        sheet.paragraph(f"{name} {'.' * (60 - len(name))} {price}", LEFT, TOP + 40 + 20 * i, RIGHT - LEFT)
    return sheet.done()


HEADER = ["Hole", "Depth", "Copper", "Remarks"]
WIDTHS = [90.0, 90.0, 90.0, 205.0]


def _rows(first: int, count: int) -> list[list[str]]:
    return [
        [f"ZK{i}", f"{180 + 3 * i}.5", f"0.{20 + i}", f"vein number {i} in marble"] for i in range(first, first + count)
    ]


def _table_over_pages(header: bool, caption: str, split: bool) -> tuple[bytes, Truth]:
    sheet = Sheet()
    top = sheet.paragraph(sheet.prose(120), LEFT, TOP, RIGHT - LEFT)
    sheet.put("Table 1. Holes and their copper", LEFT, 340)
    first, second = _rows(1, 18), _rows(19, 9)
    assert top < 330
    sheet.grid([HEADER, *first], LEFT, 360, WIDTHS)
    sheet.next_page()
    start = TOP
    if caption:
        sheet.noise("continued caption", caption, LEFT, TOP - 22, SIZE)
    shown = [["", "", "", "and quartz"], *second] if split else second
    if header:
        sheet.truth.dropped["repeated table header"] = list(HEADER)
        shown = [HEADER, *shown]
    bottom = sheet.grid(shown, LEFT, start, WIDTHS)
    if split:
        first[-1] = [*first[-1][:3], f"{first[-1][3]} and quartz"]
    sheet.truth.tables.append([HEADER, *first, *second])
    sheet.paragraph(sheet.prose(60), LEFT, bottom + 30, RIGHT - LEFT)
    return sheet.done()


def table_with_repeated_header() -> tuple[bytes, Truth]:
    return _table_over_pages(True, "", False)


def table_with_split_row() -> tuple[bytes, Truth]:
    return _table_over_pages(True, "", True)


def table_without_repeated_header() -> tuple[bytes, Truth]:
    return _table_over_pages(False, "", False)


def table_with_continued_caption() -> tuple[bytes, Truth]:
    return _table_over_pages(True, "Table 1 (continued)", False)


def tables_that_differ() -> tuple[bytes, Truth]:
    """Two tables on both sides of a page break whose columns disagree: both stay."""
    sheet = Sheet()
    sheet.paragraph(sheet.prose(120), LEFT, TOP, RIGHT - LEFT)
    first = [HEADER, *_rows(1, 18)]
    sheet.grid(first, LEFT, 360, WIDTHS)
    sheet.next_page()
    second = [["Well", "Level", "Month"], *[[f"W{i}", f"{4 + i}.2 m", f"month {i}"] for i in range(1, 8)]]
    bottom = sheet.grid(second, LEFT, TOP, [160.0, 155.0, 160.0])
    sheet.truth.tables += [first, second]
    sheet.paragraph(sheet.prose(60), LEFT, bottom + 30, RIGHT - LEFT)
    return sheet.done()


def sidebar() -> tuple[bytes, Truth]:
    """A line up the left margin, which is read by itself and not between the lines that it stands beside."""
    sheet = Sheet()
    top = TOP
    for words in (100, 120, 90, 110):
        top = sheet.paragraph(sheet.prose(words), LEFT + 30, top, RIGHT - LEFT - 30)
    canvas = sheet.canvas
    canvas.saveState()
    canvas.translate(40, HEIGHT - 420)
    canvas.rotate(90)
    canvas.setFont("Helvetica", 12)
    canvas.drawString(0, 0, "Field notes of the third party in the valley")
    canvas.restoreState()
    sheet.truth.texts.append("Field notes of the third party in the valley")
    return sheet.done()


def hyphens() -> tuple[bytes, Truth]:
    """Words that line ends part, with hyphens that belong to them and hyphens that do not."""
    sheet = Sheet()
    rows = [
        "The party took samples in both pits, and the infor-",
        "mation that they gave was sent to the well-",
        "known laboratory in the town, where zinc and cop-",
        "per were measured with a method of the nineteen-",
        "seventies.",
    ]
    sheet.truth.texts.append(
        "The party took samples in both pits, and the information that they gave was sent to the well-known laboratory "
        "in the town, where zinc and copper were measured with a method of the nineteen-seventies."
    )
    top = sheet.rows(rows, LEFT, TOP) + 20
    for words in (60, 70):
        top = sheet.paragraph(sheet.prose(words), LEFT, top, RIGHT - LEFT)
    return sheet.done()


def footnote() -> tuple[bytes, Truth]:
    """A paragraph over a page break with a note in small type at the foot between its halves."""
    sheet = Sheet()
    top = TOP
    for words in (160, 170, 150):
        top = sheet.paragraph(sheet.prose(words), LEFT, top, RIGHT - LEFT)
    rows = sheet.lines(sheet.prose(220), RIGHT - LEFT)
    rest = int((720 - top) // PITCH)
    sheet.truth.texts.append(" ".join(rows))
    sheet.rows(rows[:rest], LEFT, top)
    note = "1 Measured along the hole and not corrected for its dip."
    sheet.canvas.line(LEFT, HEIGHT - 738, LEFT + 120, HEIGHT - 738)
    sheet.put(note, LEFT, 745, 7.5)
    sheet.truth.texts.append(note)
    sheet.next_page()
    sheet.rows(rows[rest:], LEFT, TOP)
    return sheet.done()


DOCUMENTS: dict[str, Callable[[], tuple[bytes, Truth]]] = {
    made.__name__: made
    for made in (
        two_columns,
        three_columns,
        running_lines,
        watermarks,
        contents,
        table_with_repeated_header,
        table_with_split_row,
        table_without_repeated_header,
        table_with_continued_caption,
        tables_that_differ,
        sidebar,
        hyphens,
        footnote,
    )
}
