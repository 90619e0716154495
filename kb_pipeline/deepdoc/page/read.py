"""One page from file to lines, regions and tables: pure functions that may run in several threads at once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial

import cv2
import msgspec
import numpy as np

from kb_pipeline.deepdoc.files import geometry
from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.files.paged_file import PagedFile
from kb_pipeline.deepdoc.files.pdf import render_scale
from kb_pipeline.deepdoc.files.rulings import Rulings, picture_rulings
from kb_pipeline.deepdoc.page.aligned_tables import with_aligned_tables
from kb_pipeline.deepdoc.page.region_lines import usual_height
from kb_pipeline.deepdoc.page.region_rules import settled
from kb_pipeline.deepdoc.page.regions import assign_lines, merged_tables, paragraphs
from kb_pipeline.deepdoc.page.ruled_tables import with_ruled_tables
from kb_pipeline.deepdoc.page.strokes import stroke_weight
from kb_pipeline.deepdoc.page.tables import page_tables
from kb_pipeline.deepdoc.page.text import PageText, page_text
from kb_pipeline.deepdoc.page.verdict import page_verdict
from kb_pipeline.deepdoc.vision.crops import crop_box, shrunk
from kb_pipeline.deepdoc.vision.deepdoc_weights.layout import deepdoc_regions
from kb_pipeline.deepdoc.vision.detection import detect_lines
from kb_pipeline.deepdoc.vision.layout import detect_regions, without_overlaps
from kb_pipeline.deepdoc.vision.ocr import Upright, rounded_box
from kb_pipeline.deepdoc.vision.orientation import orientation, turn_picture
from kb_pipeline.records import Box, Origin, PageLayout, PageRender, PageTables, Region, Source, TextLine
from kb_pipeline.settings import Settings
from kb_pipeline.weights.manifest import DEEPDOC, in_use

SURE_TURN = 0.7  # score from which a page is turned
ZOOM = 3.0  # a page without any line though it holds ink is rendered so much larger…
MAX_ZOOM = 9.0  # …until it is so much larger than at first
MIN_CONTRAST = 32  # grey levels between ink and paper
FIGURE_MARGIN = 1.0  # points around a figure's box
FIGURE_QUALITY = 88  # JPEG


def render_page(file: PagedFile, page: int, settings: Settings) -> tuple[PageRender, Characters, np.ndarray, bytes]:
    """A page's geometry with the verdict on its characters, the characters, the full picture, the display picture.

    The picture is BGR uint8 at `render.dpi`, smaller where the pixel budget demands it; the display picture is a JPEG
    at `render.picture_dpi`. `picture_digest` is BLAKE2b (16 bytes, hex) of shape and pixels.

    Raises:
        PageFailed: the page cannot be read.
    """
    width, height = file.size(page)
    scale = render_scale(width, height, settings.render.dpi, settings.render.pixel_budget)
    characters = file.characters(page)
    picture = file.render(page, scale)
    render = PageRender(
        page=page,
        width=width,
        height=height,
        rotation=file.rotation(page),
        scale=scale,
        picture_digest=_digest(picture),
        characters=characters.total,
        verdict=page_verdict(characters, file.picture_coverage(page), file.drawing_count(page)),
    )
    return render, characters, picture, _display(picture, settings.render.picture_dpi / 72 / scale, settings)


def read_page(
    file: PagedFile, render: PageRender, characters: Characters, picture: np.ndarray, settings: Settings
) -> PageLayout:
    """Lines and regions of a page.

    Lines are detected on every page. On a clean page its characters are put into them, and only detected lines without
    readable characters are recognised; on scans and garbled pages all are recognised, after the page was turned
    upright (`turned`). Every line knows its region; tables that overlap are one.

    The rule of the sum: `characters` are all characters of the layer, seen or not, garbled or not, plus all that
    recognition found, and they are in `lines` or in `dropped`. A layer, or a line of it, that recognition replaced is
    dropped text with its reason.
    """
    upright = Upright(picture, 0, render.scale)
    turned = _page_turn(picture, render, settings)
    if turned:
        upright = Upright(turn_picture(picture, 360 - turned), turned, render.scale)
    quads = _detect(file, render, upright, settings)
    text = page_text(upright, quads, characters, render, settings)
    lines = text.lines
    regions = _regions(upright, render, lines, _rulings(file, render, picture, lines), settings)
    owners = assign_lines(lines, regions)
    if not turned:
        regions, owners = paragraphs(regions, lines, owners, partial(stroke_weight, picture, scale=render.scale))
    lines = [msgspec.structs.replace(line, region=k) for line, k in zip(lines, owners, strict=True)]
    return PageLayout(
        page=render.page,
        width=render.width,
        height=render.height,
        source=_source(text),
        verdict=msgspec.structs.replace(render.verdict, figures={**render.verdict.figures, **text.figures}),
        turned=turned,
        lines=tuple(lines),
        regions=tuple(regions),
        dropped=tuple(text.dropped),
        characters=characters.total + text.recognised,
    )


def read_tables(
    file: PagedFile, layout: PageLayout, characters: Characters, picture: np.ndarray, settings: Settings
) -> PageTables:
    """The grids of the page's table regions; see `page_tables`."""
    return page_tables(file, layout, characters, picture, settings)


