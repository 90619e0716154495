from collections import Counter

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.read import read_page, read_tables, render_page
from kb_pipeline.deepdoc.page.regions import assign_lines
from kb_pipeline.deepdoc.tables.choose import grid_of_lines
from kb_pipeline.deepdoc.tables.fill import assign, cell_text, level_rows, without_empty_rows
from kb_pipeline.deepdoc.tables.frame import with_frame
from kb_pipeline.deepdoc.tables.grid import Cell, Grid, whole_grid
from kb_pipeline.deepdoc.tables.model import token_cells
from kb_pipeline.deepdoc.tables.ruled import fits, ruled_grid, snapped
from kb_pipeline.deepdoc.tables.segments import cut_at_rulings, line_segments
from kb_pipeline.records import Region, TableCell, TextLine
from kb_pipeline.settings import Settings
from kb_pipeline.tables.html import table_html
from kb_pipeline_tests.deepdoc.page.test_page import ROWS, WIDTHS, picture_of, scanned
from kb_pipeline_tests.deepdoc.vision_pages import PAGE, table_pdf

NOTHING = np.zeros((0, 4))


def line(text: str, x0: float, top: float, x1: float, bottom: float, edges: tuple[float, ...] = ()) -> TextLine:
    return TextLine(text, (x0, top, x1, bottom), "text layer", edges=edges)


def even(text: str, x0: float, top: float, x1: float, bottom: float) -> TextLine:
    return line(text, x0, top, x1, bottom, tuple(np.linspace(x0, x1, len(text) + 1).tolist()))


def read_with_table(data: bytes, box: tuple[float, float, float, float], page: int = 1):
    """The page's table at a given place."""
    settings = Settings()
    with PdfFile(data, "table.pdf") as file:
        render, characters, picture, _ = render_page(file, page, settings)
        layout = read_page(file, render, characters, picture, settings)
        regions = (Region("table", box),)
        owners = assign_lines(layout.lines, regions)
        lines = tuple(msgspec.structs.replace(x, region=k) for x, k in zip(layout.lines, owners, strict=True))
        layout = msgspec.structs.replace(layout, regions=regions, lines=lines)
        return layout, read_tables(file, layout, characters, picture, settings).tables[0]


def rows_of(table) -> list[list[str]]:
    rows = [[""] * table.cols for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row][cell.col] = cell.text.replace(" ", "")
    return rows


@pytest.mark.parametrize("ruled", [True, False])
def test_a_digital_table_is_read_cell_by_cell(ruled):
    layout, table = read_with_table(table_pdf(ROWS, WIDTHS, ruled=ruled), (44, 52, 280, 136))
    assert rows_of(table) == ROWS
    assert table.method == ("rulings" if ruled else table.method)
    assert table.lines == tuple(range(len(layout.lines)))
    for cell in table.cells:
        (place,) = cell.locators
        assert (place.page, place.page_size, place.start, place.end) == (1, PAGE, 0, len(cell.text))
        x, y = (place.box[0] + place.box[2]) / 2, (place.box[1] + place.box[3]) / 2
        left = 40 + sum(WIDTHS[: cell.col])
        assert left - 8 < x < left + WIDTHS[cell.col] + 8
        assert 50 + 22 * cell.row - 6 < y < 50 + 22 * (cell.row + 1) + 6
        if ruled:
            assert place.box == pytest.approx(
                (left, 50 + 22 * cell.row, left + WIDTHS[cell.col], 72 + 22 * cell.row), abs=1
            )


