"""DeepDOC's own files, dropped into the models folder, through the pages' public functions."""

from __future__ import annotations

import json
import os
from itertools import pairwise

import numpy as np
import pytest

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.read import read_page, read_tables, render_page
from kb_pipeline.deepdoc.vision.deepdoc_weights.nets import letterbox
from kb_pipeline.engine.keys import stage_basis
from kb_pipeline.errors import ModelMissing
from kb_pipeline.settings import Settings, models_dir
from kb_pipeline.stages.pipeline import PIPELINE, open_context
from kb_pipeline.weights.fetch import missing, verify
from kb_pipeline_tests import deepdoc_weight_files as files
from kb_pipeline_tests.deepdoc.vision_pages import PAGE, blank, scanned, table_pdf
from kb_pipeline_tests.deepdoc_weight_files import Probe

BY_NAME = {stage.name: stage for stage in PIPELINE}

SCALE = 3.0  # pixels a point at 216 dpi
WIDTH, HEIGHT = 1260, 900  # pixels of the page
SETTINGS = Settings().merged({"ocr.orientation": False})
CYAN, YELLOW, GREEN, BLUE = (255, 255, 0), (0, 255, 255), (0, 255, 0), (255, 0, 0)
WHITE_PIXEL = {"channel": 0, "x": 2, "y": 2}


@pytest.fixture
def models(tmp_path, monkeypatch):
    """A models folder with the usual files, into which a test drops others."""
    usual, folder = models_dir(), tmp_path / "models"
    folder.mkdir()
    for path in usual.iterdir():
        if path.is_file():
            (folder / path.name).symlink_to(path)
    monkeypatch.setenv("KB_MODELS", str(folder))
    return folder


def read(data: bytes, settings: Settings = SETTINGS):
    with PdfFile(data, "page.pdf") as file:
        render, characters, picture, _ = render_page(file, 1, settings)
        layout = read_page(file, render, characters, picture, settings)
        return layout, read_tables(file, layout, characters, picture, settings)


def painted(*blocks: tuple[tuple[int, int, int, int], tuple[int, int, int]]) -> bytes:
    """A scanned page with coloured blocks (x0, top, x1, bottom in pixels, blue first)."""
    picture = blank(WIDTH, HEIGHT)
    for (x0, top, x1, bottom), colour in blocks:
        picture[top:bottom, x0:x1] = colour
    return scanned(picture, PAGE)


def drop_recognition(models, characters="一矿铜二"):
    (models / "ocr.res").write_bytes("\r\n".join(characters).encode())
    files.recognition(models / "rec.onnx", len(characters) + 2, without_red=3, without_blue=2)


def test_det_and_rec_read_a_page_in_their_own_colours_at_the_right_place(models):
    files.detection(models / "det.onnx")
    drop_recognition(models)
    page = painted(
        ((150, 200, 450, 260), CYAN), ((450, 200, 750, 260), GREEN),
        ((150, 500, 750, 560), YELLOW),  # full of red: no text to a net that sees red first
    )  # fmt: skip
    layout, _ = read(page)
    assert [line.text for line in layout.lines] == ["铜矿"]
    line = layout.lines[0]
    grown = 1.5 * (200 * 20) / (2 * (200 + 20))  # points: 1.5 x area / perimeter
    assert line.box == pytest.approx((50 - grown, 66.7 - grown, 250 + grown, 86.7 + grown), abs=1)
    assert line.edges[1] == pytest.approx(150, abs=6)
    assert line.origin == "ocr" and line.confidence == pytest.approx(1, abs=0.01)


def test_det_alone_keeps_the_recogniser(models):
    files.detection(models / "det.onnx")
    roles = dict(BY_NAME["layout_boxes"].models(Settings()))
    assert roles["detection"] == "original" and roles["recognition"] == "small"
    layout, _ = read(painted(((150, 200, 750, 260), CYAN)))
    assert all(d.reason == "low recognition score" for d in layout.dropped)


def test_rec_without_its_dictionary_is_refused_with_the_remedy(models):
    drop_recognition(models)
    (models / "ocr.res").unlink()
    with pytest.raises(ModelMissing, match="ocr") as caught:
        stage_basis(BY_NAME["layout_boxes"], Settings())
    assert "ocr.res" in caught.value.remedy


def test_a_dictionary_of_another_net_is_refused(models):
    drop_recognition(models)
    (models / "ocr.res").write_text("一\n二\n")
    with pytest.raises(ModelMissing, match="6 classes, its dictionary 4"):
        read(painted(((150, 200, 750, 260), (0, 0, 0))))


# ---------------------------------------------------------------- layout

