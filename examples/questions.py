"""Questions on the example documents; page and boxes are looked up from what was drawn."""

from __future__ import annotations

import json
from dataclasses import dataclass

from notes import TextDocument
from truth import Document, Line, Section, paged

REPORT, SURVEY, LETTER = "铜山矿区地质勘查报告.pdf", "hydrology_survey.pdf", "scanned_letter.pdf"
NOTES, GLOSSARY = "field_notes.md", "术语表.txt"


@dataclass(frozen=True)
class Ask:
    """`quote`: the words that prove the answer, once in the document's sections. `cell`: instead of these, a table cell
    by the caption's number, the text of its row's first cell, the offset from that row, and its column."""

    kind: str
    document: str
    question: str
    answer: str
    quote: str = ""
    cell: tuple[str, str, int, int] | None = None


ASKS = (
    Ask("table cell", REPORT, "ZK305 的伴生金品位是多少？", "0.47 g/t", cell=("表4-1", "ZK305", 0, 5)),
    Ask("table cell", REPORT, "ZK307 的铜品位是多少？", "1.29 %", cell=("表4-1", "ZK307", 0, 4)),
    Ask("table cell", REPORT, "ZK303 第二层矿的铜品位是多少？", "0.54 %", cell=("表4-1", "ZK303", 1, 4)),
    Ask("table cell", REPORT, "ZK311 见矿深度从多少米开始？", "268.80 m", cell=("表4-1", "ZK311", 0, 1)),
    Ask("table cell", REPORT, "表4-1中各钻孔金品位的平均值是多少？", "0.30 g/t", cell=("表4-1", "平均", 0, 5)),
    Ask("cross-page", REPORT, "ZK309 第二层矿的矿石特征是什么？",
        "上部为稀疏浸染状黄铜矿石，下部渐变为含磁铁矿的条带状矿石",
        cell=("表4-1", "ZK309", 1, 6)),
    Ask("id", REPORT, "ZK304 的终孔深度是多少？", "421.35 m", "孔口标高1245.2m，终孔深度421.35m"),
    Ask("id", REPORT, "ZK310 的孔口标高是多少？", "1256.2 m", "ZK310：位于3号勘探线南段，孔口标高1256.2m"),
    Ask("id", REPORT, "ZK301 的岩心采取率是多少？", "91.2%", "真厚度8.35m，岩心采取率91.2%"),
    Ask("id", REPORT, "ZK308 的开孔倾角是多少度？", "78°", "终孔深度452.10m，开孔倾角78°"),
    Ask("id", REPORT, "ZK312 的第四系残坡积层有多厚？", "25.60 m", "0～25.60m为第四系残坡积层"),
    Ask("text", REPORT, "矿石中自然金以什么形式赋存？", "以包裹体形式赋存于黄铜矿中", "主要以包裹体形式赋存于黄铜矿中"),
    Ask("text", REPORT, "浮选试验的铜回收率是多少？", "93.15%", "铜精矿品位为22.64%，铜回收率为93.15%"),
    Ask("text", REPORT, "F2断层的断距是多少？", "约35 m", "断距约35m"),
    Ask("text", REPORT, "铜的最低工业品位是多少？", "0.50%", "最低工业品位铜0.50%"),
    Ask("text", REPORT, "建议在哪两个钻孔之间加密？", "ZK305与ZK306", "建议在中段ZK305与ZK306之间加密钻孔"),
    Ask("text", REPORT, "哪个钻孔的漏失量最大？", "ZK308，每小时9.6m³", "其中ZK308孔漏失量最大，为每小时9.6m³"),
    Ask("text", REPORT, "矿区的最枯流量是多少？", "0.18 m³/s", "最枯流量为0.18m³/s"),
    Ask("cross-page", REPORT, "矿区南部发生过几处滑坡，体积多大？", "两处，约1200m³和3500m³",
        "矿区南部缓坡地带曾发生小型滑坡两处，体积分别约为1200m³和3500m³"),
    Ask("figure", REPORT, "哪幅图是3号勘探线的地质剖面？", "图2-1", "图2-1 铜山矿区3号勘探线地质剖面示意图"),
    Ask("scan", REPORT, "ZK305 钻进中在什么深度漏水？", "198.40 m", "钻进过程中在198.40m处漏水"),
    Ask("scan", REPORT, "ZK305 的接触面与岩心轴夹角是多少？", "62°", "与岩心轴夹角为62°"),
    Ask("cross-language", REPORT, "How thick is the copper ore in drill hole ZK302?", "10.85 m",
        cell=("表4-1", "ZK302", 0, 3)),
    Ask("cross-language", REPORT, "What is the isotopic age of the granodiorite porphyry?", "142.6 Ma",
        "同位素年龄为142.6Ma"),
    Ask("english", SURVEY, "How much of the annual runoff is base flow?", "41 percent",
        "made up 41 percent of annual runoff"),
    Ask("english", SURVEY, "What was the highest copper concentration at S4?", "0.31 mg/L", "it rose to 0.31 mg/L"),
    Ask("english", SURVEY, "Which well responded fastest to rain?", "W7", "fastest response was found in W7"),
    Ask("english", SURVEY, "How long did the dye take to reach spring Q3?", "31 hours",
        "the dye appeared in Q3 after 31 hours"),
    Ask("cross-page", SURVEY, "In which months is nearly all of the flow base flow?", "between November and February",
        "nearly all of the flow between November and February"),
    Ask("table cell", SURVEY, "What was the runoff in 2021?", "541 mm", cell=("Table 1", "Runoff", 0, 2)),
    Ask("table cell", SURVEY, "What is the pH at station S4?", "7.1", cell=("Table 2", "S4", 0, 6)),
    Ask("table cell", SURVEY, "What is the maximum discharge at station S6?", "126.5 m³/s",
        cell=("Table 2", "S6", 0, 5)),
    Ask("figure", SURVEY, "Which figure shows the mean monthly discharge?", "Figure 1",
        "Figure 1. Mean monthly discharge of the Qingxi at station S6, 2020 to 2022."),
    Ask("cross-language", SURVEY, "站点S5日流量的标准误差是多少？", "9.8 percent",
        "9.8 percent at the smallest station, S5"),
    Ask("scan", LETTER, "How many boxes of core reached the store?", "214 boxes",
        "214 boxes of core from the holes ZK301 to ZK312"),
    Ask("scan", LETTER, "Which box was empty when it arrived?", "Box 88 of hole ZK307",
        "Box 88 of hole ZK307 was empty"),
    Ask("cross-language", LETTER, "岩心箱的年度保管费是多少？", "6.50 yuan a box", "the yearly fee is 6.50 yuan a box"),
    Ask("english", NOTES, "Why was the pad of ZK304 moved?", "because of a spring",
        "Pad of ZK304 moved 6 m to the east because of a spring"),
    Ask("text", GLOSSARY, "什么是岩心采取率？", "实际采得的岩心长度与相应进尺之比",
        "岩心采取率：实际采得的岩心长度与相应进尺之比"),
)  # fmt: skip


