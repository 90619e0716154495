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
from typing import NamedTuple

import numpy as np
import pypdfium2.raw as raw

from kb_pipeline.deepdoc import pdfium
from kb_pipeline.deepdoc.characters import BOLD_WEIGHT, INVISIBLE, TRANSPARENT, Characters, mark_unseen
from kb_pipeline.deepdoc.geometry import page_frame, reading_frame

REPLACEMENT = "\ufffd"
# What a code unit is.
ORDINARY, SPACE, BREAK, JOINER, MARK, HIGH, LOW = range(7)
# Heights that a loose box may have, in type sizes, and what replaces those that have another: above, below baseline.
LOOSE_HEIGHT = (0.5, 1.5)
ASCENT = 0.88
DESCENT = 0.22
# The ink of a glyph higher than this (type sizes) is a broken outline; less than this in points is no outline.
MOST_INK = 3.0
LEAST_EXTENT = 0.02
# Neighbours whose boxes overlap by this share of the size have wrong widths; the ink with this margin replaces them.
WRONG_OVERLAP = 0.2
INK_MARGIN = 0.05
LEAST_ADVANCE = 0.44  # a "1" has the width of the other digits
# Alpha and channels (of 255): up to here text is transparent, from here on it is pale.
MOST_TRANSPARENT = 25
LEAST_PALE = 225
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
LAM = "\u0644"


class TextObject(NamedTuple):
    """What all characters of one text object share; `pale` text may be lost on a light ground."""

    font: str
    bold: bool
    size: float
    angle: int
    tilt: float
    dropped: str
    pale: bool


def read_characters(
    text_page: int, display: pdfium.Matrix, width: float, height: float
) -> tuple[Characters, np.ndarray]:
    """Characters of a page, and [N] bool: those in a very light colour. The caller holds the PDFium lock.

    `text_page`: address of a loaded text page; `display`: user space to displayed points; `width`, `height` of the
    displayed page in points.
    """
    count = raw.FPDFText_CountChars(ctypes.cast(text_page, raw.FPDF_TEXTPAGE))
    if count <= 0:
        return Characters.empty(), np.zeros(0, dtype=bool)
    codes = np.array([pdfium.char_unicode(text_page, i) for i in range(count)], dtype=np.int64)
    owners = [pdfium.char_object(text_page, i) or 0 for i in range(count)]
    real = np.array(owners, dtype=np.uint64) != 0
    kinds, texts = _classified(codes)
    _restore_hyphens(text_page, codes, texts, kinds)
    loose, tight = _boxes(text_page, np.flatnonzero(real).tolist(), count, display)
    objects = _objects(text_page, owners, display)

    keep = real & (kinds != SPACE) & (kinds != BREAK) & (kinds != JOINER)
    _join_surrogates(codes, texts, kinds, keep)
    _join_marks(texts, kinds, keep, loose)
    rows = np.flatnonzero(keep)
    spaces = np.cumsum(kinds == SPACE)
    space = np.diff(spaces[rows], prepend=spaces[rows[0]] if len(rows) else 0) > 0
    shared = [objects[owners[i]] for i in rows.tolist()]
    angle = np.array([o.angle for o in shared], dtype=np.int16)
    size = np.array([o.size for o in shared], dtype=float)
    font = np.array([o.font for o in shared], dtype=object)
    loose, tight = _mended(text_page, rows, loose[rows], tight[rows], size, angle, font, display)
    _share_boxes(texts[rows], loose, tight, angle, np.array(owners, dtype=np.uint64)[rows])
    characters = Characters(
        text=_symbols(texts[rows], font),
        box=np.round(tight, 3),
        loose=np.round(loose, 3),
        size=np.round(size, 3),
        font=font,
        bold=np.array([o.bold for o in shared], dtype=bool),
        angle=angle,
        tilt=np.array([o.tilt for o in shared], dtype=float),
        space=space,
        unmapped=np.array([bool(pdfium.char_unmapped(text_page, i)) for i in rows.tolist()], dtype=bool),
        dropped=np.array([o.dropped for o in shared], dtype=object),
    )
    return mark_unseen(characters, width, height), np.array([o.pale for o in shared], dtype=bool)


# ---------------------------------------------------------------- what a code unit is


