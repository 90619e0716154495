"""Chunk mode `qa`: a question and its answer are one chunk; what is outside of pairs is cut by the general rule.

Pairs are found in tables (two columns, or columns named question and answer), and in the text in the first of these
forms that it has: lines marked 问/答 or Q/A; lines of two fields parted by tabs or commas; headings with what follows
them; numbered questions. An answer that does not fit beside its question is split, each part under the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kb_pipeline.chunking.layout import Row, TableText, table_text
from kb_pipeline.chunking.objects import VALUE
from kb_pipeline.chunking.packing import Packer
from kb_pipeline.chunking.source import ChunkSource
from kb_pipeline.chunking.spans import Plan, Span
from kb_pipeline.records import Section

_NUMBERED = r"(?:[（(]?\d{1,3}[)）.、．]?\s*)?"
_MARK = r"\s*[:：.、．]\s*"
_QUESTION_MARK = re.compile(rf"{_NUMBERED}(?:问题|问|提问|Question|Q)\s*\d{{0,3}}{_MARK}", re.I)
_ANSWER_MARK = re.compile(rf"{_NUMBERED}(?:答案|答|回答|答复|Answer|A)\s*\d{{0,3}}{_MARK}", re.I)
_INNER_MARK = re.compile(
    r"(?<=[\s。？！?!.;；”\"])(?:(?:问题|问|Question|Q)\s*\d{0,3}|(?:答案|答|回答|Answer|A)\s*\d{0,3})\s*[:：]\s*", re.I
)
_QUESTION_NAME = re.compile(r"\s*(?:问题?|提问|标准问|question|query|q|faq)s?\s*", re.I)
_ANSWER_NAME = re.compile(r"\s*(?:答案?|回答|答复|answer|reply|a)s?\s*", re.I)
_ITEM = re.compile(
    r"\s*(?:第\s*(\d{1,3}|[一二三四五六七八九十百]{1,4})\s*[条问题]|[（(]?(\d{1,3})[)）.、．]|([一二三四五六七八九十]{1,3})[、.．])"
)
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")}
DELIMITERS = ("\t", ",")
DELIMITED = 0.6  # share of the lines that have two fields
MIN_ITEMS = 2

Line = tuple[int, int, int]  # section, start, end


@dataclass
class Pair:
    """Spans of a question and of what answers it."""

    question: list[Span] = field(default_factory=list)
    answer: list[Span] = field(default_factory=list)


def plan_qa(source: ChunkSource) -> list[Plan]:
    """Plans of a document's chunks."""
    text = [i for i, section in enumerate(source.sections) if _is_text(section)]
    lines = [line for i in text for line in _lines(source.sections, i)]
    starts = _marked(source.sections, lines) or _delimited(source.sections, lines)
    if starts is None:
        starts = _headed(source.sections) or _numbered(source.sections)
    return _Pairing(source, starts or (lambda line: False)).plans


Starts = Callable[[Line], bool]
"""Whether a line begins a pair; other lines go on with it."""


class _Pairing:
    """Goes through the sections and gathers pairs; everything else goes to the packer."""

    def __init__(self, source: ChunkSource, starts: Starts):
        self.source, self.sections, self.starts = source, source.sections, starts
        self.packer: Packer = source.packer()
        self.pair: Pair | None = None
        for index, section in enumerate(self.sections):
            if _is_text(section):
                for line in _lines(self.sections, index):
                    self._line(line)
            elif section.role == "table":
                self._end()
                self._table(index)
            elif section.level and not starts((index, 0, len(section.text))):
                self._end()
                self.packer.add(index)
            elif section.level:
                self._line((index, 0, len(section.text)))
            else:
                self._end()
                self.packer.add(index)
        self._end()
        self.plans = self.packer.close()

    def _line(self, line: Line) -> None:
        if self.starts(line):
            self._end()
            self.pair = Pair([Span(*line)])
        elif self.pair is None:
            self.packer.add_span(Span(*line))
        else:
            self.pair.answer.append(Span(*line))

    def _end(self) -> None:
        """Close the pair at hand."""
        pair, self.pair = self.pair, None
        if pair is None:
            return
        if not pair.answer and self.sections[pair.question[0].section].level:
            self.packer.add_span(pair.question[0])  # a heading that nothing answers goes with what follows
            return
        self._emit(pair.question, pair.answer)

    def _emit(self, question: list[Span], answer: list[Span]) -> None:
        """A pair as one chunk, or as several where it is more than the embedding model reads."""
        lead = self.packer.lead(headings=True)
        first = question[0].section
        room, crumbs = self.source.rooms[first], self.source.crumbs[first]
        counts = self.source.counts
        if counts.spans([*lead, *question, *answer]) <= room or not answer:
            self.packer.plans.append(Plan("text", [*lead, *question, *answer]))
            return
        taken = counts.spans([*lead, *question])
        repeat = taken <= room / 2
        packer = Packer(
            self.sections, counts, room - taken if repeat else room, [room] * len(self.sections), overlap=0.0
        )
        for span in answer:
            packer.add_span(span)
        plans = packer.close()
        if not repeat:
            plans.insert(0, Plan("text", [*lead, *question]))
        if repeat:
            plans[0].spans = [*lead, *question, *plans[0].spans]
            for plan in plans[1:]:
                plan.spans = [*(span._replace(added="question") for span in question), *plan.spans]
                plan.crumbs = crumbs
        self.packer.plans += plans

    def _table(self, index: int) -> None:
        table = table_text(self.sections[index])
        columns = _columns(table)
        if columns is None:
            self.packer.add(index)
            return
        rows, head = table.body, table.head
        if table.caption:
            self.packer.add_span(Span(index, *table.caption))
        names = head[:1] if head and _names(head[0], columns) else ()
        rows, head = (*head[len(names) :], *rows), names  # a pair above a figure can look like a header
        named = TableText(None, tuple(head), tuple(rows))
        above = [Span(index, row.start, row.end) for row in head]  # the head's own text is in the first pair
        for row in rows:
            parts: list[list[Span]] = []
            for placed in row.cells:
                if placed.cell.text.strip():
                    headers = [] if above else named.headers_of(placed.cell)
                    value = Span(index, placed.start, placed.end, None, VALUE if headers else None)
                    parts.append([*(Span(index, h.start, h.end, "header") for h in headers), value])
            if parts:
                self._emit([*above, *parts[0]], [span for part in parts[1:] for span in part])
                above = []
        for span in above:
            self.packer.add_span(span)


