"""Inline text of Markdown as a reader sees it, with the place of each of its characters.

markdown-it tells what a piece of text is, and not where it stands. Each of its tokens has one form in the source, so
they are laid along it: what is between them are marks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, image, link
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from kb_pipeline.formats.markdown.markup import read_tag
from kb_pipeline.formats.markdown.source import Run
from kb_pipeline.text.drop_reasons import COMMENT, HTML_TAG, LINK_ADDRESS, PICTURE_ADDRESS, STRUCK
from kb_pipeline.text.scripts import lowered, note_mark, raised

MAX_NESTING = 60  # of lists, quotes and brackets; each takes several frames of Python's stack
MAX_INLINE = 20_000  # characters of a paragraph; a longer one is no writing, and stays as it is
SCRIPTS = {"sup": raised, "sub": lowered}
STRIKES = ("del", "s", "strike")
_BREAK = re.compile(r"[ \t\\]*\n[ \t]*")


def parser() -> MarkdownIt:
    """CommonMark with tables, strikethrough, footnotes and formulas, its tokens fit to be laid along the source."""
    md = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    md.use(footnote_plugin, inline=False, move_to_end=False)
    md.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, allow_blank_lines=False)
    md.inline.ruler2.disable("fragments_join")
    md.core.ruler.disable(["text_join", "inline"])
    md.inline.ruler.at("link", _ending(link))
    md.inline.ruler.at("image", _ending(image))
    return md


def _ending(rule):  # type: ignore[no-untyped-def]
    """The rule, noting at its last token where it ended."""

    def noting(state: StateInline, silent: bool) -> bool:
        matched = rule(state, silent)
        if matched and not silent:
            state.tokens[-1].meta["end"] = state.pos
        return matched

    return noting


@dataclass
class Inline:
    """What a block's content reads as.

    Attributes:
        runs: in the order of the content.
        notes: labels of the footnotes that it refers to.
        pictures: how many it holds.
        words: whether it holds text outside of pictures.
    """

    runs: list[Run] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    pictures: int = 0
    words: bool = False


def read_inline(md: MarkdownIt, env: dict, content: str, keep: Collection[str]) -> Inline:
    """Text of a block's content. `keep`: reasons for which text is not dropped."""
    if len(content) > MAX_INLINE:
        return Inline([Run(0, len(content), content)], words=True)
    tokens: list[Token] = []
    md.inline.parse(content, md, env, tokens)
    try:
        return _Walk(content, keep).read(tokens)
    except ValueError:  # tokens that do not fit the source: nothing is lost if it stays as it is
        return Inline([Run(0, len(content), content)], words=True)


class _Walk:
    """Tokens laid along their source."""

    def __init__(self, source: str, keep: Collection[str]):
        self.source, self.keep, self.found = source, keep, Inline()
        self.struck, self.script, self.auto = 0, "", False

    def read(self, tokens: Sequence[Token]) -> Inline:
        at = 0
        for token in tokens:
            at = self._token(token, at)
        return self.found

    def _token(self, token: Token, at: int) -> int:
        """Where the token ends that begins at `at`."""
        source, kind, mark = self.source, token.type, len(token.markup)
        if self.auto and kind != "link_close":
            return at  # an address in angles, read as a whole
        if kind == "text":
            if not source.startswith(token.content, at):
                raise ValueError("not the text that stands there")
            return self._text(at, at + len(token.content), token.content)
        if kind == "text_special":
            text = " " if token.content == "\xa0" else token.content
            return self._text(at, at + mark, text)
        if kind in ("softbreak", "hardbreak"):
            match = _BREAK.match(source, at)
            return match.end() if match else at
        if kind == "code_inline":
            end = _closing(source, at + mark, token.markup)
            inner = source[at + mark : end]
            cut = 1 if inner[:1] in (" ", "\n") and inner[-1:] in (" ", "\n") and inner.strip() else 0
            self._text(at + mark + cut, end - cut, inner[cut : len(inner) - cut])
            return end + mark
        if kind == "math_inline":
            end = at + 2 * mark + len(token.content)
            return self._text(at, end, source[at:end])
        if kind in ("s_open", "s_close"):
            self.struck += token.nesting
        elif kind == "link_open":
            self.auto = token.markup == "autolink"
            if not self.auto:
                return at + 1
            end = source.index(">", at)
            self._text(at + 1, end, source[at + 1 : end])
            return end + 1
        elif kind == "link_close":
            if not self.auto:
                return self._address(at, token.meta["end"], LINK_ADDRESS)
            self.auto = False
            return at
        elif kind == "image":
            return self._picture(token, at)
        elif kind == "html_inline":
            return self._tag(at, at + len(token.content))
        elif kind == "footnote_ref":
            label = token.meta["label"]
            self.found.notes.append(label)
            return self._text(at, at + len(label) + 3, note_mark(label, source[max(0, at - 1) : at]))
        return at + mark

    def _text(self, start: int, end: int, text: str) -> int:
        if self.script and text.strip():
            text = SCRIPTS[self.script](text)
        if self.struck:
            self._drop(start, end, STRUCK, text)
        elif end > start:
            self.found.runs.append(Run(start, end, text))
            self.found.words |= bool(text.strip())
        return end

    def _drop(self, start: int, end: int, reason: str, text: str) -> None:
        self.found.runs.append(Run(start, end, text, "" if reason in self.keep else reason))

    def _address(self, at: int, end: int, reason: str) -> int:
        """What follows the words of a link or picture: `](address)`, `][label]` or `]`."""
        if end > at + 1:
            self._drop(at + 1, end, reason, self.source[at + 1 : end])
        return end

    def _picture(self, token: Token, at: int) -> int:
        inner = _Walk(token.content, self.keep).read(token.children or ())
        self.found.runs += [run._replace(start=run.start + at + 2, end=run.end + at + 2) for run in inner.runs]
        self.found.pictures += 1
        return self._address(at + 2 + len(token.content), token.meta["end"], PICTURE_ADDRESS)

    def _tag(self, start: int, end: int) -> int:
        bit = read_tag(self.source[start:end])
        if bit.kind == "text":
            return self._text(start, end, self.source[start:end])
        if bit.kind == "comment":
            self._drop(start + 4, max(start + 4, end - 3), COMMENT, bit.text)
            return end
        if bit.name == "br" and not self.struck:
            self.found.runs.append(Run(start, start, "\n"))
        elif bit.name in SCRIPTS:
            self.script = "" if bit.closing else bit.name
        elif bit.name in STRIKES:
            self.struck = max(0, self.struck + (-1 if bit.closing else 1))
        self.found.runs.append(Run(start, end, self.source[start:end], HTML_TAG))
        return end


def _closing(source: str, at: int, mark: str) -> int:
    """Where the run of exactly these backticks begins that closes a code span."""
    while True:
        at = source.index("`", at)
        end = at
        while source[end : end + 1] == "`":
            end += 1
        if end - at == len(mark):
            return at
        at = end
