"""The lines of a page: from its character layer where that can be trusted, else recognised."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kb_pipeline.deepdoc.files import geometry
from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.page.lines import Unread, dropped_text, page_lines
from kb_pipeline.deepdoc.vision.ocr import Upright, read_quads
from kb_pipeline.deepdoc.vision.orientation import skew
from kb_pipeline.deepdoc.vision.recognition import can_write
from kb_pipeline.records import Box, Dropped, PageLocator, PageRender, Quad, TextLine
from kb_pipeline.settings import Settings
from kb_pipeline.text.drop_reasons import DUPLICATE, GARBLED, INVISIBLE, LOW_SCORE

SAMPLE = 6  # lines of a hidden layer that are compared with what recognition reads
AGREEING = 0.9  # mean similarity from which the hidden layer is taken as it is
READABLE = 0.6  # mean score from which recognition is believed against a hidden layer that differs
MIN_CONTRAST = 40  # grey levels between ink and ground in a place that is worth recognising
LOOSE = 0.12  # share of its height by which a character box grows to the outline that the recogniser expects


@dataclass(frozen=True)
class PageText:
    """Lines and dropped text of a page; `figures` go to the verdict."""

    lines: list[TextLine]
    dropped: list[Dropped] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)

    @property
    def recognised(self) -> int:
        """Characters that recognition found, those that are not sure enough included; spaces do not count."""
        found = [line.text for line in self.lines if line.origin == "ocr"]
        found += [item.text for item in self.dropped if item.reason == LOW_SCORE]
        return sum(not c.isspace() for text in found for c in text)


def page_text(
    upright: Upright, quads: np.ndarray, characters: Characters, render: PageRender, settings: Settings
) -> PageText:
    """Lines of a page, and everything of the character layer that is in none of them as dropped text.

    Args:
        quads: [N, 4, 2] detected lines in pixels of the upright picture.
    """
    label = render.verdict.label
    if label in ("clean", "blank"):
        return _from_layer(upright, quads, characters, render, settings)
    revealed = _revealed(characters)
    figures: dict[str, float] = {}
    if revealed is not None:
        agreement, score, writable = _compare(upright, revealed, settings)
        keep = agreement >= AGREEING or score < READABLE or not writable
        figures = {"hidden agreement": round(agreement, 3), "hidden kept": float(keep)}
        if keep:
            text = _from_layer(upright, quads, revealed, render, settings)
            return PageText(text.lines, text.dropped, {**figures, **text.figures})
    lines, unsure = _believed(read_quads(upright, quads, settings.ocr.models), render, settings)
    # what the layer shows is in the picture too: right on a scan and read from there, wrong on the other pages
    replaced = characters.marked(characters.seen, DUPLICATE if label == "scan" else GARBLED)
    dropped = [*dropped_text(replaced, render.page, (render.width, render.height)), *unsure]
    return PageText(_ordered(lines), dropped, {**figures, "skew": round(skew(quads), 2)})


def _from_layer(
    upright: Upright, quads: np.ndarray, characters: Characters, render: PageRender, settings: Settings
) -> PageText:
    """Lines of the character layer; what it leaves empty or garbled is recognised."""
    found = page_lines(characters, upright.to_page(quads))
    lines, dropped = list(found.lines), list(dropped_text(characters, render.page, (render.width, render.height)))
    empty = [u for u in found.unread if u.line is None and _holds_ink(upright, u)]
    garbled = [u.line for u in found.unread if u.line is not None]
    read, unsure = _believed(
        read_quads(upright, _pixel_quads(upright, [u.quad for u in empty]), settings.ocr.models), render, settings
    )
    lines += read
    dropped += unsure
    replaced = 0
    for line in garbled:
        quad = _pixel_quads(upright, [_grown(line)])
        better, unsure = _believed(read_quads(upright, quad, settings.ocr.models), render, settings)
        lines += better
        dropped += [_dropped(line, GARBLED, render), *unsure]
        replaced += len(better)
    return PageText(_ordered(lines), dropped, {"recognised lines": float(len(read) + replaced)})


def _pixel_quads(upright: Upright, quads: Sequence[Quad]) -> np.ndarray:
    return upright.to_picture(np.array(quads, float).reshape(-1, 4, 2)).astype(np.float32)


def _grown(line: TextLine) -> Quad:
    x0, top, x1, bottom = line.box
    grow = LOOSE * min(x1 - x0, bottom - top)
    return geometry.box_quad((x0 - grow, top - grow, x1 + grow, bottom + grow))


def _holds_ink(upright: Upright, unread: Unread) -> bool:
    corners = upright.to_picture(np.array(unread.quad))
    (x0, top), (x1, bottom) = corners.min(0).astype(int), corners.max(0).astype(int) + 1
    patch = upright.picture[max(top, 0) : bottom, max(x0, 0) : x1]
    return patch.size > 0 and int(patch.max()) - int(patch.min()) >= MIN_CONTRAST


def _believed(
    lines: Sequence[TextLine], render: PageRender, settings: Settings
) -> tuple[list[TextLine], list[Dropped]]:
    """Recognised lines by their score: those that are sure enough, and the dropped others."""
    sure = [line for line in lines if line.confidence >= settings.ocr.least_score]
    unsure = [line for line in lines if line.confidence < settings.ocr.least_score]
    return sure, [_dropped(line, LOW_SCORE, render) for line in unsure]


def _dropped(line: TextLine, reason: str, render: PageRender) -> Dropped:
    size = (render.width, render.height)
    box: Box = geometry.clip(line.box, *size)
    return Dropped(line.text, reason, (PageLocator(render.page, box, size, 0, len(line.text)),))


def _ordered(lines: list[TextLine]) -> list[TextLine]:
    """Top to bottom, then left to right."""
    return sorted(lines, key=lambda line: (round(line.box[1], 1), line.box[0], line.text))


# ---------------------------------------------------------------- the hidden layer of a scan


def _revealed(characters: Characters) -> Characters | None:
    """The characters with invisible text shown, or None where there is none."""
    hidden = characters.dropped == INVISIBLE
    return replace(characters, dropped=np.where(hidden, "", characters.dropped)) if hidden.any() else None


def _compare(upright: Upright, characters: Characters, settings: Settings) -> tuple[float, float, bool]:
    """Similarity of a sample of layer lines with what recognition reads there, its mean score, and whether the
    recogniser knows the script at all."""
    lines = sorted(page_lines(characters).lines, key=lambda line: (-len(line.text), line.box[1]))[: 2 * SAMPLE : 2]
    if not lines:
        return 0.0, 1.0, True
    alike, scores = [], []
    for line in lines:
        read = read_quads(upright, _pixel_quads(upright, [_grown(line)]), settings.ocr.models)
        text = read[0].text if read else ""
        alike.append(difflib.SequenceMatcher(None, _folded(line.text), _folded(text), autojunk=False).ratio())
        scores.append(read[0].confidence if read else 0.0)
    writable = can_write("".join(line.text for line in lines), settings.ocr.models)
    return float(np.mean(alike)), float(np.mean(scores)), writable


def _folded(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split()).casefold()
