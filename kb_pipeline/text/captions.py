"""Captions by their text: which kind of object a paragraph's head names.

A sentence that merely begins with "Figure 2 shows" or "表1显示" is text.
"""

from __future__ import annotations

import re

_NUMBER = r"\s*[\(（]?\s*(?:[A-Z]?\d+|[IVX]+|[A-Z](?=[\s.:：\-]))(?:\s*[.\-–—．·]\s*[\dA-Z]+)*[a-z]?\s*[\)）]?"
_TABLE = re.compile(rf"(?:续\s*表|附\s*表|表|Table|TABLE|Tab\.){_NUMBER}")
_FIGURE = re.compile(rf"(?:附\s*图|图|Figure|FIGURE|Fig\.?|FIG\.?|Plate|Chart|Scheme){_NUMBER}")
_VERB = re.compile(
    r"""\s*(?:中|的|为|是|所|显示|显|表明|说明|给出|列出|可见|可知|可以|反映|展示|示出|示意了|描述|和|与|及|、|至|以|给|列|则|对|，|,
    |(?:shows?|presents?|lists?|gives?|depicts?|illustrates?|compares?|summari[sz]es?|reports?|provides?|contains?|displays?
    |describes?|indicates?|demonstrates?|reveals?|plots?|details?|outlines?|suggests?|includes?|and|or|is|are|was|were|we|to
    |in|for|that|has|have|can|also|below|above|on|of|with|at|by|which)\b)""",
    re.X,
)


def caption_kind(text: str) -> str:
    """ "table" or "figure" for the head of a caption, "" for everything else."""
    for kind, pattern in (("table", _TABLE), ("figure", _FIGURE)):
        match = pattern.match(text)
        if match and not _VERB.match(text, match.end()):
            return kind
    return ""


def is_caption(text: str) -> bool:
    """Whether a paragraph that begins with this text is a caption."""
    return bool(caption_kind(text))
