"""Small digital PDFs for tests, made with reportlab: the same bytes every time."""

from __future__ import annotations

import io
from collections.abc import Sequence


def text_pdf(pages: Sequence[Sequence[str]], size: tuple[float, float] = (300, 200)) -> bytes:
    """A PDF whose pages hold those lines in 10 pt Helvetica, from the top left."""
    from reportlab.pdfgen.canvas import Canvas

    data = io.BytesIO()
    canvas = Canvas(data, pagesize=size, invariant=1)
    for lines in pages:
        canvas.setFont("Helvetica", 10)
        for number, line in enumerate(lines):
            canvas.drawString(30, size[1] - 40 - 16 * number, line)
        canvas.showPage()
    canvas.save()
    return data.getvalue()
