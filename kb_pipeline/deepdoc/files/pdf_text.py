"""From PDFium's text page to `Characters`: boxes into the displayed frame, text into user-visible characters.

PDFium hands out UTF-16 units in logical order (right-to-left runs included, their brackets already mirrored), expands
ligatures into pieces that share one box, adds spaces and line breaks where it sees gaps, and leaves out second copies
of whole text objects. All of that is made plain here.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

import numpy as np
import pypdfium2.raw as raw

from kb_pipeline.deepdoc.files import pdfium
from kb_pipeline.deepdoc.files.characters import BOLD_WEIGHT, Characters, mark_unseen
from kb_pipeline.deepdoc.files.glyph_boxes import glyph_boxes, mended_boxes, share_boxes
from kb_pipeline.text.drop_reasons import INVISIBLE, TRANSPARENT

REPLACEMENT = "\ufffd"
# What a code unit is.
ORDINARY, SPACE, BREAK, JOINER, MARK, HIGH, LOW = range(7)
# Alpha and channels (of 255): up to here text is transparent, from here on it is pale.
MAX_TRANSPARENT = 25
MIN_PALE = 225
LUMA = (0.299, 0.587, 0.114)  # weights of red, green and blue in lightness (ITU-R BT.601)
# Font descriptor flag "force bold" (ISO 32000-1, table 123).
FORCE_BOLD = 1 << 18
BOLD_NAME = re.compile(r"bold|black|heavy|semibold|(?<![a-z])bd(?![a-z])|simhei|黑体", re.IGNORECASE)
# Compatibility forms that are the same character to a reader: Kangxi radicals, CJK compatibility ideographs.
SAME_CHARACTER = ((0x2E80, 0x2FDF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))
# What the glyphs of symbol fonts are, by code in U+F000…F0FF; without this, ticked boxes are lost.
SYMBOLS = {
    "wingdings2": {0x50: "✓", 0x52: "☑", 0x53: "☒", 0xA3: "□", 0x97: "●", 0x98: "•"},
    "wingdings": {
        **{0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x75: "◆", 0x76: "❖", 0x9F: "•", 0xA7: "▪", 0xA8: "□"},
        **{0xD8: "➢", 0xE0: "→", 0xE8: "➔", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑"},
    },
    "symbol": {0xB7: "•", 0xAE: "→", 0xB0: "°", 0xB1: "±", 0xB4: "×", 0xA3: "≤", 0xB3: "≥", 0x6D: "μ"},
}


class TextObject(NamedTuple):
    """What all characters of one text object share; `pale` text may be lost on a light ground."""

    font: str
    bold: bool
    size: float
    angle: int
    tilt: float
    light: float
    dropped: str
    pale: bool
    embedded: bool


class TextLayer(NamedTuple):
    """The characters of a page, and [N] of each: whether its colour is very light, the address of its text object, and
    whether the file brings the glyphs of its font along."""

    characters: Characters
    pale: np.ndarray
    owners: np.ndarray
    embedded: np.ndarray


def read_characters(text_page: int, display: pdfium.Matrix, width: float, height: float) -> TextLayer:
    """Characters of a page. The caller holds the PDFium lock.

    `text_page`: address of a loaded text page; `display`: user space to displayed points; `width`, `height` of the
    displayed page in points.
    """
    count = raw.FPDFText_CountChars(ctypes.cast(text_page, raw.FPDF_TEXTPAGE))
    if count <= 0:
        return TextLayer(Characters.empty(), np.zeros(0, bool), np.zeros(0, np.uint64), np.zeros(0, bool))
    page = ctypes.c_void_p(text_page)
    codes = np.array(list(map(pdfium.each_unicode, repeat(page), range(count))), dtype=np.int64)
    owners = np.array([owner or 0 for owner in map(pdfium.each_object, repeat(page), range(count))], dtype=np.uint64)
    real = owners != 0
    kinds, texts = _classified(codes)
    _restore_hyphens(text_page, codes, texts, kinds)
    loose, tight = glyph_boxes(text_page, np.flatnonzero(real).tolist(), count, display)

    keep = real & (kinds != SPACE) & (kinds != BREAK) & (kinds != JOINER)
    _join_surrogates(codes, texts, kinds, keep)
    _join_marks(texts, kinds, keep, loose)
    rows = np.flatnonzero(keep)
    spaces = np.cumsum(kinds == SPACE)
    space = np.diff(spaces[rows], prepend=spaces[rows[0]] if len(rows) else 0) > 0
    objects, of_object = _objects(text_page, owners, rows, display)
    shared = {name: np.array(values, dtype=object)[of_object] for name, values in objects.items()}
    angle, size, font = shared["angle"].astype(np.int16), shared["size"].astype(float), shared["font"]
    loose, tight = mended_boxes(text_page, rows, loose[rows], tight[rows], size, angle, font, display)
    share_boxes(texts[rows], loose, tight, angle, owners[rows])
    unmapped = list(map(pdfium.each_unmapped, repeat(page), rows.tolist()))
    characters = Characters(
        text=_symbols(texts[rows], font, bool(((codes >= 0xF000) & (codes <= 0xF0FF)).any())),
        box=np.round(tight, 3),
        loose=np.round(loose, 3),
        size=np.round(size, 3),
        font=font,
        bold=shared["bold"].astype(bool),
        angle=angle,
        tilt=shared["tilt"].astype(float),
        light=shared["light"].astype(float),
        space=space,
        unmapped=np.array(unmapped, dtype=np.int32) != 0,
        dropped=shared["dropped"],
    )
    pale, embedded = shared["pale"].astype(bool), shared["embedded"].astype(bool)
    return TextLayer(mark_unseen(characters, width, height), pale, owners[rows], embedded)


# ---------------------------------------------------------------- what a code unit is


def _classified(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kind and text of each code unit."""
    distinct, where = np.unique(codes, return_inverse=True)
    pairs = [_meaning(int(code)) for code in distinct]
    kinds = np.array([kind for kind, _ in pairs], dtype=np.int8)[where]
    texts = np.array([text for _, text in pairs], dtype=object)[where]
    return kinds, texts


