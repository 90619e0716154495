"""Questions and answers as they lie in files: spreadsheets, text, Word, PDF."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from kb_pipeline.chunking.cut import chunk_document
from kb_pipeline.operations.parse import parse
from kb_pipeline.settings import ChunkingSettings, Settings
from kb_pipeline_tests.chunking.samples import letters, squeezed

PAIRS = [("何时取样？", "2019 年，由地质队完成。"), ("品位多少？", "平均 0.85。"), ("Where is it?", "In the east.")]
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def workbook(rows) -> bytes:
    from openpyxl import Workbook

    book, data = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(data)
    return data.getvalue()


def word(paragraphs: list[tuple[str, bool]]) -> bytes:
    """A Word file of paragraphs, each a heading or not."""
    style = '<w:pPr><w:pStyle w:val="h1"/></w:pPr>'
    body = "".join(f"<w:p>{style if heading else ''}<w:r><w:t>{text}</w:t></w:r></w:p>" for text, heading in paragraphs)
    part = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="applica'
        'tion/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{part}.document.main+xml"/>'
        f'<Override PartName="/word/styles.xml" ContentType="{part}.styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "word/styles.xml": f'<w:styles xmlns:w="{WORD}"><w:style w:type="paragraph" w:styleId="h1">'
        '<w:name w:val="heading 1"/></w:style></w:styles>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def pdf(lines: list[str]) -> bytes:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfgen.canvas import Canvas

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    data = io.BytesIO()
    canvas = Canvas(data, pagesize=(400, 400), invariant=1)
    canvas.setFont("STSong-Light", 12)
    for number, line in enumerate(lines):
        canvas.drawString(40, 340 - 24 * number, line)
    canvas.save()
    return data.getvalue()


def marked(question: str, answer: str) -> list[str]:
    names = ("Q: ", "A: ") if question.isascii() else ("问：", "答：")
    return [names[0] + question, names[1] + answer]


FILES = {
    "pairs.xlsx": workbook(PAIRS),
    "named.xlsx": workbook([("问题", "答案"), *PAIRS]),
    "numbers.xlsx": workbook([("question", "answer"), ("何时取样？", "2019 年。"), ("品位多少？", 0.85)]),
    "pairs.csv": "\n".join(f'{q},"{a}"' for q, a in PAIRS).encode(),
    "pairs.tsv": "\n".join(f"{q}\t{a}" for q, a in PAIRS).encode(),
    "pairs.txt": "\n".join(f"{q}\t{a}" for q, a in PAIRS).encode(),
    "comma.txt": "\n".join(f"{q},{a}" for q, a in PAIRS).encode(),
    "marked.docx": word([(line, False) for pair in PAIRS for line in marked(*pair)]),
    "headed.docx": word([(text, heading) for q, a in PAIRS for text, heading in ((q, True), (a, False))]),
    "headed.md": "\n\n".join(f"## {q}\n\n{a}" for q, a in PAIRS).encode(),
    "marked.pdf": pdf([line for pair in PAIRS for line in marked(*pair)]),
    "numbered.pdf": pdf([line for n, (q, a) in enumerate(PAIRS, 1) for line in (f"{n}. {q}", a)]),
}


@pytest.mark.parametrize("name", FILES)
def test_each_pair_of_a_file_is_one_chunk(name, tmp_path: Path):
    (tmp_path / name).write_bytes(FILES[name])
    document = parse(str(tmp_path / name), Settings())
    found = chunk_document(document, ChunkingSettings(mode="qa"), letters, 500)
    pairs = [("何时取样？", "2019 年。"), ("品位多少？", "0.85")] if name == "numbers.xlsx" else PAIRS
    texts = [squeezed([chunk.text]) for chunk in found]
    for question, answer in pairs:
        holding = [text for text in texts if squeezed([question]) in text]
        assert len(holding) == 1, texts
        assert squeezed([answer]) in holding[0]
        assert not any(squeezed([other]) in holding[0] for other, _ in pairs if other != question)