FIGURE, EQUATION = (300, 150, 900, 600), (60, 700, 1200, 840)  # pixels of the page
PATCH = ((600, 300, 700, 400), BLUE)


def points(box):
    return tuple(v / SCALE for v in box)


def roles(layout):
    return {region.role: region for region in layout.regions}


def test_a_yolov10_layout_is_read_through_its_letterbox(models):
    side, ratio, bar = (640, 512), 640 / WIDTH, (512 - 457) / 2

    def inside(box):
        return (box[0] * ratio, box[1] * ratio + bar, box[2] * ratio, box[3] * ratio + bar)

    blue_x, blue_y = round(650 * ratio), round(350 * ratio + bar)
    files.yolo_v10(
        models / "layout.onnx",
        side,
        [
            Probe(inside(FIGURE), 3, 0, blue_x, blue_y),  # blue first: full score
            Probe(inside(FIGURE), 5, 2, blue_x, blue_y),  # red first would make it a table
            Probe(inside(EQUATION), 8, 1, 5, 5),  # a pixel of the grey bar: 114 / 255
            Probe(inside((100, 20, 400, 60)), 2, 0, blue_x, 512 - 3),
        ],
    )
    layout, _ = read(painted(PATCH))
    found = roles(layout)
    assert set(found) == {"figure", "equation", "reference"}
    assert found["figure"].box == pytest.approx(points(FIGURE), abs=0.7)
    assert found["figure"].score == pytest.approx(1)
    assert found["equation"].box == pytest.approx(points(EQUATION), abs=0.7)
    assert found["equation"].score == pytest.approx(114 / 255, abs=0.001)


def test_weak_boxes_of_a_yolov10_count_except_what_may_be_removed_later(models):
    picture = blank(WIDTH, HEIGHT)
    picture[400:500, 400:500] = 77  # 0.3
    x, y = round(450 * 640 / WIDTH), round(450 * 640 / WIDTH)
    boxes = {3: (10, 10, 100, 60), 2: (200, 10, 300, 60), 8: (10, 100, 100, 160)}
    files.yolo_v10(models / "layout.onnx", (640, 457), [Probe(b, n, 0, x, y) for n, b in boxes.items()])
    assert set(roles(read(scanned(picture, PAGE))[0])) == {"figure", "equation"}


@pytest.mark.parametrize("net", ["yolov8", "paddle"])
def test_an_older_layout_file_is_read_in_its_own_way(models, net):
    side = (608, 800)

    def inside(box):
        return tuple(v * f for v, f in zip(box, (side[0] / WIDTH, side[1] / HEIGHT) * 2, strict=True))

    x, y = round(650 * side[0] / WIDTH), round(350 * side[1] / HEIGHT)
    blue = 0 if net == "yolov8" else 2  # the YOLO nets see blue first, the others red, scaled by ImageNet's statistics
    probes = [
        Probe(inside(FIGURE), 3, blue, x, y),
        Probe(inside(FIGURE), 5, 2 - blue, x, y),
        Probe(inside(EQUATION), 10, 0, 2, 2),
        Probe(inside((60, 20, 600, 60)), 7, 0, 2, 2),
        Probe(inside((0, 0, WIDTH, HEIGHT)), 0, 0, 2, 2),  # the background
    ]
    if net == "yolov8":
        files.yolo_v8(models / "layout.onnx", side, 11, probes)
    else:
        files.paddle(models / "layout.onnx", probes)
    found = roles(read(painted(PATCH))[0])
    assert set(found) == {"figure", "equation", "header"}
    assert found["figure"].box == pytest.approx(points(FIGURE), abs=0.1)
    assert found["equation"].box == pytest.approx(points(EQUATION), abs=0.1)


def test_a_file_of_another_signature_is_refused_by_name(models):
    (models / "layout.onnx").write_bytes((models / "layout_cdla.onnx").read_bytes())
    with pytest.raises(ModelMissing, match="is no net of DeepDOC"):
        read(painted(PATCH))


def test_a_letterbox_leads_back_to_the_same_place():
    picture = np.zeros((700, 333, 3), np.uint8)
    boxed, factors, bars = letterbox(picture, 640, 480)
    assert boxed.shape == (480, 640, 3)
    dark = np.argwhere(boxed[:, :, 0] == 0)
    top, left = dark.min(0)
    bottom, right = dark.max(0) + 1
    for (x, y), (px, py) in (((left, top), (0, 0)), ((right, bottom), (333, 700))):
        assert (x - bars[0]) * factors[0] == pytest.approx(px, abs=1)
        assert (y - bars[1]) * factors[1] == pytest.approx(py, abs=1)


