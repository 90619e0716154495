"""Chunk mode `manual`: a complete sub-chapter or clause is a chunk, under the line of the headings above it.

Sub-chapters follow the levels of headings; clauses (`第三条`, `4.2.1`) begin a chunk where they begin a paragraph, and
count as headings where they are short lines. What exceeds the limit is cut by the general rule, every part under the
same line. A heading stands in the line of the first chunk under it as that chunk's own text, in later ones repeated.
"""

from __future__ import annotations

import re

from kb_pipeline.chunking.packing import Packer
from kb_pipeline.chunking.passage import CRUMBS_SHARE
from kb_pipeline.chunking.source import ChunkSource
from kb_pipeline.chunking.spans import Plan, Span
from kb_pipeline.records import Section
from kb_pipeline.tokenization.sentences import sentence_ends

TITLE_CHARACTERS = 60  # longest line that can be a heading
BRACKETS = 6  # tokens of `] > [` at most
CLAUSE_DEPTH = 20  # below every heading level
_NUMBER = "一二三四五六七八九十百千零〇两\\d"
_CHINESE = re.compile(rf"\s*第\s*[{_NUMBER}]+\s*([编篇部章节条])(?:之[{_NUMBER}]+)?(?=[\s\u3000]|\S)")
_DECIMAL = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3}){1,5})(?:[.\s\u3000]+(?=[^\d\s])|(?=[\u4e00-\u9fff]))")
_RANKS = {"编": 1, "篇": 1, "部": 1, "章": 2, "节": 3, "条": 4}


def plan_manual(source: ChunkSource) -> list[Plan]:
    """Plans of a document's chunks."""
    source.counts.ahead()
    plans: list[Plan] = []
    trail: list[tuple[int, int]] = []  # (level, section) of the headings above
    fresh: set[int] = set()  # those among them that no chunk holds yet
    body: list[int] = []

    def end_unit() -> None:
        nonlocal body
        if body or fresh:
            plans.extend(_unit(source, [index for _, index in trail], fresh, body))
        body = []
        fresh.clear()

    numbers = {match[1] for section in source.sections if (match := _DECIMAL.match(section.text))}
    for index, section in enumerate(source.sections):
        level, heading = _topology(section, numbers)
        if not level or not section.text.strip():
            body.append(index)
            continue
        if body or any(depth >= level for depth, i in trail if i in fresh):
            end_unit()
        trail = [(depth, i) for depth, i in trail if depth < level]
        if heading:
            trail.append((level, index))
            fresh.add(index)
        else:
            body.append(index)
    end_unit()
    return plans


def _topology(section: Section, numbers: set[str]) -> tuple[int, bool]:
    """The level at which a section begins a unit, 0 where it begins none, and whether it is a heading.

    `numbers`: decimal numbers at heads of sections. One that has no sibling among them is a quantity (3.14 metres).
    """
    if section.level:
        return section.level, True
    if section.role != "text":
        return 0, False
    text = section.text.strip()
    chinese, decimal = _CHINESE.match(text), _DECIMAL.match(text)
    decimal = decimal if decimal and _has_sibling(decimal[1], numbers) else None
    if chinese:
        rank = _RANKS[chinese[1]]
    elif decimal:
        rank = 3 + decimal[1].count(".")
    else:
        return 0, False
    title = len(text) <= TITLE_CHARACTERS and "\n" not in text and not text.endswith(tuple("。；;.，,：:！？!?"))
    if chinese and rank < _RANKS["条"] and not title:  # 第三章规定… inside running text
        return 0, False
    return CLAUSE_DEPTH + rank, title and len(sentence_ends(text)) == 1


def _has_sibling(number: str, numbers: set[str]) -> bool:
    head, _, last = number.rpartition(".")
    return any(f"{head}.{int(last) + step}" in numbers for step in (-1, 1))


def _unit(source: ChunkSource, trail: list[int], fresh: set[int], body: list[int]) -> list[Plan]:
    """Chunks of one unit: its headings in one line, then its text."""
    demoted: list[int] = []
    sections, counts = source.sections, source.counts

    def taken() -> int:
        return sum(counts.of(i) + BRACKETS for i in trail)

    while trail and taken() > CRUMBS_SHARE * source.max_tokens:
        index = trail.pop(0)
        if index in fresh:  # its text must not be lost
            demoted, trail = [index, *[i for i in trail if i in fresh]], [i for i in trail if i not in fresh]
    crumbs = tuple(sections[i].text.strip() for i in trail)
    line = [
        Span(i, 0, len(sections[i].text), None if i in fresh else "heading", "] > [" if k else "[")
        for k, i in enumerate(trail)
    ]
    room = source.max_tokens - taken() - 1
    packer = Packer(
        sections, counts, min(source.soft, room), [room] * len(sections), source.settings.overlap, rows=False
    )
    for index in (*demoted, *body):
        packer.add(index)
    plans = packer.close()
    if not trail:
        return plans
    if not plans:
        return [Plan("text", line, crumbs, tail="]")]
    for number, plan in enumerate(plans):
        repeated = number or (plan.kind == "equation" and not plan.own)
        head = [span._replace(added="heading") for span in line] if repeated else line
        first = plan.spans[0]
        if first.start == first.end:  # an object without text
            plan.spans, plan.tail = [*head, *plan.spans], "]" + ("\n" + plan.tail if plan.tail else "")
        else:
            plan.spans = [*head, first._replace(before="]\n"), *plan.spans[1:]]
        plan.crumbs = crumbs
    return plans
