"""Which text of a page is really painted: the page is drawn with and without it, and what changes nothing is not seen.

So text that something else covers, text on a layer that is switched off and text outside of its clipping path are told
from what a reader sees, whatever the file did to hide them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from kb_pipeline.deepdoc.files import pdfium
from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.files.pdf_text import TextLayer
from kb_pipeline.text.drop_reasons import NOT_PAINTED

CHANGED = 8  # grey levels (of 255) by which a pixel that shows text differs from one without it
UNSEEN = 0.9  # share of a text object's characters without such a pixel, from which it is not painted
OVERLAID = 0.25  # share of a character's box that another object's character covers
LATIN_END = 0x250  # first code point after Latin letters
MAX_LOOKS = 12  # text objects under other text that are looked at one by one


def mark_unpainted(
    layer: TextLayer,
    objects: Iterable[int],
    picture: Callable[[], np.ndarray],
    scale: float,
) -> Characters:
    """Marks characters that do not show in the page's picture. The caller holds the PDFium lock.

    A font that the file does not bring along may have no glyphs here: where none of its characters of a script shows on
    the page, nothing is said of them.

    Args:
        objects: addresses of all text objects of the page.
        picture: draws the page as it is now, grey [H, W]; `scale` pixels per point.
    """
    characters, owners = layer.characters, layer.owners
    if not characters.seen.any():
        return characters
    whole = picture()
    shown = _shown(characters, whole, _without(objects, picture), scale)
    hidden = np.zeros(len(characters), dtype=bool)
    judged = characters.seen & (layer.embedded | _drawable(characters, shown))
    for owner in np.unique(owners[judged]).tolist():
        own = (owners == owner) & judged
        if (~shown[own]).mean() >= UNSEEN:
            hidden |= own & ~shown
    overlaid = _overlaid(characters, owners, hidden)
    for owner in list(dict.fromkeys(owners[overlaid].tolist()))[:MAX_LOOKS]:
        own = (owners == owner) & judged
        unseen = own & ~_shown(characters, whole, _without([owner], picture), scale)
        if (unseen & overlaid).sum() >= UNSEEN * (own & overlaid).sum():
            hidden |= unseen
    return characters.marked(hidden, NOT_PAINTED)


def _drawable(characters: Characters, shown: np.ndarray) -> np.ndarray:
    """[N] bool: rows whose font draws some character of their script on this page, and all in Latin letters, for which
    PDFium has fonts of its own."""
    pairs = zip(characters.font.tolist(), characters.text.tolist(), strict=True)
    _, group = np.unique(np.array([f"{font} {ord(text[0]) >> 8}" for font, text in pairs]), return_inverse=True)
    latin = np.array([ord(text[0]) < LATIN_END for text in characters.text.tolist()])
    return latin | (np.bincount(group, weights=shown, minlength=group.max(initial=0) + 1)[group] > 0)


def _without(objects: Iterable[int], picture: Callable[[], np.ndarray]) -> np.ndarray:
    """The page's picture without these objects, which are there again afterwards."""
    chosen = list(objects)
    try:
        for handle in chosen:
            pdfium.set_active(handle, 0)
        return picture()
    finally:
        for handle in chosen:
            pdfium.set_active(handle, 1)


def _shown(characters: Characters, whole: np.ndarray, without: np.ndarray, scale: float) -> np.ndarray:
    """[N] bool: rows in whose box the two pictures differ."""
    changed = np.abs(whole.astype(np.int16) - without) > CHANGED
    sums = np.zeros((changed.shape[0] + 1, changed.shape[1] + 1), np.int32)
    sums[1:, 1:] = changed.cumsum(0, dtype=np.int32).cumsum(1, dtype=np.int32)
    limit = np.array([changed.shape[1], changed.shape[0]])
    low = np.clip(np.floor(characters.box[:, :2] * scale).astype(int) - 1, 0, limit)
    high = np.clip(np.ceil(characters.box[:, 2:] * scale).astype(int) + 1, 0, limit)
    (x0, y0), (x1, y1) = low.T, np.maximum(high, low).T
    return (sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0]) > 0


def _overlaid(characters: Characters, owners: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """[N] bool: rows that lie under or over a character of another text object."""
    found = np.zeros(len(characters), dtype=bool)
    rows = np.flatnonzero(characters.seen & ~hidden)
    if len(rows) < 2:
        return found
    boxes, own = characters.loose[rows], owners[rows]
    order = np.argsort(boxes[:, 0], kind="stable")
    boxes, own, rows = boxes[order], own[order], rows[order]
    areas = np.maximum((boxes[:, 2:] - boxes[:, :2]).prod(1), 1e-9)
    under = np.zeros(len(rows), dtype=bool)
    reach = int(np.searchsorted(boxes[:, 0], boxes[:, 2]).max(initial=0))
    for step in range(1, min(reach, len(rows))):
        a, b = slice(None, -step), slice(step, None)
        near = boxes[b, 0] < boxes[a, 2]
        if not near.any():
            break
        size = np.clip(np.minimum(boxes[a, 2:], boxes[b, 2:]) - np.maximum(boxes[a, :2], boxes[b, :2]), 0, None).prod(1)
        both = (size >= OVERLAID * np.minimum(areas[a], areas[b])) & (own[a] != own[b])
        under[:-step] |= both
        under[step:] |= both
    found[rows[under]] = True
    return found
