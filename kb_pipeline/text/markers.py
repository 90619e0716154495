"""Shapes of text that begin or end a paragraph: list markers, numbered clauses, sentence ends, captions, leaders."""

from __future__ import annotations

import re

CHINESE_NUMBER = "一二三四五六七八九十百千零〇两"

_BULLET = re.compile(r"[•‣▪▫●○◦■□◆◇★☆➢✓·∙–—]")
_LONE_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}")
_CLAUSE = re.compile(
    rf"""(?:
      第\s*[{CHINESE_NUMBER}\d]+\s*[编篇章节条款部分]+
    | [{CHINESE_NUMBER}]{{1,3}}\s*[、.．]
    | [（(]\s*(?:[{CHINESE_NUMBER}]{{1,3}}|\d{{1,3}}|[a-zA-Z]|[ivx]{{1,4}})\s*[)）]
    | \d{{1,3}}\s*[、．]
    | \d{{1,3}}[.)](?=\s|[^\d\s.)])
    | \d{{1,2}}(?:\.\d{{1,3}}){{1,4}}\.?(?=\s+\S|[^\d\s.%,，、。；;)）]\D)
    | [a-zA-Z][.)]\s+(?=\S)
    | [①-⑳]
    | \[\d{{1,3}}\]\s*(?=\S)
    )""",
    re.X,
)
_EQUATION_NUMBER = re.compile(r"[(（]\s*(?:[A-Z][.\-–]?)?\d{1,3}(?:[.\-–—]\d{1,3}){0,2}[a-z]?\s*[)）]")
# lines of programs: braces, calls and assignments closed by a semicolon, operators that prose does not have, keywords
_CODE = re.compile(
    r"""[{}]\s*$ | \)\s*;\s*$ | =.*;\s*$ | ^\s*[)}\]]+[;,)]*\s*$ | [=!]=\s | =>|-> |:: | &&|\|\|
    | ^\s*(?://|/\*|\#include|\$\s) | ^\s*(?:return|break|continue)\b.*;\s*$
    | ^\s*(?:def|class|if|elif|else|for|while|try|except|with|switch|case)\b.*[:{]\s*$
    | ^\s*(?:import|from|return|var|let|const|public|private|static|void|print|SELECT|INSERT)\b.*[(;=]
    | ^\s*[a-z_][\w.]*\s=\s\S | ^\s*[A-Za-z_][\w.]*\([^()]*\)\s*$""",
    re.X,
)
_QUANTITY = re.compile(r"\d+\.\d+(?![.\d])")
_SENTENCE_END = re.compile(r"[。！？!?.;；:：…][\"'”’」』）)\]】》]*\s*$")
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:[·⋅∙]\s?){4,}|(?:．\s?){4,}|_{6,}")


def is_bullet(text: str) -> bool:
    """A bullet of its own, or at the head of an item."""
    return bool(_BULLET.match(text))


def is_clause(text: str) -> bool:
    """Begins with a numbered marker such as `1.`, `（一）`, `第三条`, `2.1 `, `[12]`."""
    return bool(_CLAUSE.match(text))


def is_quantity(text: str) -> bool:
    """Begins with a decimal number, which may as well be a clause's: `6.2 percent`, `2.1 Setting`."""
    return bool(_QUANTITY.match(text))


def is_equation_number(text: str) -> bool:
    """Nothing but a number in brackets, as displayed formulas have: `(12)`, `（5-1）`, `(A.3)`."""
    return bool(_EQUATION_NUMBER.fullmatch(text.strip()))


def is_code(text: str) -> bool:
    """Shaped like a line of a program."""
    return bool(_CODE.search(text))


def is_lone_marker(text: str) -> bool:
    """Nothing but a bullet, a marker or a number: its item stands beside it."""
    text = text.strip()
    return len(text) <= 6 and bool(_BULLET.fullmatch(text) or _LONE_NUMBER.fullmatch(text) or _only_clause(text))


def _only_clause(text: str) -> bool:
    match = _CLAUSE.match(text + " x")
    return match is not None and match.end() >= len(text)


def ends_sentence(text: str) -> bool:
    """Ends with a full stop, question mark, colon or the like, closing quotes and brackets aside."""
    return bool(_SENTENCE_END.search(text))


def has_leader(text: str) -> bool:
    """Holds the dots that lead to a page number in a table of contents, or a blank to fill in."""
    return bool(_LEADER.search(text))
