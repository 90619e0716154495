"""HTML and plain text of a table's cells."""

from __future__ import annotations

import html

from kb_pipeline.records import TableCell


def table_html(cells: tuple[TableCell, ...]) -> str:
    """A `<table>` of cells in row order: `th` for headers, spans where above 1, text escaped."""
    rows = max((c.row + c.rowspan for c in cells), default=0)
    parts = ["<table>"]
    for row in range(rows):
        parts.append("<tr>")
        parts += [_cell_html(c) for c in sorted((c for c in cells if c.row == row), key=lambda c: c.col)]
        parts.append("</tr>")
    return "".join([*parts, "</table>"])


def _cell_html(cell: TableCell) -> str:
    tag = "th" if cell.header else "td"
    spans = "".join(f' {n}="{v}"' for n, v in (("rowspan", cell.rowspan), ("colspan", cell.colspan)) if v > 1)
    return f"<{tag}{spans}>{html.escape(cell.text, quote=False)}</{tag}>"