@pytest.mark.parametrize("turn", [0, 90])
def test_a_scanned_table_is_read_also_on_its_side(turn):
    rows = [*ROWS, ["ZK309", "210.0", "0.55"], ["ZK311", "77.5", "2.10"], ["ZK313", "64.0", "0.31"]]
    upright = picture_of(table_pdf(rows, WIDTHS, height=24, size=13, top=40))
    picture = np.ascontiguousarray(np.rot90(upright, -turn // 90))
    page, box = (PAGE, (40, 40, 290, 208)) if turn == 0 else (PAGE[::-1], (92, 40, 260, 290))
    layout, table = read_with_table(scanned(picture, page), box)
    assert rows_of(table) == rows
    assert table.turned == turn
    place = next(c for c in table.cells if c.text == "ZK305").locators[0].box
    expected = (40, 88, 130, 112) if turn == 0 else (300 - 112, 40, 300 - 88, 130)
    assert place == pytest.approx(expected, abs=3)
    assert Counter("".join(c.text for c in table.cells).replace(" ", "")) == Counter(
        "".join(layout.lines[i].text for i in table.lines).replace(" ", "")
    )


def test_a_table_of_sixty_rows_and_twelve_columns_is_whole():
    rows = [[f"{r}.{c}" for c in range(12)] for r in range(60)]
    data = table_pdf(rows, [44.0] * 12, left=30, top=30, height=12.5, ruled=False, page=(595, 842), size=8)
    _, table = read_with_table(data, (30, 30, 558, 781))
    assert (table.rows, table.cols) == (60, 12)
    assert rows_of(table) == rows


def test_a_table_region_without_any_line_gives_no_table():
    settings = Settings()
    data = table_pdf([["", ""], ["", ""]], [80.0, 80.0])
    with PdfFile(data, "empty.pdf") as file:
        render, characters, picture, _ = render_page(file, 1, settings)
        layout = read_page(file, render, characters, picture, settings)
        layout = msgspec.structs.replace(layout, regions=(Region("table", (40, 50, 200, 94)),))
        assert read_tables(file, layout, characters, picture, settings).tables == ()


# ---------------------------------------------------------------- structure tokens


def test_tokens_become_cells_with_spans_and_headers():
    tokens = ["<thead>", "<tr>", "<td", ' rowspan="2"', ">", "</td>", "<td", ' colspan="2"', ">", "</td>", "</tr>"]
    tokens += [
        "<tr>",
        "<td></td>",
        "<td></td>",
        "</tr>",
        "</thead>",
        "<tbody>",
        "<tr>",
        "<td></td>",
        "</tr>",
        "</tbody>",
    ]
    assert token_cells(tokens) == [
        Cell(0, 0, 2, 1, True),
        Cell(0, 1, 1, 2, True),
        Cell(1, 1, 1, 1, True),
        Cell(1, 2, 1, 1, True),
        Cell(2, 0, 1, 1, False),
    ]


def test_odd_tokens_do_not_fail():
    assert token_cells(["<td></td>", "<td", ' colspan="0"', "<td"]) == [Cell(0, 0), Cell(0, 1), Cell(0, 2)]
    assert token_cells([]) == []


cells = st.builds(
    Cell, st.integers(0, 6), st.integers(0, 6), st.integers(1, 3), st.integers(1, 3), header=st.booleans()
)


@given(st.lists(cells, max_size=14))
def test_a_whole_grid_has_one_owner_for_every_place(found):
    boxes = np.array([[c.col, c.row, c.col + c.colspan, c.row + c.rowspan] for c in found], float).reshape(-1, 4)
    grid = whole_grid(Grid(tuple(found), boxes, "test"))
    if not found:
        assert grid.cells == ()
        return
    count = np.zeros((grid.rows, grid.cols), int)
    for c in grid.cells:
        count[c.row : c.row + c.rowspan, c.col : c.col + c.colspan] += 1
    assert (count == 1).all()
    assert len(grid.boxes) == len(grid.cells)
    assert [(c.row, c.col) for c in grid.cells] == sorted((c.row, c.col) for c in grid.cells)


# ---------------------------------------------------------------- rulings


def lattice(ys: list[float], xs: list[float]) -> tuple[list, list]:
    return [(y, xs[0], xs[-1]) for y in ys], [(x, ys[0], ys[-1]) for x in xs]


def test_a_lattice_is_a_grid():
    horizontal, vertical = lattice([0, 20, 40, 60], [0, 50, 100])
    grid = ruled_grid(horizontal, vertical, (0, 0, 100, 60), NOTHING)
    assert (grid.rows, grid.cols, len(grid.cells)) == (3, 2, 6)
    assert grid.boxes[0].tolist() == [0, 0, 50, 20]


def test_sides_that_are_not_drawn_make_spans():
    horizontal, _ = lattice([0, 20, 40], [0, 50, 100])
    vertical = [(0, 0, 40), (50, 20, 40), (100, 0, 40)]
    grid = ruled_grid(horizontal, vertical, (0, 0, 100, 40), np.array([[30.0, 5, 70, 15]]))
    assert grid is None  # three cells are too few to be sure of
    vertical = [(0, 0, 60), (50, 20, 60), (100, 0, 60)]
    horizontal = [(y, 0, 100) for y in (0, 20, 40, 60)]
    grid = ruled_grid(horizontal, vertical, (0, 0, 100, 60), np.array([[30.0, 5, 70, 15]]))
    assert grid.cells[0] == Cell(0, 0, 1, 2)
    assert len(grid.cells) == 5


def test_open_sides_are_closed_where_the_lines_end():
    horizontal = [(y, 0, 150) for y in (0, 20, 40, 60)]
    vertical = [(50, 0, 60), (100, 0, 60)]
    grid = ruled_grid(horizontal, vertical, (0, 0, 150, 60), NOTHING)
    assert (grid.rows, grid.cols) == (3, 3)
    assert grid.boxes[0].tolist() == [0, 0, 50, 20]
    assert grid.boxes[-1].tolist() == [100, 40, 150, 60]


def test_columns_drawn_at_the_head_alone_hold_for_the_body():
    horizontal = [(y, 0, 150) for y in (0, 20, 40, 60)]
    vertical = [(x, 0, 20) for x in (0, 50, 100, 150)]
    texts = np.array([[c * 50 + 5.0, r * 20 + 5.0, c * 50 + 35.0, r * 20 + 15.0] for r in range(3) for c in range(3)])
    grid = ruled_grid(horizontal, vertical, (0, 0, 150, 60), texts)
    assert (grid.rows, grid.cols, len(grid.cells)) == (3, 3, 9)


def test_a_frame_around_open_columns_is_not_the_grid():
    horizontal, vertical = lattice([0, 20, 40, 60], [0, 50, 150])
    beside = np.array([[x, y + 5.0, x + 30, y + 15.0] for y in (0, 20, 40) for x in (55.0, 105.0)])
    ruled = ruled_grid(horizontal, vertical, (0, 0, 150, 60), beside)
    model = Grid(tuple(Cell(r, c) for r in range(3) for c in range(3)), np.zeros((9, 4)), "model")
    assert not fits(ruled, model, beside)
    assert fits(ruled, model, beside[::2])


def test_rows_snap_to_their_lines_though_columns_are_open():
    boxes = np.array([[c * 50.0, r * 18.0 + 3, c * 50.0 + 40, r * 18.0 + 12] for r in range(3) for c in range(2)])
    grid = Grid(tuple(Cell(r, c) for r in range(3) for c in range(2)), boxes, "model")
    lines = [(y, 0, 100) for y in (0, 20, 40, 60)]
    moved = snapped(grid, lines, [], (0, 0, 100, 60))
    assert moved.boxes[:, [1, 3]].tolist() == [[0, 20], [0, 20], [20, 40], [20, 40], [40, 60], [40, 60]]
    assert (moved.boxes[:, [0, 2]] == boxes[:, [0, 2]]).all()
    assert (snapped(grid, lines[:-2], [], (0, 0, 100, 60)).boxes == boxes).all()


def test_the_nearest_frame_is_taken():
    horizontal = [(40, 0, 100), (46, 0, 100), (105, 0, 100), (20, 0, 100)]
    vertical = [(-5, 46, 105), (108, 60, 70)]
    assert with_frame((0, 50, 100, 100), horizontal, vertical) == (-5, 46, 100, 105)


# ---------------------------------------------------------------- text into cells


boxes_of_text = st.lists(
    st.tuples(st.floats(-50, 400), st.floats(-50, 300), st.floats(1, 120), st.floats(1, 30)), min_size=1, max_size=25
)


@given(boxes_of_text, st.integers(1, 5), st.integers(1, 5))
def test_every_segment_ends_in_exactly_one_cell(found, rows, cols):
    grid = Grid(
        tuple(Cell(r, c) for r in range(rows) for c in range(cols)),
        np.array([[c * 60.0, r * 20.0, c * 60 + 55.0, r * 20 + 18.0] for r in range(rows) for c in range(cols)]),
        "model",
    )
    boxes = np.array([[x, y, x + w, y + h] for x, y, w, h in found])
    owners = level_rows(grid, boxes, assign(grid, boxes))
    smaller, owners = without_empty_rows(grid, owners)
    assert len(owners) == len(found)
    assert all(0 <= o < len(smaller.cells) for o in owners)
    assert {c.row for c in smaller.cells} == set(range(smaller.rows))


def test_text_on_one_level_stands_in_one_row():
    cells = tuple(Cell(r, c) for r in range(2) for c in range(3))
    places = np.array([[c * 50.0, r * 20.0, c * 50 + 50.0, r * 20.0 + 20] for r in range(2) for c in range(3)])
    places[[2, 5], 1::2] -= 12  # the last column's boxes drifted upwards
    grid = Grid(cells, places, "model")
    boxes = np.array([[c * 50 + 5.0, r * 20 + 5.0, c * 50 + 40.0, r * 20 + 15.0] for r in range(2) for c in range(3)])
    assert assign(grid, boxes)[2] == 5
    assert level_rows(grid, boxes, assign(grid, boxes)) == [0, 1, 2, 3, 4, 5]


def test_a_cell_reads_in_rows_with_spaces_where_words_need_them():
    assert (
        cell_text([line("beta", 40, 0, 60, 10), line("alpha", 0, 0, 30, 10), line("gamma", 0, 12, 30, 22)])
        == "alpha beta gamma"
    )
    assert cell_text([line("铜矿品", 0, 0, 30, 10), line("位报告", 0, 12, 30, 22)]) == "铜矿品位报告"
    assert cell_text([line("铜矿", 0, 0, 30, 10), line("Cu 1.2", 0, 12, 30, 22)]) == "铜矿 Cu 1.2"
    assert cell_text([]) == ""


def test_lines_are_cut_at_wide_spaces_only():
    edges = (0, 5, 10, 13, 18, 23, 60, 65, 70)
    parts = line_segments([line("ab cd ef", 0, 0, 70, 10, edges)])
    assert [(p.text, p.box) for p in parts] == [("ab cd", (0, 0, 23, 10)), ("ef", (60, 0, 70, 10))]


def test_rulings_cut_what_small_gaps_do_not():
    parts = cut_at_rulings([even("0.42主要是", 0, 0, 70, 10)], [(40.0, -5.0, 15.0), (20.0, 30.0, 60.0)])
    assert [p.text for p in parts] == ["0.42", "主要是"]


@given(st.text("ab金 1", min_size=1, max_size=20).filter(str.strip), st.lists(st.floats(-5, 105), max_size=5))
def test_cutting_loses_no_character(text, places):
    parts = cut_at_rulings(line_segments([even(text, 0, 0, 100, 10)]), [(x, -5, 15) for x in places])
    assert "".join(p.text for p in parts).replace(" ", "") == text.replace(" ", "")
    assert all(p.box[0] <= p.box[2] for p in parts)


def test_the_last_resort_is_a_grid_of_the_lines():
    boxes = [(0, 0, 30, 10), (50, 1, 80, 11), (0, 20, 35, 30), (50, 20, 90, 30)]
    grid = grid_of_lines(np.array(boxes))
    assert (grid.rows, grid.cols, grid.method) == (2, 2, "lines")
    assert assign(grid, np.array(boxes, float)) == [0, 1, 2, 3]
    assert grid_of_lines(np.zeros((0, 4))).cells == ()


def test_html_escapes_and_spans():
    found = (
        TableCell(0, 0, 1, 2, True, "a < b & c"),
        TableCell(1, 0, 1, 1, False, ""),
        TableCell(1, 1, 1, 1, False, "x"),
    )
    assert table_html(found) == (
        '<table><tr><th colspan="2">a &lt; b &amp; c</th></tr><tr><td></td><td>x</td></tr></table>'
    )
