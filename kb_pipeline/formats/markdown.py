"""Markdown: headings, paragraphs, lists, code, pipe tables and pictures, with the lines that they come from.

Marks that only shape the text (`#`, table bars and rules, fences, quote bars) are dropped with the reason
"Markdown mark"; marks inside lines stay, since removing them would need a full inline parser and gains no reader.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from kb_pipeline.formats.charset import decode
from kb_pipeline.formats.lines import Builder, numbered
from kb_pipeline.records import ParsedDocument
from kb_pipeline.text.drop_reasons import MARKDOWN_MARK, PICTURE_ADDRESS

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??([ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_QUOTE = re.compile(r" {0,3}((?:> ?)+)(.*)$")
_TABLE_RULE = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_PICTURE = re.compile(r"\s*!\[([^\]]*)\](\([^)\s]*(?:\s+\"[^\"]*\")?\)|\[[^\]]*\])\s*$")
_BAR = re.compile(r"(?<!\\)\|")

Lines = list[tuple[int, str]]


def read_markdown(data: bytes, name: str, keep: Collection[str] = ()) -> ParsedDocument:
    """Sections of a Markdown file; every line is a locator of its own. `name` and `keep` are not needed to read it."""
    source = decode(data)
    lines = numbered(source.text)
    out = Builder()
    at = 0
    while at < len(lines):
        at = _block(lines, at, out)
    return out.document(source)


def _block(lines: Lines, at: int, out: Builder) -> int:
    """Read the block that starts at `lines[at]`; returns where the next one starts."""
    number, line = lines[at]
    if not line.strip():
        return at + 1
    heading = _HEADING.match(line)
    if heading:
        title = (heading.group(2) or "").strip()
        out.drop(heading.group(1) + (heading.group(3) or "").strip(), MARKDOWN_MARK, number)
        if title:
            out.add("title", [(number, title)], level=len(heading.group(1)))
        return at + 1
    fence = _FENCE.match(line)
    if fence:
        return _code(lines, at, fence, out)
    if _RULE.match(line):
        out.drop(line, MARKDOWN_MARK, number)
        return at + 1
    picture = _PICTURE.match(line)
    if picture:
        alt = picture.group(1).strip()
        out.drop("![]", MARKDOWN_MARK, number)
        out.drop(picture.group(2), PICTURE_ADDRESS, number)
        if alt:
            out.add("figure", [(number, alt)], caption=alt)
        return at + 1
    if at + 1 < len(lines) and "|" in line and _TABLE_RULE.match(lines[at + 1][1]) and _same_columns(lines, at):
        return _table(lines, at, out)
    return _paragraph(lines, at, out)


def _code(lines: Lines, at: int, fence: re.Match[str], out: Builder) -> int:
    """A fenced block, its lines as they are; one that is never closed ends with the file."""
    number, _ = lines[at]
    mark, language = fence.group(1), fence.group(2).strip()
    out.drop(mark + language, MARKDOWN_MARK, number)
    body: Lines = []
    at += 1
    while at < len(lines):
        number, line = lines[at]
        at += 1
        if line.strip().startswith(mark) and not line.strip().strip(mark[0]):
            out.drop(line, MARKDOWN_MARK, number)
            break
        body.append((number, line.rstrip()))
    while body and not body[0][1]:
        body.pop(0)
    while body and not body[-1][1]:
        body.pop()
    if body:
        out.add("text", body)
    return at


def _same_columns(lines: Lines, at: int) -> bool:
    return len(_cells(lines[at][1])) == len(_cells(lines[at + 1][1]))


def _table(lines: Lines, at: int, out: Builder) -> int:
    """A pipe table; a row of other length keeps all its cells."""
    width = len(_cells(lines[at][1]))
    rows: list[tuple[int, list[str]]] = []
    start = at
    while at < len(lines) and lines[at][1].strip() and (at <= start + 1 or "|" in lines[at][1]):
        number, line = lines[at]
        if at == start + 1:
            out.drop(line, MARKDOWN_MARK, number)
        else:
            cells = _cells(line)
            out.drop("|" * len(_BAR.findall(line)), MARKDOWN_MARK, number)
            rows.append((number, cells + [""] * (width - len(cells))))
        at += 1
    out.add_table(rows, header_rows=1)
    return at


def _cells(line: str) -> list[str]:
    text = line.strip().removeprefix("|")
    text = text[:-1] if text.endswith("|") and not text.endswith("\\|") else text
    return [cell.strip() for cell in _BAR.split(text)]


def _paragraph(lines: Lines, at: int, out: Builder) -> int:
    """Lines up to an empty one or the start of another block; list items are paragraphs of their own."""
    body: Lines = []
    while at < len(lines):
        number, line = lines[at]
        quote = _QUOTE.match(line)
        inner = quote.group(2) if quote else line
        underline = _UNDERLINE.match(line)
        if body and underline and not _ITEM.match(body[-1][1]):
            out.drop(line, MARKDOWN_MARK, number)
            _add(out, body, level=1 if underline.group(1)[0] == "=" else 2)
            return at + 1
        if not line.strip() or (body and _begins_block(lines, at)):
            break
        if quote:
            out.drop(quote.group(1), MARKDOWN_MARK, number)
        if inner.strip():
            body.append((number, inner.strip()))
        at += 1
        if quote and not inner.strip():
            break
    _add(out, body)
    return at


def _begins_block(lines: Lines, at: int) -> bool:
    line = lines[at][1]
    starts = (
        _HEADING.match(line) or _FENCE.match(line) or _RULE.match(line) or _ITEM.match(line) or _PICTURE.match(line)
    )
    table = at + 1 < len(lines) and "|" in line and _TABLE_RULE.match(lines[at + 1][1]) and _same_columns(lines, at)
    return bool(starts or table)


def _add(out: Builder, body: Lines, level: int = 0) -> None:
    if body:
        out.add("title" if level else "text", body, " " if level else "\n", level=level)