@lru_cache(maxsize=65_536)
def _meaning(code: int) -> tuple[int, str]:
    if 0xD800 <= code < 0xDC00:
        return HIGH, REPLACEMENT
    if 0xDC00 <= code < 0xE000:
        return LOW, REPLACEMENT
    if code in (0x0A, 0x0D):
        return BREAK, ""
    if code == 0 or code > 0x10FFFF:
        return ORDINARY, REPLACEMENT
    letter = chr(code)
    category = unicodedata.category(letter)
    if category in ("Zs", "Zl", "Zp") or code in (0x09, 0x0B, 0x0C):
        return SPACE, ""
    if code == 0xAD:
        return ORDINARY, "-"
    if code in (0x200C, 0x200D):
        return MARK, letter
    if category == "Cf":
        return JOINER, ""
    if category == "Cc" or code in (0xFFFE, 0xFFFF):
        return ORDINARY, REPLACEMENT
    if category in ("Mn", "Me", "Mc"):
        return MARK, letter
    if any(low <= code <= high for low, high in SAME_CHARACTER):
        return ORDINARY, unicodedata.normalize("NFKC", letter)
    return ORDINARY, letter


def _restore_hyphens(text_page: int, codes: np.ndarray, texts: np.ndarray, kinds: np.ndarray) -> None:
    """PDFium replaces a hyphen at the end of a line by the control character 2."""
    for i in np.flatnonzero(codes == 2).tolist():
        if pdfium.char_hyphen(text_page, i) == 1:
            texts[i], kinds[i] = "-", ORDINARY


def _join_surrogates(codes: np.ndarray, texts: np.ndarray, kinds: np.ndarray, keep: np.ndarray) -> None:
    """The two units of a character beyond U+FFFF into one row; a unit alone stays a replacement character."""
    for i in np.flatnonzero((kinds[1:] == LOW) & (kinds[:-1] == HIGH) & keep[1:] & keep[:-1]).tolist():
        texts[i] = chr(0x10000 + ((int(codes[i]) - 0xD800) << 10) + int(codes[i + 1]) - 0xDC00)
        keep[i + 1] = False


def _join_marks(texts: np.ndarray, kinds: np.ndarray, keep: np.ndarray, loose: np.ndarray) -> None:
    """Combining marks onto the base beside them; the joined rows are not kept."""
    for i in np.flatnonzero((kinds == MARK) & keep).tolist():
        before = i - 1
        while before >= 0 and not keep[before] and kinds[before] in (MARK, LOW):
            before -= 1
        if before < 0 or not keep[before]:
            continue
        reach = max(loose[before, 3] - loose[before, 1], loose[before, 2] - loose[before, 0])
        if np.abs(loose[i] - loose[before]).reshape(2, 2).min(axis=0).max() <= reach:
            texts[before] = unicodedata.normalize("NFC", texts[before] + texts[i])
            keep[i] = False