def _is_text(section: Section) -> bool:
    return section.role not in ("table", "figure", "equation") and not section.level and bool(section.text.strip())


def _lines(sections: Sequence[Section], index: int) -> list[Line]:
    """Lines of a section, and parts of them that begin with a mark of their own (问：… 答：… on one line)."""
    text, found, start = sections[index].text, [], 0
    for line in text.split("\n"):
        end = start + len(line)
        marked = _QUESTION_MARK.match(line.lstrip()) or _ANSWER_MARK.match(line.lstrip())
        cuts = [match.start() for match in _INNER_MARK.finditer(text, start + 1, end)] if marked else []
        for a, b in zip([start, *cuts], [*cuts, end], strict=True):
            if text[a:b].strip():
                found.append((index, a, b))
        start = end + 1
    return found


def _marked(sections: Sequence[Section], lines: Sequence[Line]) -> Starts | None:
    """Lines marked 问/答, Q/A; None where there are not both."""
    kinds: dict[Line, str] = {}
    for line in lines:
        text = sections[line[0]].text[line[1] : line[2]].lstrip()
        if _QUESTION_MARK.match(text):
            kinds[line] = "question"
        elif _ANSWER_MARK.match(text):
            kinds[line] = "answer"
    if not {"question", "answer"} <= set(kinds.values()):
        return None
    return lambda line: kinds.get(line) == "question"


def _delimited(sections: Sequence[Section], lines: Sequence[Line]) -> Starts | None:
    """Lines of two fields, by the delimiter that fits more of them; None where too few have two."""
    texts = [sections[i].text[a:b] for i, a, b in lines]
    fits = {d: [_has_two_fields(text, d) for text in texts] for d in DELIMITERS}
    best = max(DELIMITERS, key=lambda d: sum(fits[d]))
    if len(texts) < MIN_ITEMS or sum(fits[best]) < max(MIN_ITEMS, DELIMITED * len(texts)):
        return None
    pairs = {line for line, fit in zip(lines, fits[best], strict=True) if fit}
    return lambda line: line in pairs


def _has_two_fields(text: str, delimiter: str) -> bool:
    return text.count(delimiter) == 1 and all(field.strip() for field in text.split(delimiter))


def _headed(sections: Sequence[Section]) -> Starts | None:
    """Every heading is a question, what follows it the answer; None where nothing has a heading."""
    answered = any(a.level and _is_text(b) for a, b in pairwise(sections))
    if not answered:
        return None
    return lambda line: bool(sections[line[0]].level)


def _numbered(sections: Sequence[Section]) -> Starts | None:
    """Numbered paragraphs whose numbers rise; None where there are too few."""
    found: set[int] = set()
    last: dict[int, int] = {}
    for index, section in enumerate(sections):
        match = _ITEM.match(section.text) if _is_text(section) else None
        if match:
            form = next(i for i, group in enumerate(match.groups()) if group)
            number = _value(match[form + 1])
            if form in last and number < last[form]:
                continue
            if last and form not in last:
                continue  # a numbering inside an answer
            last[form] = number
            found.add(index)
    if len(found) < MIN_ITEMS:
        return None
    return lambda line: line[0] in found and line[1] == 0


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    tens, _, ones = number.rpartition("十")
    value = (_DIGITS.get(tens, 1) * 10 if "十" in number else 0) + _DIGITS.get(ones, 0)
    return value


def _columns(table: TableText) -> tuple[int, int] | None:
    """Columns of questions and answers: named so, or the only two with text."""
    for row in table.head[:1]:
        named = [
            [p.cell.col for p in row.cells if name.fullmatch(p.cell.text)] for name in (_QUESTION_NAME, _ANSWER_NAME)
        ]
        if all(named):
            return named[0][0], named[1][0]
    rows: Sequence[Row] = (*table.head, *table.body)
    filled = sorted({p.cell.col for row in rows for p in row.cells if p.cell.text.strip()})
    return (filled[0], filled[1]) if len(filled) == 2 and all(row.cells for row in rows) else None


def _names(row: Row, columns: tuple[int, int]) -> bool:
    """Whether a header row names both columns."""
    names = dict(zip(columns, (_QUESTION_NAME, _ANSWER_NAME), strict=True))
    return all(
        any(p.cell.col == column and name.fullmatch(p.cell.text) for p in row.cells) for column, name in names.items()
    )
