"""layout_boxes: every page's lines, from the character layer or recognised, and its layout regions."""

from __future__ import annotations

from collections.abc import Mapping

from kb_pipeline.engine.stage import Models, PageWork, Stage, Work
from kb_pipeline.records import PageLayout, PageRender, Verdict, decode, encode
from kb_pipeline.settings import Settings
from kb_pipeline.stages.page_renders import read_characters
from kb_pipeline.stages.page_source import open_pages, without_pages
from kb_pipeline.weights.manifest import DEEPDOC, in_use

PICTURED = ("figure", "equation")  # regions whose picture is kept


def compute_page(work: PageWork) -> tuple[dict[str, bytes], Mapping[str, float]]:
    """Lines and regions of a page; figures' pictures are cut out while the page's picture is at hand."""
    from kb_pipeline.deepdoc.page.read import crop_figure, read_page

    name = f"{work.page:05d}"
    render = decode(work.read("page_renders", f"{name}.json"), PageRender)
    if render.error:
        return failed_page(work.page, render.error), {"pages failed": 1}
    characters = read_characters(work.read("page_renders", f"{name}.parquet"))
    picture = work.source.picture(work.page, render.scale)
    layout = read_page(work.source.file, render, characters, picture, work.settings)
    parts = {f"{name}.json": encode(layout)}
    for index, region in enumerate(layout.regions):
        if region.role in PICTURED:
            parts[figure_part(work.page, index)] = crop_figure(picture, region.box, render.scale)
    facts = {
        "lines": len(layout.lines),
        "regions": len(layout.regions),
        "recognised lines": sum(line.origin == "ocr" for line in layout.lines),
    }
    return parts, facts


def figure_part(page: int, region: int) -> str:
    """Part name of a figure region's picture."""
    return f"{page:05d}-figure-{region}.jpg"


def failed_page(page: int, reason: str) -> dict[str, bytes]:
    """A page without lines, marked with the reason."""
    layout = PageLayout(page, 0.0, 0.0, "none", Verdict("blank", {}), 0, (), (), (), 0, reason)
    return {f"{page:05d}.json": encode(layout)}


def models(settings: Settings) -> Models:
    """Weight files in use, a user's DeepDOC files among them."""
    if read_remotely(settings):
        return ()
    found = [("detection", in_use("detection", settings.ocr.models)), *recognition_models(settings)]
    found.append(("layout", in_use("layout")))
    if settings.ocr.orientation:
        found.append(("orientation", ""))
    return tuple(found)


def read_remotely(settings: Settings) -> bool:
    """Whether the remote parser reads pages on its own."""
    return settings.parser.engine == "remote"


def idle(work: Work) -> str:
    """Why there is nothing to do: a file without pages, or pages that the remote parser reads."""
    return without_pages(work) or ("remote parser" if read_remotely(work.settings) else "")


def recognition_models(settings: Settings) -> Models:
    """The files that recognise lines."""
    variant = in_use("recognition", settings.ocr.models)
    dictionary = (("recognition dictionary", variant),) if variant in ("tiny", DEEPDOC) else ()
    return (("recognition", variant), *dictionary)


STAGE = Stage(
    "layout_boxes",
    ("page_renders",),
    "5",
    "Lines of every page (character layer or OCR) and its layout regions.",
    settings=("parser.engine", "ocr", "layout", "render.pixel_budget"),
    models=models,
    idle=idle,
    open_pages=open_pages,
    compute_page=compute_page,
    failed_page=failed_page,
    kinds=("onnx",),
)