def resolve(documents: dict[str, Document | TextDocument]) -> str:
    """The questions as JSON lines. A quote that is missing or not unique raises ValueError."""
    rows = []
    for ask in ASKS:
        document = documents[ask.document]
        row = {"question": ask.question, "answer": ask.answer, "document": ask.document}
        if isinstance(document, TextDocument):
            owner = _owner(document.sections, ask.quote)
            row |= {"page": None, "quote": ask.quote, "boxes": [], "lines": [owner.first, owner.last]}
        else:
            row |= _place(document, ask)
        rows.append(json.dumps(row | {"kind": ask.kind}, ensure_ascii=False))
    return "\n".join(rows) + "\n"


def _owner(sections: list, quote: str):
    found = [section for section in sections if quote in section.text and section.role != "table"]
    if len(found) != 1 or found[0].text.count(quote) != 1:
        raise ValueError(f"{quote!r} occurs in {len(found)} sections")
    return found[0]


def _place(document: Document, ask: Ask) -> dict:
    if ask.cell is None:
        owner = _owner(document.sections, ask.quote)
        start = owner.text.index(ask.quote)
        boxes = _boxes(owner.lines, start, start + len(ask.quote))
        return {"page": boxes[0][0], "quote": ask.quote, "boxes": boxes}
    caption, label, offset, col = ask.cell
    table = _table(document, caption)
    row = next(cell.row for cell in table.cells if cell.col == 0 and cell.text == label) + offset
    cell = next(cell for cell in table.cells if (cell.row, cell.col) == (row, col))
    boxes = _boxes(cell.lines, 0, len(cell.text))
    place = [[section for section in document.sections if section.cells].index(table), cell.row, cell.col]
    return {"page": boxes[0][0], "quote": cell.text, "boxes": boxes, "cell": place}


def _table(document: Document, caption: str) -> Section:
    sections = document.sections
    at = next(i for i, s in enumerate(sections) if s.role == "table caption" and s.text.startswith(caption))
    return next(section for section in sections[at:] if section.cells)


def _boxes(lines: list[Line], start: int, end: int) -> list[list[float]]:
    touched = [line for line in lines if line.start < end and line.end > start]
    return paged((line.page, line.span(start, end)) for line in touched)