def _symbols(texts: np.ndarray, font: np.ndarray, private: bool) -> np.ndarray:
    """The texts with the private codes of well-known symbol fonts as the characters that they show.

    `private`: whether the page has such codes at all.
    """
    for i, text in enumerate(texts.tolist()) if private else ():
        if "\uf000" <= text <= "\uf0ff":
            name = font[i].lower().replace(" ", "").replace("-", "")
            table = next((codes for family, codes in SYMBOLS.items() if family in name), {})
            texts[i] = table.get(ord(text) - 0xF000, text)
    return texts


# ---------------------------------------------------------------- text objects


def _objects(
    text_page: int, owners: np.ndarray, rows: np.ndarray, display: pdfium.Matrix
) -> tuple[dict[str, list], np.ndarray]:
    """What the text objects of the rows are, by name of `TextObject`, and [N] the place of each row's object in it.

    Each object is read once, at its first character on the page.
    """
    _, first, of_character = np.unique(owners, return_index=True, return_inverse=True)
    used, of_row = np.unique(of_character[rows], return_inverse=True)
    found: list[TextObject] = []
    known: dict[tuple, TextObject] = {}  # many writers start a new object for every letter, all of them alike
    fonts: dict[int, tuple[str, bool, bool]] = {}
    matrix, colour = (ctypes.c_float * 6)(), (ctypes.c_uint * 4)()
    at_matrix, at_colour = ctypes.addressof(matrix), ctypes.addressof(colour)
    for i, owner in zip(first[used].tolist(), owners[first[used]].tolist(), strict=True):
        pdfium.char_matrix(text_page, i, at_matrix)
        mode, font = pdfium.text_render_mode(owner), pdfium.text_font(owner) or 0
        painted = pdfium.fill_color(owner, at_colour, at_colour + 4, at_colour + 8, at_colour + 12)
        key = (*matrix[:4], pdfium.char_font_size(text_page, i), mode, font, *(colour if painted else ()))
        if key not in known:
            if font not in fonts:
                fonts[font] = _font(font)
            known[key] = _text_object(key, fonts[font], display)
        found.append(known[key])
    return {name: [getattr(o, name) for o in found] for name in TextObject._fields}, of_row


def _text_object(key: tuple, font: tuple[str, bool, bool], display: pdfium.Matrix) -> TextObject:
    """`key`: matrix without its shift, font size, render mode, font, and the fill colour where there is one."""
    a, b, c, d, size, mode, _, *colour = key
    across = (display[0] * a + display[2] * b, display[1] * a + display[3] * b)
    up = (display[0] * c + display[2] * d, display[1] * c + display[3] * d)
    degrees = math.degrees(math.atan2(across[1], across[0]))  # the display's y points down: clockwise
    angle = round(degrees / 90) * 90
    dropped, pale = INVISIBLE if mode == raw.FPDF_TEXTRENDERMODE_INVISIBLE else "", False
    light = 0.0
    if colour and mode in (raw.FPDF_TEXTRENDERMODE_FILL, raw.FPDF_TEXTRENDERMODE_FILL_CLIP):
        dropped = TRANSPARENT if colour[3] <= MAX_TRANSPARENT else dropped
        pale = min(colour[:3]) >= MIN_PALE
        luma = sum(weight * channel / 255 for weight, channel in zip(LUMA, colour[:3], strict=True))
        light = 1 - (1 - luma) * colour[3] / 255
    name, bold, embedded = font
    return TextObject(
        font=name,
        bold=bold or mode in (raw.FPDF_TEXTRENDERMODE_FILL_STROKE, raw.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP),
        size=size * math.hypot(*up),
        angle=angle % 360,
        tilt=round(degrees - angle, 2),
        light=round(light, 3),
        dropped=dropped,
        pale=pale,
        embedded=embedded,
    )


def _font(font: int) -> tuple[str, bool, bool]:
    """Base name, whether the font is bold by descriptor or by name, and whether the file brings it along."""
    if not font:
        return "", False, False
    buffer = ctypes.create_string_buffer(256)
    length = pdfium.font_name(font, ctypes.addressof(buffer), 256)
    name = buffer.raw[: max(0, min(length, 256) - 1)].decode("utf-8", "replace")
    weight, flags = pdfium.font_weight(font), pdfium.font_flags(font)
    bold = weight >= BOLD_WEIGHT or bool(flags > 0 and flags & FORCE_BOLD) or bool(BOLD_NAME.search(name))
    return name, bold, pdfium.font_embedded(font) == 1
