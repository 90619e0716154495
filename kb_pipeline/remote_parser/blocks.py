"""A page of the answer as pieces in one form, whether the service gave blocks with boxes or Markdown alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from kb_pipeline.records import Box, Role
from kb_pipeline.remote_parser.answer import RemoteBlock, RemotePage
from kb_pipeline.text.drop_reasons import PAGE_NUMBER, RUNNING_FOOTER, RUNNING_HEADER
from kb_pipeline.text.joining import separator

PieceRole = Role | Literal["caption"]  # a caption of whatever stands beside it

ROLES: Mapping[str, PieceRole] = {
    "doc_title": "title",
    "paragraph_title": "title",
    "reference": "reference",
    "reference_content": "reference",
    "formula": "equation",
    "display_formula": "equation",
    "image": "figure",
    "figure": "figure",
    "chart": "figure",
    "seal": "figure",
    "table": "table",
    "figure_title": "figure caption",
    "chart_title": "figure caption",
    "table_title": "table caption",
    "figure_table_chart_title": "caption",
}
"""Roles by the service's labels; every other label is text."""

NOISE = {
    "header": RUNNING_HEADER,
    "header_image": RUNNING_HEADER,
    "footer": RUNNING_FOOTER,
    "footer_image": RUNNING_FOOTER,
    "number": PAGE_NUMBER,
}
"""Reasons by the labels of what stands in the margins of a page."""

AS_WRITTEN = ("content", "algorithm", "formula", "display_formula")  # labels whose line breaks count
TITLE_LEVELS = {"doc_title": 1, "paragraph_title": 2}  # where the Markdown does not say
DEEPEST = 6

NAMED_BOX = re.compile(r"_(\d+)_(\d+)_(\d+)_(\d+)\.\w+$")  # `imgs/img_in_image_box_10_20_300_400.jpg`
NEAR = 2.0  # pixels between a box and the one in a picture's name

_PICTURE = re.compile(r"""<img\b[^>]*?\bsrc\s*=\s*["']([^"']*)["'][^>]*>|!\[[^\]]*\]\(\s*<?([^)\s>]*)>?[^)]*\)""", re.I)
_TABLE = re.compile(r"<table\b.*?</table\s*>", re.I | re.DOTALL)
_FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
_OBJECT = re.compile(f"({_TABLE.pattern})|({_PICTURE.pattern})|({_FORMULA.pattern})", re.I | re.DOTALL)
_CENTRED = re.compile(r"<div\b[^>]*text-align:\s*center[^>]*>", re.I)
_WRAPPER = re.compile(r"</?(?:div|center|html|body|p|span|font)\b[^<>]*>", re.I)
_BREAK = re.compile(r"<br\s*/?>", re.I)
_HEADING = re.compile(r"(#{1,6})\s+(.+)")


@dataclass(frozen=True)
class Piece:
    """One paragraph, heading, table, figure or formula of a page.

    Attributes:
        text: what it says; of a table the HTML.
        box: in pixels of the picture that the service saw, None where it gives none.
        level: of a heading, from 1.
        image: name of its picture.
        reason: why it is to be dropped; empty for what stays.
    """

    role: PieceRole
    text: str
    box: Box | None = None
    level: int = 0
    image: str = ""
    reason: str = ""


def page_pieces(page: RemotePage) -> list[Piece]:
    """The pieces of a page in reading order; every picture of the answer is named by one of them.

    Blocks are taken where they say anything, since they know their places and the margins' text; else the Markdown.
    """
    told = any(block.content.strip() for block in page.blocks)
    pieces = _from_blocks(page) if told else _from_markdown(page.markdown)
    pieces = _with_images(pieces, page)
    named = {piece.image for piece in pieces}
    return pieces + [Piece("figure", "", image=name) for name in page.images if name not in named]


# ---------------------------------------------------------------- blocks


def _from_blocks(page: RemotePage) -> list[Piece]:
    levels = {piece.text: piece.level for piece in _from_markdown(page.markdown) if piece.level}
    return [piece for block in page.blocks for piece in _pieces_of(block, levels)]


