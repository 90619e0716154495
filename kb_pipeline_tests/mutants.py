"""Damaged files: seeded mutants of small documents of every type that can be read."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from PIL import Image

from kb_pipeline_tests.office_bytes import PNG, cell, docx, heading, levels, listed, p, picture, row, table, workbook
from kb_pipeline_tests.office_bytes import rows as filled
from kb_pipeline_tests.pdf_bytes import document, page, stream, text

EXAMPLES = Path(__file__).parent.parent / "examples" / "documents"
LARGEST = 250_000  # bytes of an example that is worth mutating
MARKDOWN = """---
title: Pump manual
tags: [a, b]
---

# Start

Text with *marks*, [a link](http://a.b "t"), `code`, 50[^1] and <b>tags</b> &amp; entities.

- [x] item
  1. nested

| a | b |
|---|---|
| x\\|y | 2 |

```python
# code
```

<table><tr><th rowspan="2">K</th><td>V</td></tr><tr><td>1</td></tr></table>

[^1]: A note.
"""


def sources() -> dict[str, bytes]:
    """Small documents by name: those of the examples, and one of each further type."""
    found = {path.name: path.read_bytes() for path in sorted(EXAMPLES.iterdir()) if path.stat().st_size <= LARGEST}
    return found | _office() | _texts() | _pdfs() | _pictures()


def mutant(data: bytes, random_: random.Random) -> bytes:
    """The file with one to four faults; those of a packed file are within its members half of the time."""
    if data.startswith(b"PK") and random_.random() < 0.5:
        return _repacked(data, random_)
    for _ in range(random_.randint(1, 4)):
        data = random_.choice(FAULTS)(data, random_)
    return data


def _repacked(data: bytes, random_: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = random_.choice(sorted(parts))
    for _ in range(random_.randint(1, 4)):
        parts[name] = random_.choice(FAULTS)(parts[name], random_)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    return target.getvalue()


# ---------------------------------------------------------------- faults


def _cut(data: bytes, random_: random.Random) -> bytes:
    return data[: random_.randint(1, max(1, len(data)))]


def _flipped(data: bytes, random_: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random_.randint(1, 12)):
        if changed:
            changed[random_.randrange(len(changed))] ^= 1 << random_.randrange(8)
    return bytes(changed)


def _overwritten(data: bytes, random_: random.Random) -> bytes:
    at, length = random_.randrange(max(1, len(data))), random_.randint(1, 64)
    return (
        data[:at] + random_.choice((bytes(length), b"\xff" * length, random_.randbytes(length))) + data[at + length :]
    )


def _swapped(data: bytes, random_: random.Random) -> bytes:
    a, b, c, d = sorted(random_.randrange(len(data) + 1) for _ in range(4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _repeated(data: bytes, random_: random.Random) -> bytes:
    a = random_.randrange(len(data) + 1)
    b = min(len(data), a + random_.randint(1, 200))
    return data[:b] + data[a:b] * random_.choice((1, 3, 50)) + data[b:]


def _renumbered(data: bytes, random_: random.Random) -> bytes:
    """A digit run becomes a number at some bound."""
    places = [i for i, byte in enumerate(data) if 0x30 <= byte <= 0x39]
    if not places:
        return data
    at = random_.choice(places)
    return data[:at] + random_.choice((b"-1", b"0", b"99999999999", b"2147483647", b"1e308")) + data[at + 1 :]


FAULTS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _cut, _flipped, _overwritten, _swapped, _repeated, _renumbered,
)  # fmt: skip


# ---------------------------------------------------------------- documents


def _office() -> Mapping[str, bytes]:
    import xlwt

    body = (
        heading("Pumps") + p("Text of a paragraph.") + listed("one") + listed("two")
        + table(row("Hole", "Grade"), row(cell("ZK1", merge="restart"), "0.5"), row(cell("", merge="continue"), "0.6"))
        + p(picture("p1", "A picture"))
    )  # fmt: skip
    book, stream_ = xlwt.Workbook(), io.BytesIO()
    sheet = book.add_sheet("Holes")
    for r, values in enumerate((("Hole", "Depth"), ("ZK1", 12.5), ("ZK2", 13))):
        for c, value in enumerate(values):
            sheet.write(r, c, value)
    book.save(stream_)
    return {
        "a.docx": docx(body, media={"p1": PNG}, numbering=levels(("decimal", "%1.")), footnotes=""),
        "a.xlsx": workbook(filled(["Hole", "Depth"], ["ZK1", 12.5], ["ZK2", 13]), filled(["k", "v"], ["a", 1])),
        "a.xls": stream_.getvalue(),
    }


def _texts() -> Mapping[str, bytes]:
    rows_ = '孔号,深度,备注\nZK1,12.5,"a, b"\nZK2,13,c\n'
    return {
        "a.md": MARKDOWN.encode(),
        "a.csv": rows_.encode("utf-8"),
        "gb.csv": rows_.encode("gb18030"),
        "wide.csv": rows_.encode("utf-16"),
        "big5.txt": ("礦區位於省境東南部，交通方便。\n" * 5).encode("big5"),
    }


def _pdfs() -> Mapping[str, bytes]:
    lines = b"".join(text(f"Line {i} of a page, depth {i * 7} metres.", 72, 760 - 20 * i) for i in range(12))
    ruled = b"".join(b"72 %d m 400 %d l S\n" % (y, y) for y in range(300, 400, 20))
    return {
        "lines.pdf": document(page(lines), page(lines + ruled, rotate=90), outline=[("Start", 1, 700.0)]),
        "packed.pdf": document(
            page(lines, objects={"x1": stream(ruled, b"/Type /XObject /Subtype /Form", compress=True)})
        ),
    }


def _pictures() -> Mapping[str, bytes]:
    pixels = np.full((80, 240, 3), 255, np.uint8)
    pixels[20:60:8, 20:220] = 0
    image = Image.fromarray(pixels)
    found = {}
    for ending, kind in (
        ("png", "PNG"),
        ("jpg", "JPEG"),
        ("tif", "TIFF"),
        ("bmp", "BMP"),
        ("gif", "GIF"),
        ("webp", "WEBP"),
    ):
        target = io.BytesIO()
        image.save(target, kind)
        found[f"a.{ending}"] = target.getvalue()
    return found