# ---------------------------------------------------------------- tables

ROWS = [["Hole", "Depth and grade", ""], ["", "m", "percent"], ["ZK301", "120.5", "0.42"], ["ZK305", "98.0", "1.25"]]
WIDTHS, LEFT, TOP, ROW = [90.0, 80.0, 80.0], 40.0, 50.0, 22.0
TABLE = (LEFT - 4, TOP - 4, LEFT + sum(WIDTHS) + 4, TOP + len(ROWS) * ROW + 4)  # points
CROP = tuple(v * SCALE for v in (TABLE[0] - 10, TABLE[1] - 10, TABLE[2] + 10, TABLE[3] + 10))


def drop_table_nets(models, net: str = "yolov8", projected: int = -1):
    """layout.onnx that sees one table, tsr.onnx that sees its components in a crop with 10 points of margin."""
    factors = (640 / WIDTH, 457 / HEIGHT) * 2
    place = tuple(v * SCALE * f for v, f in zip(TABLE, factors, strict=True))
    files.yolo_v10(models / "layout.onnx", (640, 457), [Probe(place, 5, **WHITE_PIXEL)])
    side = (512, 640) if net == "yolov8" else (608, 800)
    width, height = CROP[2] - CROP[0], CROP[3] - CROP[1]

    def probe(x0, top, x1, bottom, number):
        corners = [x0 * SCALE - CROP[0], top * SCALE - CROP[1], x1 * SCALE - CROP[0], bottom * SCALE - CROP[1]]
        inside = tuple(v * f for v, f in zip(corners, (side[0] / width, side[1] / height) * 2, strict=True))
        return Probe(inside, number, **WHITE_PIXEL)

    xs = [LEFT + sum(WIDTHS[:k]) for k in range(len(WIDTHS) + 1)]
    ys = [TOP + ROW * k for k in range(len(ROWS) + 1)]
    probes = [probe(LEFT, TOP, xs[-1], ys[-1], 0)]
    probes += [probe(a + 1, TOP + k, b - 1, ys[-1] - k, 1) for k, (a, b) in enumerate(pairwise(xs))]
    probes += [probe(LEFT + k, a + 1, xs[-1] - k, b - 1, 2) for k, (a, b) in enumerate(pairwise(ys))]
    probes.append(probe(LEFT, TOP, xs[-1], ys[2], 3))
    probes += [probe(xs[1], TOP, xs[-1], ys[1], 5), probe(xs[0], TOP, xs[1], ys[2], 5)]
    if projected >= 0:
        probes.append(probe(LEFT, ys[projected] + 1, xs[-1], ys[projected + 1] - 1, 4))
    if net == "yolov8":
        files.yolo_v8(models / "tsr.onnx", side, 6, probes)
    else:
        files.paddle(models / "tsr.onnx", probes)


@pytest.mark.parametrize("net", ["yolov8", "paddle"])
def test_components_of_a_table_become_a_grid_with_spans_and_headers(models, net):
    drop_table_nets(models, net)
    _, tables = read(table_pdf(ROWS, WIDTHS, LEFT, TOP, ROW, ruled=False))
    (grid,) = tables.tables
    assert (grid.method, grid.rows, grid.cols) == ("tsr", 4, 3)
    cells = {(c.row, c.col): c for c in grid.cells}
    assert len(cells) == 12 - 1 - 1  # each span takes one place
    assert (cells[0, 0].rowspan, cells[0, 0].colspan, cells[0, 0].text) == (2, 1, "Hole")
    assert (cells[0, 1].rowspan, cells[0, 1].colspan, cells[0, 1].text) == (1, 2, "Depth and grade")
    assert [cells[2, k].text for k in range(3)] == ROWS[2]
    assert [cells[3, k].text for k in range(3)] == ROWS[3]
    assert {c.row for c in grid.cells if c.header} == {0, 1}
    assert '<th rowspan="2">Hole</th><th colspan="2">Depth and grade</th>' in grid.html
    box = cells[3, 2].locators[0].box
    assert LEFT + 170 < box[0] < box[2] < LEFT + 250 and TOP + 66 <= box[1] < box[3] <= TOP + 88


def test_a_projected_row_header_takes_its_row(models):
    drop_table_nets(models, projected=2)
    rows = [*ROWS[:2], ["North zone of the deposit", "", ""], ROWS[3]]
    _, tables = read(table_pdf(rows, WIDTHS, LEFT, TOP, ROW, ruled=False))
    cell = next(c for c in tables.tables[0].cells if c.text == "North zone of the deposit")
    assert (cell.row, cell.col, cell.colspan, cell.header) == (2, 0, 3, True)