def _pieces_of(block: RemoteBlock, levels: Mapping[str, int]) -> list[Piece]:
    role = ROLES.get(block.label, "text")
    content = block.content.strip()
    if block.label in NOISE:
        return [Piece("text", _plain(content), block.box, reason=NOISE[block.label])]
    if _TABLE.search(content):
        return [Piece("table", content, block.box)]
    if role == "figure":
        images = [a or b for a, b in _PICTURE.findall(content)]
        return [Piece("figure", _plain(content), block.box, image=images[0] if images else "")] + [
            Piece("figure", "", block.box, image=name) for name in images[1:]
        ]
    text = _plain(content)
    if block.label not in AS_WRITTEN:
        text = _joined(text)
    if role == "equation":
        text = text.strip("$ \n")
    found = [Piece("figure", "", block.box, image=a or b) for a, b in _PICTURE.findall(content)]
    if not text:
        return found
    level = 0
    if role == "title":
        heading = _HEADING.fullmatch(text)
        text = heading[2] if heading else text
        level = levels.get(text) or (len(heading[1]) if heading else TITLE_LEVELS[block.label])
    return [Piece(role, text, block.box, level), *found]


def _plain(content: str) -> str:
    """Content without pictures and without the tags that only place it."""
    return _BREAK.sub("\n", _WRAPPER.sub("", _PICTURE.sub("", content))).strip()


def _joined(text: str) -> str:
    """The lines of a paragraph as one."""
    whole = ""
    for line in filter(None, (line.strip() for line in text.split("\n"))):
        whole += separator(whole, line) + line
    return whole


def _with_images(pieces: list[Piece], page: RemotePage) -> list[Piece]:
    """Figures without a picture's name get theirs: by the box in the name, else the next that no piece names."""
    named = {piece.image for piece in pieces if piece.image}
    free = [name for name in _in_order(page) if name not in named]
    found: dict[int, str] = {}
    for by_box in (True, False):
        for i, piece in enumerate(pieces):
            if piece.role != "figure" or piece.image or i in found:
                continue
            name = next((n for n in free if not by_box or _same_box(n, piece.box)), "")
            # a figure whose neighbours' pictures bear boxes in their names has none of its own
            if name and (by_box or not NAMED_BOX.search(name)):
                found[i] = name
                free.remove(name)
    return [replace(piece, image=found.get(i, piece.image)) for i, piece in enumerate(pieces)]


def _in_order(page: RemotePage) -> list[str]:
    """Picture names in the order of the Markdown, then those that it does not show."""
    shown = [a or b for a, b in _PICTURE.findall(page.markdown)]
    return list(dict.fromkeys([name for name in shown if name in page.images] + list(page.images)))


def _same_box(name: str, box: Box | None) -> bool:
    numbers = NAMED_BOX.search(name)
    if numbers is None or box is None:
        return False
    return all(abs(float(a) - b) <= NEAR for a, b in zip(numbers.groups(), box, strict=True))


# ---------------------------------------------------------------- Markdown


def _from_markdown(text: str) -> list[Piece]:
    pieces: list[Piece] = []
    at = 0
    for match in _OBJECT.finditer(text):
        pieces += _paragraphs(text[at : match.start()])
        at = match.end()
        if match[1]:
            pieces.append(Piece("table", match[1]))
        elif match[2]:
            pieces.append(Piece("figure", "", image=match[3] or match[4] or ""))
        else:
            pieces.append(Piece("equation", match[6].strip()))
    return pieces + _paragraphs(text[at:])


def _paragraphs(text: str) -> list[Piece]:
    pieces = []
    for paragraph in re.split(r"\n\s*\n", text):
        centred = bool(_CENTRED.search(paragraph))
        lines: list[str] = []
        for line in _plain(paragraph).split("\n"):
            heading = _HEADING.fullmatch(line.strip())
            if heading:
                pieces += _paragraph(lines, centred)
                pieces.append(Piece("title", heading[2].strip(), level=len(heading[1])))
                lines = []
            else:
                lines.append(line)
        pieces += _paragraph(lines, centred)
    return pieces


def _paragraph(lines: list[str], centred: bool) -> list[Piece]:
    text = _joined("\n".join(lines))
    return [Piece("caption" if centred else "text", text)] if text else []
