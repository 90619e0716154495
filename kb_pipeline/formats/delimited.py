"""CSV and TSV: one table, every cell with its lines and its place in the sheet; no row and no value is left out.

Delimiters and the quotes around fields are the file's syntax, as tags are in other formats, and not its text: the
character sum counts the values. Values stay as they are written: "007" is no number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from kb_pipeline.errors import FileTooLarge
from kb_pipeline.formats.building import SectionBuilder, cell_name, characters
from kb_pipeline.formats.charset import decode
from kb_pipeline.records import LineLocator, ParsedDocument, TableCell
from kb_pipeline.tables.headers import StyledCell, header_rows, is_figure, title_rows

DELIMITERS = (",", "\t", ";", "|")
MAX_CELLS = 1_000_000  # of a file: some 500 bytes each while it is read
RAGGED, SMALL = 4, 10_000  # cells per value, beyond that many, up to which short rows are filled up
MIN_SPLIT = 0.3  # share of the records that a delimiter must part
_GIVEN = re.compile(r'"?sep=([^\n"])"?[ \t]*(?:\n|\Z)', re.I)  # the line by which Excel is told the delimiter
MIN_REGULAR = 0.05  # by how much a delimiter must be more regular to count before one that gives more fields


class Record(NamedTuple):
    """Fields of lines `first`…`last` (from 1)."""

    first: int
    last: int
    fields: list[str]


def read_delimited(data: bytes, name: str, keep: Collection[str] = ()) -> ParsedDocument:
    """Sections of a CSV or TSV file: one table under its header, a long one in parts (building.py).

    The delimiter is the one that a first line `sep=;` gives, which is no row then; else the one by which the records of
    the whole file are most alike. Short rows are filled up with empty
    cells. Titles above the header are the table's caption.

    Raises:
        FileTooLarge: more than MAX_CELLS cells.
    """
    text, codec, notes = decode(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    given = _GIVEN.match(text)
    if given:
        found = [Record(one.first + 1, one.last + 1, one.fields) for one in records(text[given.end() :], given[1])]
    else:
        found = records(text, best_delimiter(text))
    filled = [(number, record) for number, record in enumerate(found) if any(map(str.strip, record.fields))]
    width = max((len(record.fields) for _, record in filled), default=0)
    count = sum(len(record.fields) for _, record in filled)
    if len(filled) * width > RAGGED * count + SMALL:
        width = 0  # a few rows are that long: the others are left as they are
    if max(count, len(filled) * width) > MAX_CELLS:
        raise FileTooLarge(
            f"{count} values are more than {MAX_CELLS} cells", document=name,
            remedy="split the file into parts",
        )  # fmt: skip
    out = SectionBuilder()
    rows = [_cells(number, record, width) for number, record in filled]
    looks = [[StyledCell(cell, is_figure(cell.text)) for cell in row] for row in rows[:300]]
    titles = title_rows([look for row in looks for look in row])
    heads = header_rows([look for row in looks[titles:] for look in row])
    if width == 1 and not heads:
        titles = 0
    caption, places = _caption(rows[:titles])
    if rows:
        out.append_rows(rows[titles:], heads, caption, places)
    out.count = sum(characters(cell.text) for row in rows for cell in row)
    return out.document_of(sum(characters(field) for record in found for field in record.fields), codec, notes)


def _cells(number: int, record: Record, width: int) -> list[TableCell]:
    """A record as a row of cells, line ends within a value as spaces."""
    fields = [*record.fields, *[""] * (width - len(record.fields))]
    return [
        TableCell(
            number, col, 1, 1, False, " ".join(field.strip().split("\n")),
            (LineLocator(record.first, record.last, range=cell_name(number, col)),),
        )
        for col, field in enumerate(fields)
    ]  # fmt: skip


def _caption(rows: Sequence[Sequence[TableCell]]) -> tuple[str, list[LineLocator]]:
    """Title rows as a caption, with its places."""
    text, places = "", []
    for cell in (cell for row in rows for cell in row if cell.text):
        text += "\n" if text else ""
        start, end = len(text), len(text) + len(cell.text)
        lines = [place for place in cell.locators if isinstance(place, LineLocator)]
        places += [msgspec.structs.replace(place, start=start, end=end) for place in lines]
        text += cell.text
    return text, places


# ---------------------------------------------------------------- records


def best_delimiter(text: str) -> str:
    """The delimiter that gives the most records the same number of fields; a line feed where none parts them."""
    scores: dict[str, tuple[float, int]] = {}
    for delimiter in DELIMITERS:
        if delimiter not in text:
            continue
        found = [record.fields for record in records(text, delimiter) if record.fields != [""]]
        sizes = Counter(len(fields) for fields in found)
        several = {size: count for size, count in sizes.items() if size > 1}
        if not several or sum(several.values()) < MIN_SPLIT * len(found):
            continue
        size = max(several, key=lambda size: (several[size], size))
        torn = sum(any(field.lstrip().startswith('"') for field in fields) for fields in found)
        scores[delimiter] = ((several[size] - torn) / len(found), size)
    if not scores:
        return "\n"
    most = max(share for share, _ in scores.values())
    near = [d for d in scores if scores[d][0] >= most - MIN_REGULAR]
    return max(near, key=lambda d: (scores[d][1], scores[d][0]))


def records(text: str, delimiter: str) -> list[Record]:
    """Records of a text with line feeds alone as line ends. A quote that does not enclose a field (none closes it, or
    more text follows) is a character like any other."""
    quoted = re.compile(rf'[ ]*"((?:[^"]++|"")*+)"[ \t]*(?={re.escape(delimiter)}|\n|\Z)')
    plain = re.compile(rf"[^{re.escape(delimiter)}\n]*")
    found: list[Record] = []
    at, line, length = 0, 1, len(text)
    while at < length:
        end = text.find("\n", at)
        end = length if end < 0 else end
        if text.find('"', at, end) < 0:
            found.append(Record(line, line, text[at:end].split(delimiter)))
            at, line = end + 1, line + 1
            continue
        fields, first = [], line
        while True:
            match = quoted.match(text, at)
            if match:
                fields.append(match[1].replace('""', '"'))
                line += match[0].count("\n")
            elif match := plain.match(text, at):  # it always does, be it on nothing
                fields.append(match[0])
            at = match.end() if match else at
            if at >= length or text[at] == "\n":
                break
            at += 1
        found.append(Record(first, line, fields))
        at, line = at + 1, line + 1
    return found
