"""Names of WordprocessingML, and its text as it stands in the file."""

from __future__ import annotations

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
V = "{urn:schemas-microsoft-com:vml}"
WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"

TICKED, EMPTY = "☑", "☐"

# characters of symbol fonts, by font and code within it, that documents use in text
SYMBOLS = {
    "wingdings": {
        0xFC: "✓", 0xFB: "✗", 0xFE: "☑", 0xFD: "☒", 0xA8: "☐", 0x6F: "☐", 0x6C: "●", 0x6E: "■", 0xA7: "▪", 0xD8: "➢",
        0xE0: "→", 0xDF: "←", 0xE1: "↑", 0xE2: "↓", 0xF0: "⇨", 0x4A: "☺", 0xAB: "★", 0xB6: "☆",
    },
    "wingdings 2": {0x50: "✓", 0x4F: "✗", 0x52: "☑", 0x54: "☒", 0xA3: "☐", 0x2A: "☐"},
    "symbol": {
        0xB1: "±", 0xB0: "°", 0xB4: "×", 0xB8: "÷", 0xA3: "≤", 0xB3: "≥", 0xB9: "≠", 0xBB: "≈", 0xA5: "∞", 0xD6: "√",
        0xE5: "∑", 0xF2: "∫", 0xB7: "•", 0xAE: "→", 0xDE: "⇒", 0xB2: "″", 0xA2: "′", 0xD7: "·", 0xCE: "∈", 0xC8: "∪",
        0xC7: "∩", 0xB6: "∂", 0xD1: "∇", 0x25: "%", 0x3C: "<", 0x3E: ">", 0x2B: "+", 0x2D: "−", 0x3D: "=",
        **{ord(latin): greek for latin, greek in zip(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            "αβχδεφγηιϕκλμνοπθρστυϖωξψζΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)},
    },
}  # fmt: skip


def value(element: etree._Element | None, name: str = "val", default: str = "") -> str:
    """An attribute of WordprocessingML; the default where the element or the attribute is missing."""
    return default if element is None else element.get(W + name, default)


def is_on(element: etree._Element | None) -> bool:
    """Whether a switch is there and on."""
    return element is not None and value(element, default="1") not in ("0", "false", "off")


def symbol(element: etree._Element) -> str:
    """The character of a `w:sym`; empty where its font's shapes are not known."""
    try:
        code = int(value(element, "char"), 16)
    except ValueError:
        return ""
    if 0xF000 <= code <= 0xF0FF or code <= 0xFF:
        return SYMBOLS.get(value(element, "font").lower(), {}).get(code & 0xFF, "")
    return chr(code)


def letters(element: etree._Element) -> str:
    """What an element that holds text itself says: a text, a symbol, a hyphen; nothing for others."""
    if element.tag == f"{W}sym":
        return symbol(element)
    if element.tag == f"{W}noBreakHyphen":
        return "-"
    return (element.text or "") if element.tag in (f"{W}t", f"{W}delText", f"{M}t") else ""


def source_text(root: etree._Element) -> str:
    """All text under an element as it stands in the file, paragraphs on lines; deleted and hidden text included."""
    lines, parts = [], []
    for element in root.iter(f"{W}p", f"{W}t", f"{W}delText", f"{M}t", f"{W}sym", f"{W}noBreakHyphen", f"{W}tab"):
        name = element.tag
        if name == f"{W}p":
            lines.append("".join(parts))
            parts = []
        elif name == f"{W}tab":
            parent = element.getparent()
            parts.append("\t" if parent is not None and parent.tag == f"{W}r" else "")
        else:
            parts.append(letters(element))
    lines.append("".join(parts))
    return "\n".join(line.strip() for line in lines if line.strip())


def without_alternates(root: etree._Element) -> None:
    """Replace alternate content by its first choice, or by the fallback for older programs where only that shows
    something; both say the same."""
    for element in list(root.iter(f"{MC}AlternateContent")):
        parent = element.getparent()
        if parent is None:
            continue
        choice, fallback = element.find(f"{MC}Choice"), element.find(f"{MC}Fallback")
        taken = (
            fallback if choice is None or (fallback is not None and not _shows(choice) and _shows(fallback)) else choice
        )
        place = parent.index(element)
        for offset, child in enumerate(list(taken) if taken is not None else []):
            parent.insert(place + offset, child)
        parent.remove(element)


def with_ticks(root: etree._Element) -> None:
    """Show each check box by one sign for ticked and one for not, whatever signs and fonts its author chose."""
    for box in root.iter(f"{W14}checkbox"):
        content = next((one.find(f"{W}sdtContent") for one in box.iterancestors(f"{W}sdt")), None)
        signs = [] if content is None else list(content.iter(f"{W}t", f"{W}sym"))
        checked = box.find(f"{W14}checked")
        on = checked is not None and checked.get(f"{W14}val", "1") in ("1", "true", "on")
        for sign in signs[:1]:
            sign.tag, sign.text = f"{W}t", TICKED if on else EMPTY


def _shows(element: etree._Element) -> bool:
    return bool(source_text(element)) or next(element.iter("{*}blip", "{*}imagedata", "{*}chart"), None) is not None
