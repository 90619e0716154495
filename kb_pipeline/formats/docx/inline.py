"""What stands in a paragraph: text as it is read, what is not shown, what is anchored there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from lxml import etree

from kb_pipeline.formats.building import characters
from kb_pipeline.formats.docx.equations import latex
from kb_pipeline.formats.docx.names import DGM, EMPTY, TICKED, WP, M, V, W, letters, source_text, symbol, value
from kb_pipeline.formats.docx.styles import Styles
from kb_pipeline.formats.drawingml import A, C
from kb_pipeline.formats.ooxml import R, integer
from kb_pipeline.text.drop_reasons import BACKGROUND_COLOURED, DELETED, HIDDEN_TEXT, STRUCK, TINY
from kb_pipeline.text.scripts import lowered, note_mark, raised

NOTES = {f"{W}footnoteReference": "footnotes", f"{W}endnoteReference": "endnotes"}
TEXTLESS = frozenset(f"{W}{name}" for name in ("pPr", "rPr", "sectPr", "instrText", "delInstrText", "sdtPr", "tblPr"))
SCRIPTS = {"superscript": raised, "subscript": lowered}
MIN_SHIFT = 4  # half points by which a run must be raised or lowered to be a super- or subscript
MAX_SHIFTED = 12  # characters of such a run; longer ones are set off for their looks
MAX_TINY = 2  # half points of type that no one can read
WHITE = 0xFA  # lowest of the three colours of what is not seen on paper


@dataclass
class Anchored:
    """What is anchored in a paragraph: `kind` is picture, box, chart or diagram.

    `target`: relationship id. `box`: the content of a text box. `alt`: its alternative text.
    """

    kind: str
    target: str = ""
    alt: str = ""
    box: etree._Element | None = None


@dataclass
class Inline:
    """A paragraph read.

    `source`: the file's own characters that `text` holds, `count` of them. `equations`: whether nothing else is in it.
    `notes`: (part, id) of foot- and endnotes. `bold`: whether all its text is.
    """

    text: str = ""
    source: str = ""
    equations: bool = False
    bold: bool = False
    notes: list[tuple[str, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    anchored: list[Anchored] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)

    @property
    def count(self) -> int:
        return characters(self.source)


class InlineReader:
    """Reads paragraphs in the order of the document, since fields go on over several.

    `fields`: instruction of each open field, and whether its result has begun. `numbers`: of notes, by part and id.
    """

    def __init__(self, styles: Styles, keep: Collection[str]):
        self.styles, self.keep = styles, keep
        self.fields: list[tuple[str, bool]] = []
        self.numbers: dict[tuple[str, str], int] = {}

    def read(self, paragraph: etree._Element) -> Inline:
        """Text and objects of a paragraph."""
        found = Inline()
        state = _State(found, self.styles.of(paragraph))
        self._children(paragraph, state)
        # an instruction ends with its paragraph: where its end was lost, what follows is not hidden by it
        self.fields = [one for one in self.fields if one[1]]
        found.text = "".join(state.parts).strip()
        found.equations = state.formulas > 0 and not state.words
        if found.equations:
            found.text = " ".join(part.strip().strip("$") for part in state.parts if part.strip())
        found.bold = state.words > 0 and state.bold == state.words
        return found

    @property
    def contents(self) -> bool:
        """Whether a table of contents is open."""
        return any(code.split()[:1] == ["TOC"] for code, _ in self.fields)

    def close_contents(self) -> None:
        """End a table of contents whose own end was lost."""
        self.fields = [(code, begun) for code, begun in self.fields if code.split()[:1] != ["TOC"]]

    def _children(self, element: etree._Element, state: _State) -> None:
        for child in element:
            self._one(child, state)

    def _one(self, element: etree._Element, state: _State) -> None:
        tag = element.tag
        if tag in TEXTLESS:
            if tag == f"{W}instrText" and self.fields and not self.fields[-1][1]:
                self.fields[-1] = (self.fields[-1][0] + (element.text or ""), False)
        elif tag in (f"{W}del", f"{W}moveFrom") and DELETED not in self.keep:
            state.found.dropped.append((source_text(element), DELETED))
        elif tag == f"{W}r":
            self._run(element, state)
        elif tag in (f"{M}oMath", f"{M}oMathPara"):
            self._equation(element, state)
        elif tag == f"{W}ruby":
            self._ruby(element, state)
        elif tag in (f"{W}commentRangeStart", f"{W}commentReference"):
            state.found.comments.append(value(element, "id"))
        else:
            self._children(element, state)

    def _run(self, run: etree._Element, state: _State) -> None:
        reason = self._unseen(run, state.style)
        bold = self.styles.switch(run, "b", state.style)
        script = self._script(run, state.style)
        for child in run:
            tag = child.tag
            if tag in (f"{W}t", f"{W}delText"):
                self._put(child.text or "", state, reason, bold, script)
            elif tag == f"{W}tab":
                state.parts.append("\t")
            elif tag in (f"{W}br", f"{W}cr"):
                state.parts.append("\n" if value(child, "type") in ("", "textWrapping") else " ")
            elif tag == f"{W}noBreakHyphen":
                self._put("-", state, reason, bold, script)
            elif tag == f"{W}sym":
                self._put(symbol(child), state, reason, bold, script)
            elif tag == f"{W}fldChar":
                self._field(child, state)
            elif tag in NOTES:
                self._note(child, state, run)
            elif tag in (f"{W}drawing", f"{W}pict", f"{W}object"):
                self._drawing(child, state)
            else:
                self._one(child, state)

    def _unseen(self, run: etree._Element, style: str) -> str:
        """Why a run's text is not read, empty where it is: hidden, struck out, tiny, or white on paper."""
        look, switch, keep = self.styles.look, self.styles.switch, self.keep
        if HIDDEN_TEXT not in keep and switch(run, "vanish", style):
            return HIDDEN_TEXT
        if STRUCK not in keep and (switch(run, "strike", style) or switch(run, "dstrike", style)):
            return STRUCK
        if TINY not in keep and integer(value(look(run, "sz", style)), 2 * MAX_TINY) <= MAX_TINY:
            return TINY
        white = _is_white(value(look(run, "color", style)))
        if white and BACKGROUND_COLOURED not in keep and not self._has_ground(run, style):
            return BACKGROUND_COLOURED
        return ""

    def _has_ground(self, run: etree._Element, style: str) -> bool:
        """Whether anything may lie beneath a run: its own shade, that of its paragraph, cell, table, box or page."""
        if any(self.styles.look(run, name, style) is not None for name in ("shd", "highlight")):
            return True
        for above in run.iterancestors(f"{W}p", f"{W}tc", f"{W}tbl", f"{W}txbxContent", f"{W}document"):
            name = etree.QName(above).localname
            if name == "txbxContent" or above.find(f"{W}background") is not None:
                return True
            if above.find(f"{W}{name}Pr/{W}shd") is not None or above.find(f"{W}tblPr/{W}tblStyle") is not None:
                return True
            if name == "p" and self.styles.shaded(above):
                return True
        return False

    def _script(self, run: etree._Element, style: str) -> str:
        """superscript, subscript or empty."""
        align = value(self.styles.look(run, "vertAlign", style))
        if align:
            return align if align in SCRIPTS else ""
        shift = integer(value(self.styles.look(run, "position", style)))
        if abs(shift) < MIN_SHIFT or len(source_text(run)) > MAX_SHIFTED:
            return ""
        return "superscript" if shift > 0 else "subscript"

    def _put(self, text: str, state: _State, reason: str, bold: bool, script: str = "") -> None:
        if not reason and any(not begun for _, begun in self.fields):
            reason = HIDDEN_TEXT
        if reason:
            state.found.dropped.append((text, reason))
            return
        if text[:1].isascii() and text[:1].isalnum() and state.parts and state.parts[-1].endswith("$"):
            state.parts.append(" ")
        count = characters(text)
        state.found.source += text
        state.words += count
        state.bold += count if bold else 0
        state.add(text, script)

    def _field(self, element: etree._Element, state: _State) -> None:
        kind = value(element, "fldCharType")
        if kind == "begin":
            self.fields.append(("", False))
            box = element.find(f"{W}ffData/{W}checkBox")
            if box is not None:
                ticked = box.find(f"{W}checked") if box.find(f"{W}checked") is not None else box.find(f"{W}default")
                on = ticked is not None and value(ticked, default="1") not in ("0", "false")
                state.parts.append(TICKED if on else EMPTY)
            chosen = _chosen(element)
            if chosen:
                state.parts.append(chosen)
        elif kind == "separate" and self.fields:
            self.fields[-1] = (self.fields[-1][0], True)
        elif kind == "end" and self.fields:
            self.fields.pop()

    def _note(self, element: etree._Element, state: _State, run: etree._Element) -> None:
        """A mark `[n]` in the text; none where the author set one."""
        key = NOTES[element.tag], value(element, "id")
        number = self.numbers.setdefault(key, len(self.numbers) + 1)
        state.found.notes.append(key)
        if value(element, "customMarkFollows") not in ("1", "true"):
            state.parts.append(note_mark(str(number), "".join(state.parts[-1:])))

    def _equation(self, element: etree._Element, state: _State) -> None:
        for one in element.iter(f"{W}del", f"{W}moveFrom"):
            state.found.dropped.append((source_text(one), DELETED))
        text = latex(element)
        if text:
            state.parts.append(f" ${text}$" if _in_text(state.parts) else f"${text}$")
            state.formulas += 1
        state.found.source += "".join(letters(one) for one in element.iter() if not _is_deleted(one, element))

    def _ruby(self, element: etree._Element, state: _State) -> None:
        """The base, and its reading in brackets."""
        base, above = element.find(f"{W}rubyBase"), element.find(f"{W}rt")
        if base is not None:
            self._children(base, state)
        if above is not None and source_text(above):
            state.parts.append("(")
            self._children(above, state)
            state.parts.append(")")

    def _drawing(self, element: etree._Element, state: _State) -> None:
        """Pictures, charts and text boxes of a drawing in order; text boxes inside of text boxes come with these."""
        alt = ""
        for part in _outside_boxes(element):
            tag = part.tag
            if tag == f"{WP}docPr" or tag.endswith("}cNvPr"):
                alt = " ".join((part.get("descr") or "").split()) or alt
            elif tag.startswith(V) and (words := part.get("alt")):
                alt = " ".join(words.split())
            if tag == f"{W}txbxContent":
                state.found.anchored.append(Anchored("box", box=part))
            elif tag == f"{A}blip" and (part.get(f"{R}embed") or part.get(f"{R}link")):
                state.found.anchored.append(Anchored("picture", part.get(f"{R}embed") or "", alt))
            elif tag == f"{V}imagedata" and part.get(f"{R}id"):
                state.found.anchored.append(Anchored("picture", part.get(f"{R}id", ""), alt))
            elif tag == f"{C}chart":
                state.found.anchored.append(Anchored("chart", part.get(f"{R}id", ""), alt))
            elif tag == f"{DGM}relIds":
                state.found.anchored.append(Anchored("diagram", part.get(f"{R}dm", ""), alt))


