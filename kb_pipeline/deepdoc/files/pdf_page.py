"""Geometry of PDF pages, and what has to be done to a page before PDFium shows all of it in the right place."""

from __future__ import annotations

import ctypes
import math
import re
from dataclasses import dataclass

import pypdfium2.raw as raw

from kb_pipeline.deepdoc.files import pdfium

# Longest side of a picture in pixels: OpenCV keeps coordinates in 16 bits in places.
MAX_SIDE = 32_000
# A UserUnit beyond this is a mistake in the file (the specification's own limit is 75,000 for a page of one unit).
MAX_UNIT = 75_000.0


@dataclass(frozen=True)
class Geometry:
    """Displayed size of a page in points, its clockwise rotation, and the matrix from user space to the display."""

    width: float
    height: float
    rotation: int
    matrix: pdfium.Matrix


def render_scale(width: float, height: float, dpi: float, pixel_budget: int) -> float:
    """Pixels per point for a page of that size in points: `dpi`, or less where the picture would be too large.

    The estimate needs no memory: width x height stays within `pixel_budget`, and each side within MAX_SIDE.
    """
    scale = min(dpi / 72, MAX_SIDE / max(width, height), math.sqrt(pixel_budget / (width * height)))
    while math.prod(picture_size(width, height, scale)) > pixel_budget and scale > 1e-12:
        scale *= 0.999
    return scale


def picture_size(width: float, height: float, scale: float) -> tuple[int, int]:
    """Pixels of the picture of a page of that size in points; at least one each way."""
    return (max(1, round(width * scale)), max(1, round(height * scale)))


def repaired_crop(handle: object) -> bool:
    """A CropBox beside the MediaBox leaves nothing; viewers then show the MediaBox. True when the page changed."""
    if not is_flat(handle):
        return False
    sides = [ctypes.c_float() for _ in range(4)]
    raw.FPDFPage_GetMediaBox(handle, *sides)
    raw.FPDFPage_SetCropBox(handle, *sides)
    return True


def flattened(handle: object) -> bool:
    """Makes form fields and remarks part of the page: their text is text, and is drawn. True when the page changed.

    PDFium neither extracts the text of annotations nor draws form fields without a form environment.
    """
    for index in range(raw.FPDFPage_GetAnnotCount(handle)):
        annotation = raw.FPDFPage_GetAnnot(handle, index)
        subtype = raw.FPDFAnnot_GetSubtype(annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if subtype not in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP):
            return raw.FPDFPage_Flatten(handle, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS
    return False


def is_flat(handle: object) -> bool:
    return not (raw.FPDF_GetPageWidthF(handle) > 0 and raw.FPDF_GetPageHeightF(handle) > 0)


def display_geometry(left: float, bottom: float, right: float, top: float, rotation: int, unit: float) -> Geometry:
    across, up = abs(right - left), abs(top - bottom)
    left, bottom, right, top = min(left, right), min(bottom, top), max(left, right), max(bottom, top)
    u = unit
    matrix = {
        0: (u, 0.0, 0.0, -u, -left * u, top * u),
        90: (0.0, u, u, 0.0, -bottom * u, -left * u),
        180: (-u, 0.0, 0.0, u, right * u, -bottom * u),
        270: (0.0, -u, -u, 0.0, top * u, right * u),
    }[rotation]
    width, height = (up * u, across * u) if rotation % 180 else (across * u, up * u)
    return Geometry(width, height, rotation, matrix)


# ---------------------------------------------------------------- UserUnit


def mentions_user_unit(document: object, data: bytes) -> bool:
    """Whether any page may have a UserUnit; compressed dictionaries are looked through by writing them out plain."""
    if b"UserUnit" in data:
        return True
    return b"ObjStm" in data and b"UserUnit" in _written(document)


def read_user_unit(document: object, index: int) -> float:
    """UserUnit of a page. PDFium has no call for it, so the page is copied to a file of its own and read there."""
    copy = raw.FPDF_CreateNewDocument()
    try:
        if not raw.FPDF_ImportPagesByIndex(copy, document, (ctypes.c_int * 1)(index), 1, 0):
            return 1.0
        found = re.search(rb"/UserUnit\s*([0-9.]+)", _written(copy))
        unit = float(found[1]) if found and found[1].count(b".") < 2 and found[1] != b"." else 1.0
        return unit if 0 < unit <= MAX_UNIT else 1.0
    finally:
        raw.FPDF_CloseDocument(copy)


def _written(document: object) -> bytes:
    """The document as PDFium writes it: every dictionary plain. Costs about 0.2 s for 10,000 objects."""
    parts: list[bytes] = []

    def write(_writer: object, data: int, length: int) -> int:
        parts.append(ctypes.string_at(data, length))
        return 1

    writer = raw.FPDF_FILEWRITE()
    writer.version = 1
    writer.WriteBlock = type(writer.WriteBlock)(write)
    raw.FPDF_SaveAsCopy(document, writer, raw.FPDF_REMOVE_SECURITY)
    return b"".join(parts)
