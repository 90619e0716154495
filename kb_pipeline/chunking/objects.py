"""Tables, figures and formulas as chunks of their own; a long table splits between rows and repeats its header rows."""

from __future__ import annotations

from collections.abc import Sequence

from kb_pipeline.chunking.spans import Plan, Span
from kb_pipeline.chunking.split import CountMany, split_long
from kb_pipeline.records import ChunkKind, Section

KINDS: dict[str, ChunkKind] = {"table": "table", "figure": "figure", "equation": "equation"}
REPEATED = 0.4  # share of the limit that a caption and header rows may take to be repeated


def object_plans(
    sections: Sequence[Section],
    index: int,
    tokens: int,
    headings: list[Span],
    limit: int,
    count_many: CountMany,
) -> list[Plan]:
    """Plans of one object that holds text. `headings`: heading spans that travel with it."""
    section = sections[index]
    kind = KINDS[section.role]
    taken = sum(span.tokens + 1 for span in headings)
    if taken + tokens <= limit:
        return [Plan(kind, [*headings, Span(index, 0, len(section.text), tokens)])]
    head, body = _head_and_body(section, index, limit, count_many)
    return _packed(kind, headings, head, body, limit)


def _head_and_body(section: Section, index: int, limit: int, count_many: CountMany) -> tuple[list[Span], list[Span]]:
    """Spans that every part repeats (caption, header rows), and spans of the rows, none above the limit."""
    lines, start = [], 0
    for line in section.text.split("\n"):
        lines.append((start, start + len(line)))
        start += len(line) + 1
    lines = [(a, b) for a, b in lines if b > a]
    counts = count_many([section.text[a:b] for a, b in lines])
    size = _head_lines(section)
    head = [Span(index, a, b, n) for (a, b), n in zip(lines[:size], counts[:size], strict=True)]
    if sum(span.tokens + 1 for span in head) > REPEATED * limit:
        head, size = [], 0
    body: list[Span] = []
    for (a, b), n in zip(lines[size:], counts[size:], strict=True):
        if n <= limit:
            body.append(Span(index, a, b, n))
        else:
            parts = split_long(section.text, a, b, limit, count_many)
            body += [
                Span(index, p, q, m)
                for (p, q), m in zip(parts, count_many([section.text[p:q] for p, q in parts]), strict=True)
            ]
    return head, body


def _head_lines(section: Section) -> int:
    """Lines of a table's text that are its caption and its header rows."""
    rows: dict[int, bool] = {}
    filled: set[int] = set()
    for cell in section.cells:
        rows[cell.row] = rows.get(cell.row, False) or cell.header
        if cell.text.strip():
            filled.add(cell.row)
    head = 0
    for row in sorted(filled):
        if not rows[row]:
            break
        head += 1
    if head == len(filled):
        head = 0
    return head + bool(section.caption and section.text.startswith(section.caption))


def _packed(kind: ChunkKind, headings: list[Span], head: list[Span], body: list[Span], limit: int) -> list[Plan]:
    plans = [Plan(kind, [*headings, *head])]
    used = sum(span.tokens + 1 for span in plans[0].spans)
    for position, span in enumerate(body):
        if position and used + span.tokens + 1 > limit:
            plans.append(Plan(kind, [Span(h.section, h.start, h.end, h.tokens, repeated=True) for h in head]))
            used = sum(h.tokens + 1 for h in head)
        plans[-1].spans.append(span)
        used += span.tokens + 1
    return plans
