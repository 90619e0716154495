"""The raw PDFium calls that the readers share: one lock, fast prototypes, small decoders.

PDFium is not thread-safe: every call of this package happens while `LOCK` is held. The prototypes below take plain
integers as addresses and keep Python's own lock, which makes a call about four times as cheap as the generated ones;
that matters for the handful of functions that are called for each character or path segment. The `each_…` ones, called
for every character of a page, do not even convert their arguments, which halves the rest: addresses must be c_void_p.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as raw

LOCK = threading.RLock()

# Results of FPDF_GetLastError.
ERROR_PASSWORD = 4
ERROR_SECURITY = 5

Matrix = tuple[float, float, float, float, float, float]


# Handles, functions and C types of pypdfium2 are `Any` here: it declares them by classes made at run time.


def address(handle: Any) -> int:
    """The address in a handle of pypdfium2, as the fast prototypes want it."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _fast(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)(address(function))


_P, _I, _U = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint

each_unicode = _fast(raw.FPDFText_GetUnicode, _U)
each_object = _fast(raw.FPDFText_GetTextObject, _P)
each_loose_box = _fast(raw.FPDFText_GetLooseCharBox, _I)
each_tight_box = _fast(raw.FPDFText_GetCharBox, _I)
each_unmapped = _fast(raw.FPDFText_HasUnicodeMapError, _I)
char_origin = _fast(raw.FPDFText_GetCharOrigin, _I, _P, _I, _P, _P)
char_hyphen = _fast(raw.FPDFText_IsHyphen, _I, _P, _I)
char_matrix = _fast(raw.FPDFText_GetMatrix, _I, _P, _I, _P)
char_font_size = _fast(raw.FPDFText_GetFontSize, ctypes.c_double, _P, _I)
text_render_mode = _fast(raw.FPDFTextObj_GetTextRenderMode, _I, _P)
text_font = _fast(raw.FPDFTextObj_GetFont, _P, _P)
font_name = _fast(raw.FPDFFont_GetBaseFontName, ctypes.c_size_t, _P, _P, ctypes.c_size_t)
font_weight = _fast(raw.FPDFFont_GetWeight, _I, _P)
font_embedded = _fast(raw.FPDFFont_GetIsEmbedded, _I, _P)
font_flags = _fast(raw.FPDFFont_GetFlags, _I, _P)
fill_color = _fast(raw.FPDFPageObj_GetFillColor, _I, _P, _P, _P, _P, _P)
stroke_color = _fast(raw.FPDFPageObj_GetStrokeColor, _I, _P, _P, _P, _P, _P)
set_active = _fast(raw.FPDFPageObj_SetIsActive, _I, _P, _I)
object_type = _fast(raw.FPDFPageObj_GetType, _I, _P)
object_matrix = _fast(raw.FPDFPageObj_GetMatrix, _I, _P, _P)
page_object_count = _fast(raw.FPDFPage_CountObjects, _I, _P)
page_object = _fast(raw.FPDFPage_GetObject, _P, _P, _I)
form_object_count = _fast(raw.FPDFFormObj_CountObjects, _I, _P)
form_object = _fast(raw.FPDFFormObj_GetObject, _P, _P, ctypes.c_ulong)
path_segment_count = _fast(raw.FPDFPath_CountSegments, _I, _P)
path_segment = _fast(raw.FPDFPath_GetPathSegment, _P, _P, _I)
path_draw_mode = _fast(raw.FPDFPath_GetDrawMode, _I, _P, _P, _P)
segment_point = _fast(raw.FPDFPathSegment_GetPoint, _I, _P, _P, _P)
segment_type = _fast(raw.FPDFPathSegment_GetType, _I, _P)
segment_close = _fast(raw.FPDFPathSegment_GetClose, _I, _P)


def multiplied(first: Matrix, then: Matrix) -> Matrix:
    """The matrix that applies `first`, then `then` (PDF convention: row vectors)."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def applied(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """The point under the matrix."""
    return (matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5])