def test_a_table_net_that_sees_nothing_leaves_the_text_in_a_grid(models):
    drop_table_nets(models)
    files.yolo_v8(models / "tsr.onnx", (512, 640), 6, [Probe((1, 1, 5, 5), 0, **WHITE_PIXEL)])
    _, tables = read(table_pdf(ROWS, WIDTHS, LEFT, TOP, ROW, ruled=False))
    assert "ZK305" in [c.text for c in tables.tables[0].cells]


# ---------------------------------------------------------------- fingerprints, listings, doctor


def test_a_dropped_file_changes_the_fingerprints_of_its_stages_alone(models):
    def bases():
        return {
            name: stage_basis(BY_NAME[name], Settings()) for name in ("page_renders", "layout_boxes", "table_grids")
        }

    before = bases()
    files.yolo_v8(models / "tsr.onnx", (512, 640), 6, [Probe((1, 1, 5, 5), 0, **WHITE_PIXEL)])
    dropped = bases()
    assert dropped["table_grids"] != before["table_grids"]
    assert [dropped[n] for n in ("page_renders", "layout_boxes")] == [
        before[n] for n in ("page_renders", "layout_boxes")
    ]
    files.yolo_v8(models / "tsr.onnx", (512, 640), 6, [Probe((1, 1, 6, 6), 0, **WHITE_PIXEL)])
    assert bases()["table_grids"] != dropped["table_grids"]
    os.unlink(models / "tsr.onnx")
    assert bases() == before


def test_a_file_that_was_replaced_answers_in_its_place(models):
    for box in (FIGURE, EQUATION):
        inside = tuple(v * f for v, f in zip(box, (640 / WIDTH, 457 / HEIGHT) * 2, strict=True))
        files.yolo_v10(models / "layout.onnx", (640, 457), [Probe(inside, 3, **WHITE_PIXEL)])
        assert roles(read(painted(PATCH))[0])["figure"].box == pytest.approx(points(box), abs=0.7)


def test_dropped_files_are_listed_and_what_they_replace_is_not_missed(models, kb_home, capsys):
    from kb_pipeline.cli import kb

    files.detection(models / "det.onnx")
    drop_table_nets(models)
    for name in ("PP-OCRv6_det_small.onnx", "layout_cdla.onnx", "slanet-plus.onnx",
                 "en_ppstructure_mobile_v2_SLANet.onnx"):  # fmt: skip
        (models / name).unlink()
    assert missing() == []
    kb.main(["models", "list", "--json"], standalone_mode=False)
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["models"]}
    assert [(rows[n]["state"], rows[n]["role"]) for n in ("det.onnx", "layout.onnx", "tsr.onnx")] == [
        ("own", "detection"), ("own", "layout"), ("own", "table"),
    ]  # fmt: skip
    assert "rec.onnx" not in rows
    (models / "tsr.onnx").unlink()
    assert [m.name for m in missing()] == ["slanet-plus.onnx", "en_ppstructure_mobile_v2_SLANet.onnx"]


def test_doctor_tells_what_keeps_a_dropped_file_from_working(models, kb_home):
    from kb_pipeline.operations.doctor import examine

    def problems():
        with open_context() as context:
            return [f.problem for f in examine(context) if f.check == "models"]

    assert problems() == []
    (models / "ocr.res").write_text("一\n")
    assert problems() == ["ocr.res does nothing without its net"]
    drop_recognition(models)
    files.detection(models / "det.onnx")
    drop_table_nets(models)
    assert problems() == []
    (models / "ocr.res").write_text("一\n")
    (models / "tsr.onnx").write_bytes(b"no net")
    (models / "det.onnx").write_bytes((models / "layout.onnx").read_bytes())
    found = problems()
    assert [name in problem for name, problem in zip(("det.onnx", "classes", "tsr.onnx"), found, strict=True)] == [
        True
    ] * 3


def test_a_document_goes_through_the_pipeline_with_them(models, tmp_path):
    from kb_pipeline.operations.parse import parse

    files.detection(models / "det.onnx")
    drop_recognition(models)
    (tmp_path / "scan.pdf").write_bytes(painted(((150, 200, 450, 260), CYAN), ((450, 200, 750, 260), GREEN)))
    (section,) = parse(str(tmp_path / "scan.pdf"), SETTINGS).sections
    assert section.text == "铜矿" and section.locators[0].page == 1


def test_the_listing_of_verify_names_only_what_is_there(models):
    assert [m.name for m, _ in verify() if m.set == "original"] == []
