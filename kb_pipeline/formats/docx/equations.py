"""Equations of Office (OMML) as LaTeX (ECMA-376 part 1, 22.1)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from lxml import etree

from kb_pipeline.formats.docx.names import M, W, letters

FUNCTIONS = frozenset((
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "ln", "lg",
    "exp", "lim", "max", "min", "sup", "inf", "det", "dim", "ker", "gcd", "arg",
))  # fmt: skip
NEXT_ROW = r" \\ "
NUMBERED = r" \quad "
SIGNS = {
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint", "⋃": r"\bigcup",
    "⋂": r"\bigcap", "∞": r"\infty", "×": r"\times", "÷": r"\div", "±": r"\pm", "∓": r"\mp", "≤": r"\le", "≥": r"\ge",
    "≠": r"\ne", "≈": r"\approx", "≡": r"\equiv", "∈": r"\in", "∉": r"\notin", "⊂": r"\subset", "⊆": r"\subseteq",
    "∪": r"\cup", "∩": r"\cap", "→": r"\to", "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow", "↔": r"\leftrightarrow",
    "∂": r"\partial", "∇": r"\nabla", "∀": r"\forall", "∃": r"\exists", "⋅": r"\cdot", "·": r"\cdot", "∙": r"\cdot",
    "…": r"\ldots", "⋯": r"\cdots", "√": r"\surd", "∝": r"\propto", "⊥": r"\perp", "∥": r"\parallel", "∠": r"\angle",
    "°": r"^{\circ}", "−": "-", "∗": "*", "ℝ": r"\mathbb{R}", "ℕ": r"\mathbb{N}", "ℤ": r"\mathbb{Z}",
    "ℚ": r"\mathbb{Q}", "ℂ": r"\mathbb{C}", "∅": r"\emptyset",
    "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee", "⊕": r"\oplus", "⊗": r"\otimes",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ϵ": r"\epsilon",
    "ζ": r"\zeta", "η": r"\eta", "θ": r"\theta", "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu",
    "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau", "υ": r"\upsilon",
    "φ": r"\varphi", "ϕ": r"\phi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "Γ": r"\Gamma", "Δ": r"\Delta",
    "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi", "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi",
    "Ω": r"\Omega", "#": r"\#", "%": r"\%", "$": r"\$", "&": r"\&", "{": r"\{", "}": r"\}",
}  # fmt: skip
ACCENTS = {
    "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u0307": "dot", "\u0308": "ddot",
    "\u20d7": "vec", "\u030c": "check", "\u0306": "breve", "\u0301": "acute", "\u0300": "grave",
}  # fmt: skip
FENCES = {"{": r"\{", "}": r"\}", "⟨": r"\langle", "⟩": r"\rangle", "‖": r"\|", "⌊": r"\lfloor", "⌋": r"\rfloor",
          "⌈": r"\lceil", "⌉": r"\rceil", "": "."}  # fmt: skip


def latex(element: etree._Element) -> str:
    """An equation (`m:oMath`, or an `m:oMathPara` with several) as LaTeX without delimiters."""
    if element.tag == f"{M}oMathPara":
        return NEXT_ROW.join(filter(None, (latex(one) for one in element.iter(f"{M}oMath"))))
    return " ".join(_inner(element).split())


def _inner(element: etree._Element | None) -> str:
    """Children of an element one after the other; properties say nothing."""
    if element is None:
        return ""
    return "".join(_one(child) for child in element)


def _one(element: etree._Element) -> str:
    name = etree.QName(element).localname
    if element.tag == f"{M}r":
        return _run(element)
    if name.endswith("Pr") or element.tag in (f"{W}del", f"{W}moveFrom"):
        return ""
    form = FORMS.get(name) if element.tag.startswith(M) else None
    if form:
        return form(element)
    if element.tag == f"{W}r":
        return _letters("".join(letters(piece) for piece in element.iter()))
    return _inner(element)


def _run(element: etree._Element) -> str:
    text = "".join(letters(piece) for piece in element.iter())
    plain = element.find(f"{M}rPr/{M}nor") is not None
    if plain and text.strip() and text.strip() not in FUNCTIONS:
        return rf"\text{{{text}}}"
    return _letters(text)


def _letters(text: str) -> str:
    """Characters with signs as commands, a space after a command that a letter follows; function names upright."""
    if text.strip() in FUNCTIONS:
        return rf"\{text.strip()} "
    out = ""
    for character in text:
        sign = SIGNS.get(_plain(character), _plain(character))
        if out and sign[:1].isalnum() and out[-1].isalpha() and _ends_command(out):
            out += " "
        out += sign
    return out + " " if _ends_command(out) else out


def _ends_command(text: str) -> bool:
    head = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return head.endswith("\\") and len(head) < len(text)


def _plain(character: str) -> str:
    """Mathematical italic and bold letters as letters."""
    return unicodedata.normalize("NFKC", character) if "\U0001d400" <= character <= "\U0001d7ff" else character


def _part(element: etree._Element, name: str) -> str:
    return _inner(element.find(M + name)).strip()


def _mark(element: etree._Element, path: str, default: str = "") -> str:
    found = element.find("/".join(M + step for step in path.split("/")))
    return default if found is None else found.get(f"{M}val", default)


def _on(element: etree._Element, path: str) -> bool:
    found = element.find("/".join(M + step for step in path.split("/")))
    return found is not None and found.get(f"{M}val", "1") not in ("0", "off", "false")


def _fraction(element: etree._Element) -> str:
    above, below = _part(element, "num"), _part(element, "den")
    kind = _mark(element, "fPr/type", "bar")
    if kind == "lin":
        return f"{above}/{below}"
    return rf"\binom{{{above}}}{{{below}}}" if kind == "noBar" else rf"\frac{{{above}}}{{{below}}}"


def _root(element: etree._Element) -> str:
    degree = "" if _on(element, "radPr/degHide") else _part(element, "deg")
    return rf"\sqrt[{degree}]{{{_part(element, 'e')}}}" if degree else rf"\sqrt{{{_part(element, 'e')}}}"


def _scripts(element: etree._Element) -> str:
    base = _part(element, "e")
    below = f"_{{{_part(element, 'sub')}}}" if element.find(f"{M}sub") is not None else ""
    above = f"^{{{_part(element, 'sup')}}}" if element.find(f"{M}sup") is not None else ""
    if element.tag == f"{M}sPre":
        return f"{{}}{below}{above}{base}"
    return f"{base}{below}{above}"


def _large(element: etree._Element) -> str:
    sign = _mark(element, "naryPr/chr", "∫")
    below = "" if _on(element, "naryPr/subHide") else _part(element, "sub")
    above = "" if _on(element, "naryPr/supHide") else _part(element, "sup")
    head = SIGNS.get(sign, sign) + (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
    return f"{head} {_part(element, 'e')}"


def _fenced(element: etree._Element) -> str:
    first, last = _mark(element, "dPr/begChr", "("), _mark(element, "dPr/endChr", ")")
    between = _mark(element, "dPr/sepChr", "|")
    inner = between.join(_inner(part).strip() for part in element.iterfind(f"{M}e"))
    return rf"\left{FENCES.get(first, first)} {inner} \right{FENCES.get(last, last)}"


def _function(element: etree._Element) -> str:
    name = _part(element, "fName")
    return (
        f"{name} {_part(element, 'e')}" if name.startswith("\\") else rf"\operatorname{{{name}}} {_part(element, 'e')}"
    )


def _accent(element: etree._Element) -> str:
    accent = ACCENTS.get(_mark(element, "accPr/chr", "\u0302"), "hat")
    return rf"\{accent}{{{_part(element, 'e')}}}"


def _bar(element: etree._Element) -> str:
    over = _mark(element, "barPr/pos", "bot") == "top"
    return rf"\{'overline' if over else 'underline'}{{{_part(element, 'e')}}}"


def _brace(element: etree._Element) -> str:
    over = _mark(element, "groupChrPr/pos", "bot") == "top"
    return rf"\{'overbrace' if over else 'underbrace'}{{{_part(element, 'e')}}}"


def _matrix(element: etree._Element) -> str:
    rows = [" & ".join(_inner(cell).strip() for cell in row.iterfind(f"{M}e")) for row in element.iterfind(f"{M}mr")]
    return rf"\begin{{matrix}} {NEXT_ROW.join(rows)} \end{{matrix}}"


def _array(element: etree._Element) -> str:
    """Equations one below the other; what stands behind `#` is an equation's number."""
    rows = [NUMBERED.join(_inner(row).strip().split(r"\#")) for row in element.iterfind(f"{M}e")]
    return rows[0] if len(rows) == 1 else rf"\begin{{aligned}} {NEXT_ROW.join(rows)} \end{{aligned}}"


def _limit(element: etree._Element) -> str:
    sign = "_" if element.tag == f"{M}limLow" else "^"
    return f"{_part(element, 'e')}{sign}{{{_part(element, 'lim')}}}"


FORMS: dict[str, Callable[[etree._Element], str]] = {
    "f": _fraction, "rad": _root, "sSup": _scripts, "sSub": _scripts, "sSubSup": _scripts, "sPre": _scripts,
    "nary": _large, "d": _fenced, "func": _function, "acc": _accent, "bar": _bar, "groupChr": _brace, "m": _matrix,
    "eqArr": _array, "limLow": _limit, "limUpp": _limit,
}  # fmt: skip
