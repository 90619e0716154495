"""The tables of a page: from its table regions, lines and rulings to grids in points of the displayed page."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from kb_pipeline.deepdoc.files import geometry
from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.files.paged_file import PagedFile
from kb_pipeline.deepdoc.files.rulings import Rulings, picture_rulings
from kb_pipeline.deepdoc.page.region_lines import usual_height
from kb_pipeline.deepdoc.page.table_segments import table_segments
from kb_pipeline.deepdoc.tables.components import MARGIN as DEEPDOC_MARGIN
from kb_pipeline.deepdoc.tables.frame import with_frame
from kb_pipeline.deepdoc.tables.reader import ReadTable, read_table
from kb_pipeline.deepdoc.vision.crops import padded_crop
from kb_pipeline.deepdoc.vision.ocr import Upright, rounded_box
from kb_pipeline.deepdoc.vision.orientation import orientation, turn_picture
from kb_pipeline.records import Box, PageLayout, PageLocator, PageTables, TableCell, TableGrid, TextLine
from kb_pipeline.settings import Settings
from kb_pipeline.tables.html import table_html
from kb_pipeline.weights.manifest import DEEPDOC, in_use

MARGIN = 10 / 3
"""Points around a table that its model sees: 10 px at 216 dpi. More makes SLANet worse."""

RULING_MARGIN = 3.0  # points around a table in which its rulings lie

SURE_TURN = 0.6  # score from which the orientation model may turn a table


def page_tables(
    file: PagedFile, layout: PageLayout, characters: Characters, picture: np.ndarray, settings: Settings
) -> PageTables:
    """Every table region of a page as a grid.

    Each line of a region ends in exactly one cell; regions without any line give no table.
    """
    rulings = file.rulings(layout.page)
    scale = picture.shape[1] / layout.width
    grids = []
    for index, region in enumerate(layout.regions):
        if region.role != "table":
            continue
        numbers = [i for i, line in enumerate(layout.lines) if line.region == index]
        if numbers:
            box = geometry.union([region.box, *(layout.lines[i].box for i in numbers)])
            box = with_frame(box, rulings.horizontal.tolist(), rulings.vertical.tolist())
            grids.append(_grid(layout, index, box, numbers, characters, picture, scale, rulings, settings))
    return PageTables(layout.page, tuple(grids))


def _grid(
    layout: PageLayout,
    region: int,
    box: Box,
    numbers: list[int],
    characters: Characters,
    picture: np.ndarray,
    scale: float,
    rulings: Rulings,
    settings: Settings,
) -> TableGrid:
    lines = [layout.lines[i] for i in numbers]
    margin = DEEPDOC_MARGIN if in_use("table") == DEEPDOC else MARGIN
    crop, left, top = padded_crop(picture, geometry.as_box(v * scale for v in box), round(margin * scale))
    turned = layout.turned or _turn_of(crop, lines)
    upright = Upright(turn_picture(crop, 360 - turned), turned, scale)
    corner = np.array([left, top]) / scale
    segments = [_upright_line(part, upright, corner) for part in table_segments(lines, characters)]
    drawn = rulings.inside(box, RULING_MARGIN)
    if turned or layout.source == "ocr" or len(drawn.horizontal) + len(drawn.vertical) == 0:
        drawn = picture_rulings(upright.picture, scale, usual_height(segments))
    else:
        drawn = Rulings(drawn.horizontal - [corner[1], corner[0], corner[0]], drawn.vertical - [*corner, corner[1]])
    lines_across, lines_down = drawn.horizontal.tolist(), drawn.vertical.tolist()
    table = read_table(upright.picture, scale, segments, lines_across, lines_down, settings.tables)
    cells = _cells(table, upright, corner, layout)
    return TableGrid(
        page=layout.page,
        box=rounded_box(box),
        region=region,
        rows=table.grid.rows,
        cols=table.grid.cols,
        cells=cells,
        html=table_html(cells),
        method=table.grid.method,
        confidence=round(table.grid.confidence, 4),
        lines=tuple(numbers),
        turned=turned,
    )


def _turn_of(crop: np.ndarray, lines: Sequence[TextLine]) -> int:
    """Degrees clockwise by which a table's content stands: asked of the model only where most lines are vertical."""
    upright = sum(len(line.text) for line in lines if not line.vertical)
    if upright * 2 >= sum(len(line.text) for line in lines):
        return 0
    turned, score = orientation(crop)
    return turned if score >= SURE_TURN and turned % 180 else 0


def _upright_line(line: TextLine, upright: Upright, corner: np.ndarray) -> TextLine:
    """The line in points of the upright crop."""
    places = np.array(line.box, float).reshape(2, 2) - corner
    box = geometry.quad_box(np.repeat(upright.to_picture(places) / upright.scale, 2, axis=0))
    edges = line.edges
    if edges:
        along = np.full((len(edges), 2), places.mean(0))
        along[:, 1 if line.vertical else 0] = np.array(edges) - corner[1 if line.vertical else 0]
        stands = line.vertical != bool(upright.turned % 180)
        edges = tuple((upright.to_picture(along) / upright.scale)[:, 1 if stands else 0].tolist())
    vertical = line.vertical != bool(upright.turned % 180)
    return msgspec.structs.replace(line, box=box, edges=edges, vertical=vertical)


def _cells(table: ReadTable, upright: Upright, corner: np.ndarray, layout: PageLayout) -> tuple[TableCell, ...]:
    cells = []
    for cell, text, box in zip(table.grid.cells, table.texts, table.boxes, strict=True):
        points = upright.to_page(np.array(box, float).reshape(2, 2) * upright.scale) + corner
        on_page = geometry.clip(geometry.quad_box(np.repeat(points, 2, axis=0)), layout.width, layout.height)
        place = PageLocator(layout.page, rounded_box(on_page), (layout.width, layout.height), 0, len(text))
        cells.append(TableCell(cell.row, cell.col, cell.rowspan, cell.colspan, cell.header, text, (place,)))
    return tuple(cells)