def crop_figure(picture: np.ndarray, region_box: Box, scale: float) -> bytes:
    """The part of a page's picture under a box in points, as JPEG. `scale`: pixels per point."""
    box = geometry.as_box(v * scale for v in region_box)
    crop, _, _ = crop_box(picture, box, round(FIGURE_MARGIN * scale))
    if crop.size == 0:
        crop = np.full((1, 1, 3), 255, np.uint8)
    return cv2.imencode(".jpg", crop, [cv2.IMWRITE_JPEG_QUALITY, FIGURE_QUALITY])[1].tobytes()


def _digest(picture: np.ndarray) -> str:
    digest = hashlib.blake2b(repr(picture.shape).encode(), digest_size=16)
    digest.update(np.ascontiguousarray(picture).data)
    return digest.hexdigest()


def _display(picture: np.ndarray, factor: float, settings: Settings) -> bytes:
    if factor < 1:
        size = (max(1, round(picture.shape[1] * factor)), max(1, round(picture.shape[0] * factor)))
        picture = shrunk(picture, *size)
    quality = [cv2.IMWRITE_JPEG_QUALITY, settings.render.picture_quality]
    return cv2.imencode(".jpg", picture, quality)[1].tobytes()


def _page_turn(picture: np.ndarray, render: PageRender, settings: Settings) -> int:
    """Degrees clockwise by which a page without a usable character layer stands."""
    if not settings.ocr.orientation or render.verdict.label not in ("scan", "scan noise") or not _has_ink(picture):
        return 0
    turned, score = orientation(picture)
    return turned if score >= SURE_TURN else 0


def _has_ink(picture: np.ndarray) -> bool:
    thumbnail = np.ascontiguousarray(picture[::3, ::3])
    return int(thumbnail.max()) - int(thumbnail.min()) >= MIN_CONTRAST


def _detect(file: PagedFile, render: PageRender, upright: Upright, settings: Settings) -> np.ndarray:
    """Quads [N, 4, 2] in pixels of the upright picture; a small page that shows nothing is looked at enlarged.

    Small print is looked at again only where no characters say what it is.
    """
    if not _has_ink(upright.picture):
        return np.zeros((0, 4, 2), np.float32)
    side, models = settings.ocr.detection_side, settings.ocr.models
    quads, _ = detect_lines(upright.picture, side, models, look_again=render.verdict.label != "clean")
    longest = max(upright.picture.shape[:2])
    if len(quads) == 0 and longest > side:  # enlarging helps only where the net saw all there is
        quads, _ = detect_lines(upright.picture, 2 * side, models, look_again=False)
    zoom = 1.0
    while len(quads) == 0 and longest * zoom <= side and zoom * ZOOM <= MAX_ZOOM:
        zoom *= ZOOM
        dpi = render.scale * zoom * 72
        scale = render_scale(render.width, render.height, dpi, settings.render.pixel_budget)
        if scale < render.scale * zoom * 0.99:
            break
        larger = turn_picture(file.render(render.page, scale), 360 - upright.turned)
        quads, _ = detect_lines(larger, side, models)
        quads = quads / np.float32(scale / upright.scale)
    return quads


def _regions(
    upright: Upright, render: PageRender, lines: list[TextLine], rulings: Rulings, settings: Settings
) -> list[Region]:
    found = []
    original = in_use("layout") == DEEPDOC
    seen = deepdoc_regions(upright.picture) if original else detect_regions(upright.picture, settings.layout.threshold)
    for region in seen:
        corners = upright.to_page(np.array(region.box, float).reshape(2, 2))
        box = geometry.clip(geometry.quad_box(np.repeat(corners, 2, axis=0)), render.width, render.height)
        found.append(Region(region.role, rounded_box(box), round(region.score, 4)))
    turned = upright.turned != 0
    if turned:
        return merged_tables(without_overlaps(found))
    regions = with_ruled_tables(settled(found, lines, render.width, render.height), rulings, lines)
    return merged_tables(with_aligned_tables(regions, lines))


def _rulings(file: PagedFile, render: PageRender, picture: np.ndarray, lines: Sequence[TextLine]) -> Rulings:
    """What is drawn on a page, in points: by its paths, of a scan by its picture."""
    if render.verdict.label in ("scan", "scan noise"):
        return picture_rulings(picture, render.scale, usual_height(lines))
    return file.rulings(render.page)


def _source(text: PageText) -> Source:
    origins: set[Origin] = {line.origin for line in text.lines}
    if len(origins) == 2:
        return "mixed"
    return origins.pop() if origins else "none"
