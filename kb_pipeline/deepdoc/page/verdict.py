"""Whether a page's character layer can be trusted: clean, garbled, scan, scan noise or blank, with the figures.

Signs add up, none decides alone: private use and replacement characters; glyphs that the font gives no character for
(Type 3 fonts do that with perfectly readable text); subset fonts with punctuation in place of letters (so does a page
of formulas). Where a sign is of the second kind, the text must also fail to read like a language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.page.plausibility import reads_like_language, word_share
from kb_pipeline.records import Verdict
from kb_pipeline.text.drop_reasons import INVISIBLE

# Share of characters that cannot be right (private use, replacement, controls, unassigned) on a garbled page or line.
GARBAGE_PAGE = 0.3
GARBAGE_LINE = 0.5
# Share of a font's glyphs without a character from which its text must prove that it reads like a language; and the
# share of a page's and of a line's characters in fonts that did not.
UNMAPPED_FONT = 0.3
SUSPECT_PAGE = 0.3
SUSPECT_LINE = 0.5
# The same for ASCII punctuation in subset fonts on a page with next to no CJK, from so many characters on.
PUNCTUATION = 0.4
MIN_SUBSET = 0.3
MAX_CJK = 0.05
MIN_CHARACTERS = 20
# Images over this share of the page make it a scan when they carry the text.
SCAN_COVERAGE = 0.5
# A layer of so many characters over a scan of which less than this share stands in words is recognition noise.
NOISE_CHARACTERS = 30
NOISE_WORDS = 0.15
# Symbol fonts map their glyphs to this part of the private use area: bullets and ticks, not garbage.
SYMBOLS = ("\uf020", "\uf0ff")
SYMBOL_FONT = re.compile(r"symbol|dingbat|wingding|webding|marlett", re.IGNORECASE)
SUBSET_FONT = re.compile(r"^[A-Z0-9]{2,6}\+")
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
ASCII_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
DOTTED = re.compile(r"([^\w\s])\1{2,}")


def page_verdict(characters: Characters, picture_coverage: float, drawings: int = 0) -> Verdict:
    """The label of a page, and the figures that led to it.

    Args:
        characters: the page's characters, dropped ones included.
        picture_coverage: share of the page that images cover.
        drawings: number of vector paths that show.

    Labels: `clean` - the characters are the text. `garbled` - they are there and wrong. `scan` - the page is a picture
    (figure `hidden` counts the characters of an invisible layer, to be tried against recognition). `scan noise` - a
    picture whose layer is noise. `blank` - nothing to read.
    """
    seen = characters.take(characters.seen)
    hidden = characters.take(characters.dropped == INVISIBLE)
    figures = {
        "characters": len(characters),
        "seen": len(seen),
        "hidden": len(hidden),
        "picture_coverage": picture_coverage,
        "drawings": drawings,
        **_layer_figures(hidden if len(hidden) > len(seen) else seen),
    }
    label = _label(figures, seen, hidden)
    return Verdict(label, {name: round(float(value), 4) for name, value in figures.items()})


def _label(figures: dict[str, float], seen: Characters, hidden: Characters):
    if not len(seen) and not figures["picture_coverage"] and not figures["drawings"]:
        return "blank"
    scanned = figures["picture_coverage"] >= SCAN_COVERAGE
    if not len(seen) or (scanned and len(hidden) > len(seen)):
        return "scan noise" if scanned and len(hidden) and _is_noise(figures) else "scan"
    if _is_garbled(figures):
        return "garbled"
    return "scan noise" if scanned and _is_noise(figures) else "clean"


def _layer_figures(layer: Characters) -> dict[str, float]:
    """What can be counted about a character layer. `language`: 1 reads like one, 0 does not, 0.5 too little to say."""
    texts = layer.text.tolist()
    joined = _spaced(layer)
    count = max(1, len(texts))
    solid = DOTTED.sub(r"\1", "".join(texts))
    reads = reads_like_language(joined)
    return {
        "garbage": _garbage_of(layer),
        "unmapped": float(layer.unmapped.mean()) if texts else 0.0,
        "suspect": float(suspects(layer).mean()) if texts else 0.0,
        "subset_fonts": sum(map(_is_subset, layer.font.tolist())) / count,
        "cjk": len(CJK.findall(solid)) / count,
        "punctuation": len(ASCII_PUNCTUATION.findall(solid)) / max(1, len(solid)),
        "words": word_share(joined),
        "language": 0.5 if reads is None else float(reads),
    }


def _is_garbled(figures: dict[str, float]) -> bool:
    if figures["garbage"] >= GARBAGE_PAGE:
        return True
    if figures["seen"] < MIN_CHARACTERS:
        return False
    if figures["suspect"] >= SUSPECT_PAGE:
        return True
    odd = figures["punctuation"] > PUNCTUATION and figures["cjk"] < MAX_CJK
    return odd and figures["subset_fonts"] >= MIN_SUBSET and figures["language"] == 0


def _is_noise(figures: dict[str, float]) -> bool:
    layer = max(figures["seen"], figures["hidden"])
    return figures["garbage"] >= GARBAGE_PAGE or (layer >= NOISE_CHARACTERS and figures["words"] < NOISE_WORDS)


def line_is_garbled(text: str, suspect: Sequence[bool] | np.ndarray = (), fonts: Sequence[str] = ()) -> bool:
    """Whether a line's characters cannot be right.

    `suspect`, `fonts`: for each character, what `suspects` says of it, and the name of its font.
    """
    symbolic = bool(len(fonts)) and all(SYMBOL_FONT.search(f) for f in fonts)
    if garbage_share(text, symbols_count=not symbolic) >= GARBAGE_LINE:
        return True
    return len(suspect) > 0 and float(np.mean(suspect)) >= SUSPECT_LINE


def suspects(characters: Characters) -> np.ndarray:
    """[N] bool: characters of fonts that do not say what their glyphs are and whose text reads like no language.

    Text in such fonts may be perfectly right (Type 3) or a substitution cipher in which every figure is wrong; a font
    with too little text on the page is judged together with the others of its kind.
    """
    suspect = np.zeros(len(characters), dtype=bool)
    if not characters.unmapped.any():
        return suspect
    _, font = np.unique(characters.font.astype(str), return_inverse=True)
    share = np.bincount(font, weights=characters.unmapped) / np.bincount(font)
    unnamed = np.flatnonzero(share >= UNMAPPED_FONT)
    verdicts = {int(f): reads_like_language(_spaced(characters.take(font == f))) for f in unnamed}
    together = reads_like_language(_spaced(characters.take(np.isin(font, unnamed))))
    for f, reads in verdicts.items():
        if (together if reads is None else reads) is not True:
            suspect |= font == f
    return suspect


def garbage_share(text: str, symbols_count: bool = True) -> float:
    """Share of the non-space characters of a text that cannot be right; symbol fonts' codes count if asked to."""
    letters = "".join(text.split())
    bad = sum(_is_garbage(c) and (symbols_count or not SYMBOLS[0] <= c <= SYMBOLS[1]) for c in letters)
    return bad / len(letters) if letters else 0.0


def _garbage_of(layer: Characters) -> float:
    texts = layer.text.tolist()
    bad = [_is_garbage(t[0]) for t in texts]
    for i in [i for i, b in enumerate(bad) if b and SYMBOLS[0] <= texts[i][0] <= SYMBOLS[1]]:
        bad[i] = not SYMBOL_FONT.search(layer.font[i])
    return sum(bad) / len(bad) if bad else 0.0


def _spaced(layer: Characters) -> str:
    """The layer's text with its spaces, and a break wherever the next character does not follow on the line."""
    if not len(layer):
        return ""
    away = np.abs(np.diff(layer.loose[:, 0])) + np.abs(np.diff(layer.loose[:, 1])) > 2.5 * layer.size[1:]
    apart = np.concatenate([[False], layer.space[1:] | away])
    return "".join((" " if gap else "") + text for gap, text in zip(apart, layer.text.tolist(), strict=True))


@lru_cache(maxsize=4_096)
def _is_subset(font: str) -> bool:
    return bool(SUBSET_FONT.match(font))


@lru_cache(maxsize=65_536)
def _is_garbage(character: str) -> bool:
    return character == "\ufffd" or unicodedata.category(character) in ("Co", "Cc", "Cs", "Cn")
