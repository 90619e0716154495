"""Layout regions settled by what they hold: the model's boxes corrected by the lines that were read under them.

The model sees shapes, not words: a running header in the middle of a page, a paragraph where two columns of figures
stand, the pieces of one caption. Each rule below says what a role means and applies where lines or places contradict
the model. All boxes are in points of the upright page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import msgspec

from kb_pipeline.deepdoc.files import geometry
from kb_pipeline.deepdoc.page.region_lines import in_row, lines_in, rows_of, runs_through, tabular_share
from kb_pipeline.deepdoc.vision.layout import ACROSS_CLASSES, without_overlaps
from kb_pipeline.records import Box, Region, TextLine
from kb_pipeline.text.captions import caption_kind
from kb_pipeline.text.markers import is_clause
from kb_pipeline.text.page_numbers import page_number

MARGINAL = ("header", "footer")
CAPTIONS = ("table caption", "figure caption")
RUNNING_TEXT = ("title", "text")
MARGIN = 0.15  # share of the page's, or its text's, height at head and foot where headers and footers stand
EDGE = 0.12  # share of the page's height where a page number stands
FILLING = 0.5  # share of the page from which a region is its ground rather than something on it
TWINS = 0.7  # intersection over union from which two boxes are the same thing under two roles
TABULAR = 0.5  # share of rows with several columns from which a region holds a table
CAPTION_ROWS = 6  # rows of a caption at most
HEADER_GAP = 1.0  # line heights between a table and a row of its header
APART = 1.0  # type sizes of empty space that part a page number from the text

_LABEL = re.compile(r"(?:续?表|附?图|table|tab\.|figure|fig\.?)\s*[\dA-Z][\d.\-–—．]*[:：.]?", re.I)
_NUMBERED = re.compile(r"\d{1,4}\s+\S.*|.*\S\s+\d{1,4}")
_CHINESE_NUMBER = re.compile(r"[〇零一二三四五六七八九十百]{1,5}")


def settled(found: Sequence[Region], lines: Sequence[TextLine], width: float, height: float) -> list[Region]:
    """The regions that stay, none over another, with the roles and boxes that the lines under them show.

    Args:
        found: the model's boxes, several roles for one place among them.
        lines: of the page.
        width, height: of the page.
    """
    lines = [line for line in lines if not line.vertical and line.text.strip()]
    extents = [(0.0, height), *([_extent(lines)] if lines else [])]
    kept = [r for r in _in_margins(found, extents) if not _loses(r, found, lines, extents)]
    regions = without_overlaps(kept)
    regions += _on_grounds(kept, regions, width * height)
    regions = [_captioned(r, lines) for r in regions]
    regions = _whole_rows(regions, lines)
    regions = _with_header_rows(regions, lines)
    return _with_page_numbers(regions, lines, width, height)


# ---------------------------------------------------------------- one place, two roles


def _in_margins(found: Sequence[Region], extents: Sequence[tuple[float, float]]) -> list[Region]:
    """Headers and footers where such lines can stand; others are text, or the title that the model saw there too."""
    kept = []
    for region in found:
        if region.role in MARGINAL and not _marginal(region.box, extents):
            if any(other.role in RUNNING_TEXT and geometry.iou(region.box, other.box) >= TWINS for other in found):
                continue
            region = msgspec.structs.replace(region, role="text")
        kept.append(region)
    return kept


def _loses(
    region: Region, found: Sequence[Region], lines: Sequence[TextLine], extents: Sequence[tuple[float, float]]
) -> bool:
    """Whether a twin of another role is right: a table where rows have columns, a header beside another header."""
    for other in found:
        if other.role == region.role or geometry.iou(region.box, other.box) < TWINS:
            continue
        if (region.role, other.role) == ("text", "table") and tabular_share(region.box, lines) >= TABULAR:
            return True
        beside = region.role == "title" and other.role in MARGINAL and _marginal(region.box, extents)
        if beside and any(
            r.role == other.role and in_row(r.box, region.box) and not geometry.overlap_area(r.box, region.box)
            for r in found
        ):
            return True
    return False


def _on_grounds(kept: Sequence[Region], regions: Sequence[Region], page_area: float) -> list[Region]:
    """Headers and footers that only a region as large as the page had covered."""
    grounds = [r for r in regions if geometry.area(r.box) >= FILLING * page_area]
    others = [r for r in regions if r not in grounds]
    return [
        r
        for r in without_overlaps([r for r in kept if r.role in MARGINAL and r not in regions])
        if grounds and all(geometry.overlap_of_smaller(r.box, other.box) < ACROSS_CLASSES for other in others)
    ]


def _marginal(box: Box, extents: Sequence[tuple[float, float]]) -> bool:
    middle = (box[1] + box[3]) / 2
    return any(not MARGIN < (middle - top) / max(bottom - top, 1e-9) < 1 - MARGIN for top, bottom in extents)


def _extent(lines: Sequence[TextLine]) -> tuple[float, float]:
    """Top of the first and bottom of the last line."""
    return min(line.box[1] for line in lines), max(line.box[3] for line in lines)


# ---------------------------------------------------------------- captions and tables


def _captioned(region: Region, lines: Sequence[TextLine]) -> Region:
    """A table that is nothing but the caption of one, captions by what they call themselves, items that are none."""
    if region.role not in ("table", *CAPTIONS):
        return region
    rows = rows_of(lines_in(region.box, lines))
    first = rows[0][0].text.strip() if rows else ""
    kind = caption_kind(first)
    if region.role in CAPTIONS and not kind and len(rows) > 1 and is_clause(first) and first[0].isdigit():
        return msgspec.structs.replace(region, role="text")
    if not kind or (region.role == "table" and (len(rows) > CAPTION_ROWS or any(len(row) > 1 for row in rows))):
        return region
    return msgspec.structs.replace(region, role=f"{kind} caption")


def _whole_rows(regions: Sequence[Region], lines: Sequence[TextLine]) -> list[Region]:
    """Headers, footers and captions that were found in pieces as one: pieces of a line, a label and its title."""
    whole: list[Region] = []
    for region in sorted(regions, key=lambda r: (r.box, r.role, r.score)):
        mate = next((k for k, other in enumerate(whole) if _one_row(other, region, lines)), None)
        if mate is None:
            whole.append(region)
        else:
            both = geometry.union([whole[mate].box, region.box])
            whole[mate] = Region(region.role, both, max(region.score, whole[mate].score))
    return whole


def _one_row(left: Region, right: Region, lines: Sequence[TextLine]) -> bool:
    if left.role != right.role or left.role not in (*MARGINAL, *CAPTIONS) or not in_row(left.box, right.box):
        return False
    if any(runs_through(line.box, left.box) and runs_through(line.box, right.box) for line in lines):
        return True
    return left.role in CAPTIONS and any(
        _LABEL.fullmatch(line.text.strip()) for line in lines if runs_through(line.box, left.box)
    )


def _with_header_rows(regions: Sequence[Region], lines: Sequence[TextLine]) -> list[Region]:
    """Tables with the caption-like boxes that are rows of their header: a table has one caption, and it is numbered."""
    regions = list(regions)
    for caption in [r for r in regions if r.role == "table caption"]:
        own = lines_in(caption.box, lines)
        if not own or any(caption_kind(line.text) for line in own):
            continue
        line_height = max(line.box[3] - line.box[1] for line in own)
        for k, table in enumerate(regions):
            if table.role != "table" or not _above(caption.box, table.box, HEADER_GAP * line_height):
                continue
            numbered = [
                r
                for r in regions
                if r.role == "table caption" and r is not caption and _over(r.box, table.box)
                if any(caption_kind(line.text) for line in lines_in(r.box, lines))
            ]
            if any(r.box[1] < caption.box[1] for r in numbered):
                regions[k] = msgspec.structs.replace(table, box=geometry.union([table.box, caption.box]))
                regions.remove(caption)
                break
    return regions


def _above(box: Box, other: Box, reach: float) -> bool:
    """Whether a box stands on the top of another or at most `reach` above it, within its width."""
    inside = box[0] >= other[0] - reach and box[2] <= other[2] + reach
    return inside and box[1] < other[1] + reach and box[3] > other[1] - reach


def _over(box: Box, other: Box) -> bool:
    return box[3] <= (other[1] + other[3]) / 2 and min(box[2], other[2]) > max(box[0], other[0])


# ---------------------------------------------------------------- page numbers


def _with_page_numbers(
    regions: Sequence[Region], lines: Sequence[TextLine], width: float, height: float
) -> list[Region]:
    """The outermost row of a page as header or footer where it is a page number, or a caption with one."""
    regions = list(regions)
    for foot in (False, True):
        line = _outermost(lines, height, foot)
        if line is None:
            continue
        role = "footer" if foot else "header"
        covering = [r for r in regions if runs_through(line.box, r.box) or lines_in(r.box, [line])]
        grounds = [r for r in covering if geometry.area(r.box) >= FILLING * width * height]
        if _is_page_number(line.text) and len(covering) == len(grounds):
            regions.append(Region(role, line.box))
        elif _NUMBERED.fullmatch(line.text.strip()) and len(covering) == 1 and covering[0].role in CAPTIONS:
            k = regions.index(covering[0])
            regions[k] = Region(role, geometry.union([line.box, covering[0].box]), covering[0].score)
    return regions


def _outermost(lines: Sequence[TextLine], height: float, foot: bool) -> TextLine | None:
    """The line at the head or foot of a page that stands alone in the last row, apart from the text; else None."""
    if not lines:
        return None
    line = max(lines, key=lambda li: li.box[3]) if foot else min(lines, key=lambda li: li.box[1])
    middle = (line.box[1] + line.box[3]) / 2 / height
    space = APART * line.size
    inner = [li for li in lines if li is not line]
    near = any(li.box[3] > line.box[1] - space if foot else li.box[1] < line.box[3] + space for li in inner)
    return None if near or EDGE < middle < 1 - EDGE or (middle > 0.5) != foot else line


def _is_page_number(text: str) -> bool:
    return page_number(text) is not None or bool(
        _CHINESE_NUMBER.fullmatch(unicodedata.normalize("NFKC", text).strip(" -–—·"))
    )
