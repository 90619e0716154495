"""Pictures that come back at the same place on many pages: logos at the head and foot, picture watermarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kb_pipeline.deepdoc.assembly.margins import MODEL_MARGIN
from kb_pipeline.records import Box, PageLayout
from kb_pipeline.text.drop_reasons import RUNNING_FOOTER, RUNNING_HEADER, WATERMARK

PAGES = 3  # pages on which a picture must stand at one place
SHARE = 0.5  # and share of all pages
DRIFT = 0.01  # share of the page's size by which its sides may move


def running_pictures(pages: Sequence[PageLayout], noise: Sequence[Mapping[int, str]]) -> dict[tuple[int, int], str]:
    """Reasons by page and index of the region: figures without text of their own at one place on most pages.

    `noise`: by page, reasons of the lines that are noise.
    """
    found: list[tuple[int, int, Box]] = []
    for layout, taken in zip(pages, noise, strict=True):
        texts = {line.region for i, line in enumerate(layout.lines) if i not in taken and line.text.strip()}
        size = (layout.width or 1.0, layout.height or 1.0)
        for index, region in enumerate(layout.regions):
            if region.role == "figure" and index not in texts:
                x0, top, x1, bottom = region.box
                place = (x0 / size[0], top / size[1], x1 / size[0], bottom / size[1])
                found.append((layout.page, index, place))
    reasons = {}
    for page, index, place in found:
        alike = {other for other, _, box in found if all(abs(a - b) <= DRIFT for a, b in zip(place, box, strict=True))}
        if len(alike) >= PAGES and len(alike) >= SHARE * len(pages):
            head, foot = place[3] <= MODEL_MARGIN, place[1] >= 1 - MODEL_MARGIN
            reasons[page, index] = RUNNING_HEADER if head else RUNNING_FOOTER if foot else WATERMARK
    return reasons