def _classified(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kind and text of each code unit."""
    distinct, where = np.unique(codes, return_inverse=True)
    pairs = [_meaning(int(code)) for code in distinct]
    kinds = np.array([kind for kind, _ in pairs], dtype=np.int8)[where]
    texts = np.array([text for _, text in pairs], dtype=object)[where]
    return kinds, texts


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


def _symbols(texts: np.ndarray, font: np.ndarray) -> np.ndarray:
    """The texts with the private codes of well-known symbol fonts as the characters that they show."""
    for i, text in enumerate(texts.tolist()):
        if "\uf000" <= text <= "\uf0ff":
            name = font[i].lower().replace(" ", "").replace("-", "")
            table = next((codes for family, codes in SYMBOLS.items() if family in name), {})
            texts[i] = table.get(ord(text) - 0xF000, text)
    return texts


# ---------------------------------------------------------------- boxes


def _boxes(text_page: int, rows: list[int], count: int, display: pdfium.Matrix) -> tuple[np.ndarray, np.ndarray]:
    """Loose and tight boxes [count, 4] in displayed points; zeros for what is no glyph."""
    loose, tight = np.zeros((count, 4), dtype=np.float32), np.zeros((count, 4))
    at_loose, at_tight = loose.ctypes.data, tight.ctypes.data
    read_loose, read_tight = pdfium.char_loose_box, pdfium.char_tight_box
    for i in rows:
        read_loose(text_page, i, at_loose + 16 * i)  # left, top, right, bottom
        place = at_tight + 32 * i
        read_tight(text_page, i, place, place + 8, place + 16, place + 24)  # left, right, bottom, top
    return (
        _displayed(loose[:, 0], loose[:, 1], loose[:, 2], loose[:, 3], display),
        _displayed(tight[:, 0], tight[:, 3], tight[:, 1], tight[:, 2], display),
    )


def _displayed(x0: np.ndarray, y0: np.ndarray, x1: np.ndarray, y1: np.ndarray, matrix: pdfium.Matrix) -> np.ndarray:
    a, b, c, d, e, f = matrix
    x0, y0, x1, y1 = (v.astype(float) for v in (x0, y0, x1, y1))
    across = np.stack([a * x0 + c * y0 + e, a * x1 + c * y1 + e])
    down = np.stack([b * x0 + d * y0 + f, b * x1 + d * y1 + f])
    return np.column_stack([across.min(axis=0), down.min(axis=0), across.max(axis=0), down.max(axis=0)])


def _mended(
    text_page: int,
    rows: np.ndarray,
    loose: np.ndarray,
    tight: np.ndarray,
    size: np.ndarray,
    angle: np.ndarray,
    font: np.ndarray,
    display: pdfium.Matrix,
) -> tuple[np.ndarray, np.ndarray]:
    """Boxes without the nonsense of broken fonts: absurd heights, wrong advance widths, glyphs without an outline."""
    tight = tight.copy()
    inked = ((tight[:, 2:] - tight[:, :2]) >= LEAST_EXTENT).all(axis=1)
    u, v = reading_frame(loose, angle)
    height = v[:, 1] - v[:, 0]
    for k in np.flatnonzero((height > LOOSE_HEIGHT[1] * size) | (height < LOOSE_HEIGHT[0] * size)).tolist():
        base = _baseline(text_page, int(rows[k]), int(angle[k]), display)
        v[k] = base - ASCENT * size[k], base + DESCENT * size[k]
    tight_u, tight_v = reading_frame(tight, angle)
    inked &= (tight_v[:, 1] - tight_v[:, 0]) <= MOST_INK * size
    wrong = _wrong_widths(u, v, size, angle, font) & inked
    middle = tight_u.mean(axis=1)
    half = np.maximum((tight_u[:, 1] - tight_u[:, 0]) / 2 + INK_MARGIN * size, LEAST_ADVANCE / 2 * size)
    u[wrong] = np.column_stack([middle - half, middle + half])[wrong]
    loose = page_frame(u, v, angle)
    tight[~inked] = loose[~inked]
    return loose, tight


def _baseline(text_page: int, index: int, angle: int, display: pdfium.Matrix) -> float:
    """Position of a character's baseline across its reading direction."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.char_origin(text_page, index, ctypes.addressof(x), ctypes.addressof(y))
    across, down = pdfium.applied(display, x.value, y.value)
    return {0: down, 90: -across, 180: -down, 270: across}[angle]


def _wrong_widths(u: np.ndarray, v: np.ndarray, size: np.ndarray, angle: np.ndarray, font: np.ndarray) -> np.ndarray:
    """[N] bool: characters of fonts whose advance widths contradict where the next characters stand.

    Some writers leave out the widths (every glyph one em wide) and pull the letters together by character spacing.
    """
    wrong = np.zeros(len(u), dtype=bool)
    if len(u) < 2:
        return wrong
    step = (u[1:].mean(axis=1) - u[:-1].mean(axis=1)) / size[:-1]
    beside = (np.abs(v[1:].mean(axis=1) - v[:-1].mean(axis=1)) < 0.3 * size[:-1]) & (step > 0) & (step < 2)
    beside &= (angle[1:] == angle[:-1]) & (font[1:] == font[:-1])
    overlaps = beside & (u[:-1, 1] - u[1:, 0] > WRONG_OVERLAP * size[:-1])
    _, code = np.unique(font.astype(str), return_inverse=True)
    pairs = np.bincount(code[:-1], weights=beside)
    return (np.bincount(code[:-1], weights=overlaps, minlength=len(pairs)) > 0.5 * np.maximum(pairs, 1))[
        np.minimum(code, len(pairs) - 1)
    ]


def _share_boxes(texts: np.ndarray, loose: np.ndarray, tight: np.ndarray, angle: np.ndarray, owner: np.ndarray) -> None:
    """The pieces of a ligature come with the box of the whole: each gets its share, in reading order."""
    same = (loose[1:] == loose[:-1]).all(axis=1) & (tight[1:] == tight[:-1]).all(axis=1) & (owner[1:] == owner[:-1])
    start = 0
    while start < len(same):
        if not same[start]:
            start += 1
            continue
        end = start
        while end < len(same) and same[end]:
            end += 1
        pieces = end - start + 1
        # Right-to-left pieces come in reverse, except those of PDFium's own table: lam before alef.
        mirrored = texts[start][0] == LAM and unicodedata.bidirectional(texts[start + 1][0]) == "AL"
        backwards = (angle[start] in (180, 270)) != mirrored
        axis = 0 if angle[start] % 180 == 0 else 1
        for boxes in (loose, tight):
            low, high = float(boxes[start, axis]), float(boxes[start, axis + 2])
            steps = np.linspace(low, high, pieces + 1)
            for k in range(pieces):
                place = pieces - 1 - k if backwards else k
                boxes[start + k, axis], boxes[start + k, axis + 2] = steps[place], steps[place + 1]
        start = end + 1


# ---------------------------------------------------------------- text objects


def _objects(text_page: int, owners: list[int], display: pdfium.Matrix) -> dict[int, TextObject]:
    """Each text object of the page once, read at its first character."""
    found: dict[int, TextObject] = {}
    fonts: dict[int, tuple[str, bool]] = {}
    matrix, colour = raw.FS_MATRIX(), (ctypes.c_uint * 4)()
    for i, owner in enumerate(owners):
        if owner and owner not in found:
            found[owner] = _text_object(text_page, i, owner, display, matrix, colour, fonts)
    return found


def _text_object(text_page, i, owner, display, matrix, colour, fonts) -> TextObject:
    pdfium.char_matrix(text_page, i, ctypes.addressof(matrix))
    a, b, c, d = matrix.a, matrix.b, matrix.c, matrix.d
    across = (display[0] * a + display[2] * b, display[1] * a + display[3] * b)
    up = (display[0] * c + display[2] * d, display[1] * c + display[3] * d)
    degrees = math.degrees(math.atan2(across[1], across[0]))  # the display's y points down: clockwise
    angle = round(degrees / 90) * 90
    font = pdfium.text_font(owner) or 0
    if font not in fonts:
        fonts[font] = _font(font)
    base = ctypes.addressof(colour)
    mode = pdfium.text_render_mode(owner)
    dropped, pale = INVISIBLE if mode == raw.FPDF_TEXTRENDERMODE_INVISIBLE else "", False
    fills = mode in (raw.FPDF_TEXTRENDERMODE_FILL, raw.FPDF_TEXTRENDERMODE_FILL_CLIP)
    if fills and pdfium.fill_color(owner, base, base + 4, base + 8, base + 12):
        red, green, blue, alpha = colour
        dropped = TRANSPARENT if alpha <= MOST_TRANSPARENT else dropped
        pale = min(red, green, blue) >= LEAST_PALE
    name, bold = fonts[font]
    return TextObject(
        font=name,
        bold=bold or mode in (raw.FPDF_TEXTRENDERMODE_FILL_STROKE, raw.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP),
        size=pdfium.char_font_size(text_page, i) * math.hypot(*up),
        angle=angle % 360,
        tilt=round(degrees - angle, 2),
        dropped=dropped,
        pale=pale,
    )


def _font(font: int) -> tuple[str, bool]:
    """Base name, and whether the font is bold by descriptor or by name."""
    if not font:
        return "", False
    buffer = ctypes.create_string_buffer(256)
    length = pdfium.font_name(font, ctypes.addressof(buffer), 256)
    name = buffer.raw[: max(0, min(length, 256) - 1)].decode("utf-8", "replace")
    weight, flags = pdfium.font_weight(font), pdfium.font_flags(font)
    return name, weight >= BOLD_WEIGHT or bool(flags > 0 and flags & FORCE_BOLD) or bool(BOLD_NAME.search(name))