@dataclass
class _State:
    """A paragraph being read: parts of its text, how many characters of it are words, how many of these bold."""

    found: Inline
    style: str
    parts: list[str] = field(default_factory=list)
    words: int = 0
    bold: int = 0
    formulas: int = 0
    script: tuple[str, int, str] = ("", -1, "")  # of the last part: its kind, its index, its text as it is written

    def add(self, text: str, script: str) -> None:
        """Put text to the parts; raised or lowered text goes on with such before it."""
        if not script:
            self.parts.append(text)
            return
        kind, at, before = self.script
        if kind == script and at == len(self.parts) - 1:
            self.parts.pop()
            text = before + text
        self.parts.append(SCRIPTS[script](text))
        self.script = script, len(self.parts) - 1, text


def _is_white(colour: str) -> bool:
    try:
        return len(colour) == 6 and min(bytes.fromhex(colour)) >= WHITE
    except ValueError:
        return False


def _chosen(element: etree._Element) -> str:
    """The entry chosen in a drop-down form field; empty for other fields."""
    entries = element.findall(f"{W}ffData/{W}ddList/{W}listEntry")
    result = element.find(f"{W}ffData/{W}ddList/{W}result")
    default = element.find(f"{W}ffData/{W}ddList/{W}default")
    at = integer(value(result if result is not None else default), 0)
    return value(entries[at]) if 0 <= at < len(entries) else ""


def _in_text(parts: list[str]) -> bool:
    """Whether a space is wanted before an equation."""
    last = "".join(parts)[-1:]
    return bool(last) and last.isascii() and not last.isspace() and last not in "(["


def _is_deleted(element: etree._Element, within: etree._Element) -> bool:
    """Whether an element of an equation was struck out."""
    above = element
    while above is not None and above is not within:
        if above.tag in (f"{W}del", f"{W}moveFrom"):
            return True
        above = above.getparent()
    return False


def _outside_boxes(element: etree._Element):
    """Descendants in order, text boxes without what is in them."""
    for child in element:
        if not isinstance(child.tag, str):
            continue
        yield child
        if child.tag != f"{W}txbxContent":
            yield from _outside_boxes(child)
