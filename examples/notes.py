"""The two text files: English field notes in Markdown and a Chinese glossary; their places are lines."""

from __future__ import annotations

from dataclasses import dataclass, field

FIELD_NOTES = """\
# Field notes, line 3

Kept during the drilling campaign of May 2023. Times are local.

## 12 May: site check

- The access road is passable for trucks of up to 12 tonnes.
- Pad of ZK304 moved 6 m to the east because of a spring.
- Water for drilling comes from the Qingxi, pump rate 4 m³/h.

## 16 May: ZK305 reaches ore

Contact of marble and skarn at 236.10 m. Lost circulation at 198.40 m cost
five hours and eleven bags of cement.

| Core box | From (m) | To (m) | Recovery (%) |
| -------- | -------- | ------ | ------------ |
| 58       | 236.10   | 240.00 | 95           |
| 59       | 240.00   | 244.20 | 93           |
| 60       | 244.20   | 248.30 | 94           |

## 19 May: instruments

The dip meter reads 0.4 degrees too high; all readings since 14 May were
corrected. Spare batteries for the level logger are in the green case.

```
logger W7: interval 15 min, offset -0.12 m
```
"""

GLOSSARY = """\
术语表

边界品位：圈定矿体时，单个样品有用组分含量的最低要求。
伴生金：与主要有用组分铜共生，可以在选冶过程中综合回收的金。
矽卡岩：中酸性侵入体与碳酸盐岩接触带上，由接触交代作用形成的岩石。
岩心采取率：实际采得的岩心长度与相应进尺之比，以百分数表示。
真厚度：垂直于矿体层面方向量得的厚度，由视厚度经倾角换算得到。
夹石剔除厚度：矿体内夹石达到此厚度时应当从矿体中剔除。
漏失量：钻进中单位时间内冲洗液漏入地层的体积。
体重：单位体积矿石的质量，单位为t/m³，又称矿石密度。
"""


@dataclass
class TextSection:
    """A part of a text file and the lines, counted from 1, that it stands on."""

    role: str
    text: str
    first: int
    last: int
    level: int = 0

    def record(self) -> dict:
        return {"role": self.role, "level": self.level, "text": self.text, "lines": [self.first, self.last]}


@dataclass
class TextDocument:
    """A text file in its blocks."""

    name: str
    sections: list[TextSection] = field(default_factory=list)

    def record(self) -> dict:
        return {"document": self.name, "sections": [section.record() for section in self.sections]}


def make_notes() -> tuple[bytes, TextDocument]:
    """The Markdown file and its truth: a section a heading, paragraph, list, table or code block."""
    document, block = TextDocument("field_notes.md"), []
    for number, line in enumerate([*FIELD_NOTES.splitlines(), ""], 1):
        if line:
            block.append(line)
        elif block:
            document.sections.append(_markdown_section(block, number - len(block), number - 1))
            block = []
    return FIELD_NOTES.encode(), document


def _markdown_section(block: list[str], first: int, last: int) -> TextSection:
    if block[0].startswith("#"):
        mark, text = block[0].split(" ", 1)
        return TextSection("title", text, first, last, len(mark))
    if block[0].startswith("|"):
        rows = [" | ".join(cell.strip() for cell in line.strip("|").split("|")) for line in block if "---" not in line]
        return TextSection("table", "\n".join(rows), first, last)
    if block[0].startswith("- "):
        return TextSection("text", "\n".join(line.removeprefix("- ") for line in block), first, last)
    return TextSection("text", " ".join(line for line in block if not line.startswith("```")), first, last)


def make_glossary() -> tuple[bytes, TextDocument]:
    """The text file and its truth: a section a line."""
    document = TextDocument("术语表.txt")
    for number, line in enumerate(GLOSSARY.splitlines(), 1):
        if line:
            document.sections.append(
                TextSection("title" if number == 1 else "text", line, number, number, int(number == 1))
            )
    return GLOSSARY.encode(), document
