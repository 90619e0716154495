"""HTML within Markdown: its tags and texts with their places."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

# every "<" that begins none of these is text; none reaches over another "<", so that nothing is read twice
_TAG = re.compile(r"""<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9-]*+)(?P<given>(?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+)>""")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_SPAN = re.compile(r"""\b(rowspan|colspan)\s*=\s*["']?\s*(\d{1,6})\b""", re.I)
_ALTERNATIVE = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.I)


# tags within a line; every other one begins and ends a paragraph
PHRASES = frozenset((
    "a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img", "ins",
    "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt",
    "u", "var", "wbr",
))  # fmt: skip
# of any other name, such as `<host>`, is what a writer put in angles: text
TAGS = PHRASES | frozenset((
    "address", "article", "aside", "audio", "base", "big", "blockquote", "body", "button", "canvas", "caption",
    "center", "col", "colgroup", "datalist", "dd", "details", "dialog", "dir", "div", "dl", "dt", "embed",
    "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6",
    "head", "header", "hgroup", "hr", "html", "iframe", "input", "legend", "li", "link", "main", "map", "menu",
    "meta", "meter", "nav", "noscript", "object", "ol", "optgroup", "option", "output", "p", "param", "picture",
    "pre", "progress", "rp", "rt", "ruby", "script", "search", "section", "select", "slot", "source", "style",
    "summary", "svg", "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "title", "tr",
    "track", "ul", "video",
))  # fmt: skip


class Bit(NamedTuple):
    """A piece of HTML at `start:end`. `kind`: text, tag or comment; `text`: what it reads as."""

    kind: str
    start: int
    end: int
    text: str = ""
    name: str = ""
    closing: bool = False
    given: str = ""


def bits(source: str) -> Iterator[Bit]:
    """Texts, tags and comments in order; entities are texts of their own."""
    at = text = 0
    while at < len(source):
        at = source.find("<", at)
        if at < 0:
            break
        if source.startswith("<!--", at):
            end = source.find("-->", at)
            end = end + 3 if end >= 0 else len(source)
            found = Bit("comment", at, end, source[at + 4 : max(at + 4, end - 3)])
        elif source.startswith(("<!", "<?"), at):
            end = source.find(">", at)
            found = Bit("tag", at, end + 1 if end >= 0 else len(source))
        else:
            match = _TAG.match(source, at)
            if match is None or match["name"].lower() not in TAGS:
                at += 1
                continue
            given = match["given"]
            found = Bit("tag", at, match.end(), "", match["name"].lower(), bool(match["end"]), given)
        yield from _texts(source, text, at)
        yield found
        at = text = found.end
    yield from _texts(source, text, len(source))


def read_tag(source: str) -> Bit:
    """A single tag or comment; a text where its name is not one of HTML."""
    return next(bits(source))


def spans(given: str) -> dict[str, int]:
    """`rowspan` and `colspan` of a cell's attributes."""
    return {name.lower(): max(int(value), 1) for name, value in _SPAN.findall(given)}


def alternative(bit: Bit) -> tuple[int, int]:
    """Where the alternative text of an `img` tag is, in the text that holds the tag; an empty range for none."""
    match = _ALTERNATIVE.search(bit.given)
    if match is None:
        return bit.start, bit.start
    group = 1 if match[1] is not None else 2
    base = bit.end - 1 - len(bit.given)
    return base + match.start(group), base + match.end(group)


def decoded(entity: str) -> str:
    """What an entity stands for; a space for one that does not break."""
    return html.unescape(entity).replace("\xa0", " ")


def _texts(source: str, start: int, end: int) -> Iterator[Bit]:
    for match in _ENTITY.finditer(source, start, end):
        if match.start() > start:
            yield Bit("text", start, match.start(), source[start : match.start()])
        yield Bit("text", match.start(), match.end(), decoded(match[0]))
        start = match.end()
    if end > start:
        yield Bit("text", start, end, source[start:end])
