"""Watermarks: text laid over or under a page's own, told by its lean, its light ink, its repetition and its overlap.

No single sign is enough: a label may lean in a drawing, a heading may be light grey, and a title may come back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from kb_pipeline.deepdoc.assembly.drafts import text_size
from kb_pipeline.deepdoc.assembly.margins import MARGIN, Nearby, running_key
from kb_pipeline.records import Box, PageLayout
from kb_pipeline.text.joining import spaceless

LEAN = 8.0  # degrees by which a line leans against most of its page, from which it may be one
LIGHT = 0.5  # lightness of ink, 0 black … 1 white, from which upright text may be one
LARGE = 1.2  # times the page's usual type size, from which upright light text may be one
HUGE = 2.0  # times the page's usual type size, from which upright dark text may be one
LETTERS = 3  # letters at least, ideographs counting twice
STEADY = 3.0  # type sizes that a recognised line is long at least where its lean counts
LONGEST = 60  # characters at most
PAGES = 2  # pages on which the same leaning text proves a watermark
UPRIGHT_PAGES = 3  # the same for upright text, which must stand at the same place
TILES = 3  # copies on one page that prove one
DRIFT = 0.02  # share of the page's size by which an upright watermark may move from page to page
COVERED = 0.15  # share of a leaning line's box that other lines take up, where it lies over text
UPRIGHT_COVERED = 0.3  # the same for upright lines, whose boxes are tight
MIN_COVERED = 2  # other lines that an upright watermark lies over
PIECE = 2  # characters of a watermark's piece at least


@dataclass(frozen=True)
class Candidate:
    """A line that may be a watermark; `across`, `down`: its middle as shares of the page's size."""

    page: int
    index: int
    key: str
    leaning: bool
    light: bool
    large: bool
    drawn: bool
    across: float
    down: float
    covered: float
    crossed: int


def watermarks(pages: Sequence[PageLayout], held: dict[int, set[int]]) -> set[tuple[int, int]]:
    """Lines (page, index) that are watermarks. `held`: by page, indexes of the lines whose text is in tables."""
    found = [c for layout in pages for c in _candidates(layout, held.get(layout.page, set()))]
    alike: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in found:
        alike[candidate.key].append(candidate)
    proven = [c for c in found if _is_proven(c, alike[c.key])]
    whole = {c.key for c in proven}
    pieces = [c for c in found if c.leaning and len(c.key) >= PIECE and any(c.key in key for key in whole)]
    return {(c.page, c.index) for c in (*proven, *pieces)}


def _candidates(layout: PageLayout, held: set[int]) -> list[Candidate]:
    lines = [(i, line) for i, line in enumerate(layout.lines) if line.text.strip()]
    if not lines:
        return []
    weights = [(line, max(1, len(line.text))) for _, line in lines]
    usual_lean = median(line.angle for line, weight in weights for _ in range(weight))
    usual_size = median(text_size(line) for line, weight in weights for _ in range(weight))
    near = Nearby([line.box for _, line in lines])
    found = []
    for i, line in lines:
        text = "".join(line.text.split())
        size = text_size(line)
        steady = line.origin != "ocr" or max(*_sides(line.box)) >= STEADY * size  # short words only seem to lean
        leaning = abs(line.angle - usual_lean) > LEAN and steady
        light = line.light >= LIGHT
        large = size >= LARGE * usual_size
        if i in held or len(text) > LONGEST or sum(1 + spaceless(c) for c in text if c.isalpha()) < LETTERS:
            continue
        if leaning or (light and large) or size >= HUGE * usual_size:
            covered, crossed = _overlap(line.box, near)
            across = (line.box[0] + line.box[2]) / 2 / (layout.width or 1)
            down = (line.box[1] + line.box[3]) / 2 / (layout.height or 1)
            place = (across, down, covered, crossed)
            drawn = 0 <= line.region < len(layout.regions) and layout.regions[line.region].role == "figure"
            found.append(Candidate(layout.page, i, running_key(text), leaning, light, large, drawn, *place))
    return found


def _sides(box: Box) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def _is_proven(candidate: Candidate, alike: Sequence[Candidate]) -> bool:
    pages = {other.page for other in alike if other.leaning == candidate.leaning}
    if candidate.leaning:
        over_text = candidate.covered >= COVERED and not candidate.drawn
        return sum((candidate.light, candidate.large, len(pages) >= PAGES, over_text)) >= 2
    covers = candidate.covered >= UPRIGHT_COVERED and candidate.crossed >= MIN_COVERED
    if not candidate.light:
        return covers
    tiles = sum(other.page == candidate.page for other in alike)
    in_place = {
        other.page
        for other in alike
        if abs(other.across - candidate.across) <= DRIFT and abs(other.down - candidate.down) <= DRIFT
    }
    inside = MARGIN < candidate.down < 1 - MARGIN
    return covers or (inside and (tiles >= TILES or len(in_place) >= UPRIGHT_PAGES))


def _overlap(box: Box, near: Nearby) -> tuple[float, int]:
    """Share of a box that other lines take up, and how many they are."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    covered, count = 0.0, 0
    others = near.around(box, 0.0)
    others.remove(box)
    for other in others:
        width = min(box[2], other[2]) - max(box[0], other[0])
        height = min(box[3], other[3]) - max(box[1], other[1])
        if width > 0 and height > 0:
            covered += width * height
            count += width * height >= 0.3 * (other[2] - other[0]) * (other[3] - other[1]) or width > 0.2 * (
                box[2] - box[0]
            )
    return (covered / area if area > 0 else 0.0), count
