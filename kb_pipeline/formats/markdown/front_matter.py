"""Front matter: what stands between two rules at the head of a Markdown file, as names and values."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_LINES = 500  # a rule farther down closes no front matter
RULES = ("---", "+++")  # of YAML and TOML
_NAMED = re.compile(r"([^\s:=#\[\]{}'\"][^:=]{0,80}?)\s*[:=](?:\s+(.*)|)$")
_ENTRY = re.compile(r"\s*(?:-\s+)?(.*)$")


def read_front_matter(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """Properties by name, and the index of the first line behind the front matter; 0 where there is none.

    Lists become values parted by commas; what is nested deeper stays as it is written.
    """
    rule = lines[0].rstrip() if lines else ""
    if rule not in RULES:
        return {}, 0
    ends = (rule, "...") if rule == "---" else (rule,)
    end = next((i for i, line in enumerate(lines[1:MAX_LINES], 1) if line.rstrip() in ends), 0)
    inner = [line for line in lines[1:end] if line.strip() and not line.lstrip().startswith("#")]
    if not end or (inner and not _NAMED.match(inner[0])):
        return {}, 0
    found: dict[str, list[str]] = {}
    values: list[str] = []
    for line in inner:
        named = _NAMED.match(line)
        if named:
            values = found.setdefault(named[1].strip(), [])
        text = (named[2] or "") if named else _ENTRY.match(line)[1]  # type: ignore[index]
        values += _values(text.strip())
    return {name: ", ".join(values) for name, values in found.items()}, end + 1


def _values(text: str) -> list[str]:
    """The values of one line: those of a list in brackets, without quotes."""
    parts = text[1:-1].split(",") if text.startswith("[") and text.endswith("]") else [text]
    return [bare for part in parts if (bare := _bare(part.strip())) and bare not in ("|", ">", "|-", ">-")]


def _bare(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text
