"""Styles of a document, as far as they say what a paragraph is: heading, list, hidden, bold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from kb_pipeline.formats.docx.names import W, is_on, value
from kb_pipeline.formats.ooxml import integer

MAX_BASES = 20  # styles that one may build upon, in a row
BODY = 9  # outline level of what is no heading
_HEADING = re.compile(r"(?:heading|标题|標題|überschrift|titre|заголовок|見出し)\s*([1-9])", re.I)
_CONTENTS = re.compile(r"(?:toc|目录|目錄)\s*(?:\d|heading|标题)|table of figures|图表目录", re.I)


class Styles:
    """The styles part of a document."""

    def __init__(self, root: etree._Element | None):
        self._by_id: dict[str, etree._Element] = {}
        self._default = ""
        self._found: dict[tuple[str, str], etree._Element | None] = {}
        for style in root.iterfind(f"{W}style") if root is not None else ():
            self._by_id[value(style, "styleId")] = style
            if value(style, "type") == "paragraph" and value(style, "default") in ("1", "true"):
                self._default = value(style, "styleId")

    def of(self, paragraph: etree._Element) -> str:
        """Id of a paragraph's style."""
        return value(paragraph.find(f"{W}pPr/{W}pStyle"), default=self._default)

    def name(self, style: str) -> str:
        """A style's name, lower case; its id where it has none."""
        found = self._by_id.get(style)
        return value(found.find(f"{W}name") if found is not None else None, default=style).lower()

    def chain(self, style: str) -> Iterator[etree._Element]:
        """A style and those that it builds upon."""
        for _ in range(MAX_BASES):
            found = self._by_id.get(style)
            if found is None:
                return
            yield found
            style = value(found.find(f"{W}basedOn"))

    def heading_level(self, paragraph: etree._Element) -> int:
        """Level of a heading from 1, 0 for other paragraphs: its own outline level, else that of its style, else the
        style's name."""
        own = paragraph.find(f"{W}pPr/{W}outlineLvl")
        if own is not None:
            return _level(own)
        for style in self.chain(self.of(paragraph)):
            outline = style.find(f"{W}pPr/{W}outlineLvl")
            if outline is not None:
                return _level(outline)
            match = _HEADING.fullmatch(value(style.find(f"{W}name")).strip())
            if match:
                return int(match[1])
        return 0

    def is_title(self, paragraph: etree._Element) -> bool:
        """Whether a paragraph is the document's title."""
        return self.name(self.of(paragraph)) in ("title", "标题", "文档标题", "標題")

    def is_caption(self, paragraph: etree._Element) -> bool:
        """Whether a paragraph's style is that of captions."""
        return self.name(self.of(paragraph)) in ("caption", "题注", "標號", "图题", "表题", "图名", "表名")

    def is_contents(self, paragraph: etree._Element) -> bool:
        """Whether a paragraph's style is that of a table of contents."""
        return bool(_CONTENTS.match(self.name(self.of(paragraph))))

    def numbering(self, paragraph: etree._Element) -> tuple[str, int | None, str]:
        """Id of a paragraph's numbering (empty or "0": none), its level where one is given, and the style that gave it
        (empty where the paragraph itself does)."""
        own = paragraph.find(f"{W}pPr/{W}numPr")
        number = value(own.find(f"{W}numId")) if own is not None and own.find(f"{W}numId") is not None else ""
        level = integer(value(own.find(f"{W}ilvl"))) if own is not None and own.find(f"{W}ilvl") is not None else None
        if number:
            return number, level or 0, ""
        for style in self.chain(self.of(paragraph)):
            given = style.find(f"{W}pPr/{W}numPr")
            if given is not None and given.find(f"{W}numId") is not None:
                inner = given.find(f"{W}ilvl")
                found = level if level is not None else integer(value(inner)) if inner is not None else None
                return value(given.find(f"{W}numId")), found, value(style, "styleId")
        return "", None, ""

    def switch(self, run: etree._Element, name: str, style: str) -> bool:
        """A switch such as `vanish` or `b` of a run: its own, else that of its style, else that of the paragraph's."""
        return is_on(self.look(run, name, style))

    def look(self, run: etree._Element, name: str, style: str) -> etree._Element | None:
        """What a run says of its look, such as `color`: itself, else by its style, else by the paragraph's."""
        own = run.find(f"{W}rPr/{W}{name}")
        if own is not None:
            return own
        found = self._given(value(run.find(f"{W}rPr/{W}rStyle")), f"rPr/{W}{name}")
        return found if found is not None else self._given(style, f"rPr/{W}{name}")

    def shaded(self, paragraph: etree._Element) -> bool:
        """Whether a paragraph's style gives it a ground."""
        return self._given(self.of(paragraph), f"pPr/{W}shd") is not None

    def _given(self, style: str, path: str) -> etree._Element | None:
        """What a style or the first of those that it builds upon has at a path."""
        if (style, path) not in self._found:
            held = (one.find(W + path) for one in self.chain(style))
            self._found[style, path] = next((one for one in held if one is not None), None)
        return self._found[style, path]


def _level(outline: etree._Element) -> int:
    level = integer(value(outline), BODY)
    return level + 1 if 0 <= level < BODY else 0
