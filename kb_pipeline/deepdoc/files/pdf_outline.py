"""Bookmarks of a PDF through PDFium's outline calls."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pypdfium2.raw as raw

from kb_pipeline.deepdoc.files import pdfium
from kb_pipeline.records import Bookmark

# An outline is followed so far; a damaged one can point back at itself.
MAX_ENTRIES = 20_000
MAX_LEVELS = 64
# Destination views that carry the height, and which of their numbers it is (ISO 32000-1, table 151).
HEIGHT_OF_VIEW = {raw.PDFDEST_VIEW_FITH: 0, raw.PDFDEST_VIEW_FITBH: 0, raw.PDFDEST_VIEW_FITR: 3}


def read_outline(document: object, displayed_top: Callable[[int, float, float], float]) -> tuple[Bookmark, ...]:
    """The outline, flattened in reading order. The caller holds the PDFium lock.

    `displayed_top(page, x, y)`: a point of the page's user space as points from the top of the displayed page.
    """
    found: list[Bookmark] = []
    seen: set[int] = set()
    stack = [(raw.FPDFBookmark_GetFirstChild(document, None), 1)]
    while stack and len(found) < MAX_ENTRIES:
        entry, level = stack.pop()
        place = pdfium.address(entry)
        if not place or place in seen:
            continue
        seen.add(place)
        stack.append((raw.FPDFBookmark_GetNextSibling(document, entry), level))
        if level < MAX_LEVELS:
            stack.append((raw.FPDFBookmark_GetFirstChild(document, entry), level + 1))
        page, top = _target(document, entry, displayed_top)
        found.append(Bookmark(title=_title(entry), level=level, page=page, top=top))
    return tuple(found)


def _title(entry: object) -> str:
    length = raw.FPDFBookmark_GetTitle(entry, None, 0)
    buffer = ctypes.create_string_buffer(max(length, 2))
    raw.FPDFBookmark_GetTitle(entry, buffer, length)
    return " ".join(buffer.raw[: max(0, length - 2)].decode("utf-16-le", "replace").split())


def _target(document: object, entry: object, displayed_top) -> tuple[int, float]:
    target = raw.FPDFBookmark_GetDest(document, entry)
    if not target:
        action = raw.FPDFBookmark_GetAction(entry)
        target = raw.FPDFAction_GetDest(document, action) if action else None
    if not target:
        return 0, 0.0
    page = raw.FPDFDest_GetDestPageIndex(document, target) + 1
    if page < 1:
        return 0, 0.0
    has_x, has_y, has_zoom = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    x, y, zoom = ctypes.c_float(), ctypes.c_float(), ctypes.c_float()
    raw.FPDFDest_GetLocationInPage(target, has_x, has_y, has_zoom, x, y, zoom)
    if has_y.value:
        return page, displayed_top(page, x.value if has_x.value else 0.0, y.value)
    count, numbers = ctypes.c_ulong(), (ctypes.c_float * 4)()
    view = raw.FPDFDest_GetView(target, count, numbers)
    if view in HEIGHT_OF_VIEW and count.value > HEIGHT_OF_VIEW[view]:
        return page, displayed_top(page, 0.0, numbers[HEIGHT_OF_VIEW[view]])
    return page, 0.0
