"""A drawn grid with text in it is a table, whatever the layout model makes of it."""

from __future__ import annotations

import cv2
import numpy as np

from kb_pipeline.deepdoc.files.rulings import Rulings
from kb_pipeline.deepdoc.page.read import read_page, read_tables, render_page
from kb_pipeline.deepdoc.page.ruled_tables import ruled_tables, with_ruled_tables
from kb_pipeline.records import Region, TextLine
from kb_pipeline.settings import Settings
from kb_pipeline.stages.page_source import open_paged


def grid(xs, ys) -> Rulings:
    across = np.array([(y, xs[0], xs[-1]) for y in ys], float)
    down = np.array([(x, ys[0], ys[-1]) for x in xs], float)
    return Rulings(across, down)


def texts(xs, ys, every: int = 1) -> list[TextLine]:
    middles = [(x + 5, y + 5) for y in ys[:-1] for x in xs[:-1]]
    return [TextLine("text", (x, y, x + 20, y + 8), "text layer") for x, y in middles[::every]]


XS, YS = (50.0, 150.0, 250.0, 350.0), (100.0, 120.0, 140.0, 160.0)


def test_a_drawn_grid_is_a_table_in_place_of_the_text_in_it():
    found = with_ruled_tables([Region("text", (55, 102, 340, 158))], grid(XS, YS), texts(XS, YS))
    assert [(r.role, r.box) for r in found] == [("table", (50.0, 100.0, 350.0, 160.0))]


def test_empty_boxes_and_lone_frames_are_none():
    assert ruled_tables(grid(XS, YS), texts(XS, YS, every=9)) == []  # the grid lines of a chart
    assert ruled_tables(grid(XS[:2], YS[:2]), texts(XS[:2], YS[:2])) == []  # a box around a remark
    assert ruled_tables(Rulings(grid(XS, YS).horizontal, np.zeros((0, 3))), texts(XS, YS)) == []


def test_two_grids_of_a_page_are_two_tables():
    lower = tuple(y + 300 for y in YS)
    both = Rulings(
        np.vstack([grid(XS, YS).horizontal, grid(XS, lower).horizontal]),
        np.vstack([grid(XS, YS).vertical, grid(XS, lower).vertical]),
    )
    assert len(ruled_tables(both, texts(XS, YS) + texts(XS, lower))) == 2


def test_a_picture_that_is_one_table_without_margins_is_read_as_it():
    words = [["Valve", "Size", "Price"], ["V-1", "50", "310"], ["V-2", "80", "420"], ["V-3", "100", "515"]]
    picture = np.full((4 * 60 + 1, 3 * 220 + 1, 3), 255, np.uint8)
    for row in range(5):
        cv2.line(picture, (0, row * 60), (660, row * 60), (0, 0, 0), 2)
    for col in range(4):
        cv2.line(picture, (col * 220, 0), (col * 220, 240), (0, 0, 0), 2)
    for row, cells in enumerate(words):
        for col, word in enumerate(cells):
            cv2.putText(
                picture, word, (col * 220 + 40, row * 60 + 42), cv2.FONT_HERSHEY_DUPLEX, 1.1, (0, 0, 0), 2, cv2.LINE_AA
            )
    file, settings = open_paged(cv2.imencode(".png", picture)[1].tobytes(), "png", "a.png", Settings()), Settings()
    render, characters, pixels, _ = render_page(file, 1, settings)
    layout = read_page(file, render, characters, pixels, settings)
    (table,) = read_tables(file, layout, characters, pixels, settings).tables
    assert (table.rows, table.cols) == (4, 3)
    assert [cell.text for cell in table.cells] == [word for row in words for word in row]
