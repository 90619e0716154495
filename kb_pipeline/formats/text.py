"""Plain text: paragraphs parted by empty lines, with the lines that they come from."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from kb_pipeline.formats.charset import decode
from kb_pipeline.formats.lines import Builder, numbered
from kb_pipeline.records import ParsedDocument
from kb_pipeline.text.joining import separator
from kb_pipeline.text.markers import ends_sentence, is_bullet, is_clause

WRAPPED = (40, 120)  # characters of the longest lines of text that an editor wrapped
FULL = 0.7  # share of the longest line that wrapped lines reach, save the last of a paragraph
MIN_FULL_SHARE = 0.7  # share of inner lines that must do so

_CHAPTER = re.compile(
    r"(?:第[一二三四五六七八九十百千零〇两\d]+[章回卷编篇]|(?:chapter|part|book)\s+(?:\d+|[ivxlc]+))\b.{0,40}$", re.I
)

Lines = list[tuple[int, str]]


def read_text(data: bytes, name: str, keep: Collection[str] = ()) -> ParsedDocument:
    """Sections of a plain text file; every line is a locator of its own. `name` and `keep` are not needed."""
    source = decode(data)
    blocks = _blocks(numbered(source.text))
    wrapped = _is_wrapped(blocks)
    out = Builder()
    for block in blocks:
        if len(block) == 1 and _CHAPTER.match(block[0][1].strip()):
            out.add("title", [(block[0][0], block[0][1].strip())], level=1)
        elif wrapped:
            for paragraph in _paragraphs(block):
                stripped = [(number, line.strip()) for number, line in paragraph]
                out.add("text", stripped, [separator(a, b) for (_, a), (_, b) in pairwise(stripped)])
        else:
            out.add("text", block)
    return out.document(source)


def _blocks(lines: Lines) -> list[Lines]:
    """Lines between empty lines."""
    blocks: list[Lines] = [[]]
    for number, line in lines:
        if line.strip():
            blocks[-1].append((number, line.rstrip()))
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _is_wrapped(blocks: Sequence[Lines]) -> bool:
    """Whether line ends are an editor's: inner lines of blocks are about equally long and few end a sentence."""
    inner = [line for block in blocks for _, line in block[:-1]]
    if len(inner) < 3:
        return False
    longest = sorted(len(line) for line in inner)[int(0.95 * (len(inner) - 1))]
    full = sum(len(line) >= FULL * longest for line in inner)
    ended = sum(ends_sentence(line) for line in inner)
    return WRAPPED[0] <= longest <= WRAPPED[1] and full >= MIN_FULL_SHARE * len(inner) and ended <= 0.5 * len(inner)


def _paragraphs(block: Lines) -> list[Lines]:
    """A block of wrapped lines parted at indents, bullets and numbered items."""
    margin = min(len(line) - len(line.lstrip()) for _, line in block)
    parts: list[Lines] = []
    for number, line in block:
        indent = len(line) - len(line.lstrip()) - margin
        before = parts[-1][-1][1] if parts else ""
        fresh = is_bullet(line.strip()) or (is_clause(line.strip()) and ends_sentence(before)) or indent >= 2
        if parts and not fresh:
            parts[-1].append((number, line))
        else:
            parts.append([(number, line)])
    return parts
