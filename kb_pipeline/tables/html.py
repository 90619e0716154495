"""HTML of a table's cells."""

from __future__ import annotations

import html
from collections.abc import Sequence

from kb_pipeline.records import TableCell


def table_html(cells: Sequence[TableCell]) -> str:
    """A `<table>` of cells in row order: `th` for headers, spans where above 1, text escaped."""
    rows: list[list[TableCell]] = [[] for _ in range(max((c.row + c.rowspan for c in cells), default=0))]
    for cell in cells:
        rows[cell.row].append(cell)
    parts = ["<table>"]
    for row in rows:
        parts.append("<tr>")
        parts += [_cell_html(cell) for cell in sorted(row, key=lambda cell: cell.col)]
        parts.append("</tr>")
    return "".join([*parts, "</table>"])


def _cell_html(cell: TableCell) -> str:
    tag = "th" if cell.header else "td"
    spans = "".join(f' {n}="{v}"' for n, v in (("rowspan", cell.rowspan), ("colspan", cell.colspan)) if v > 1)
    return f"<{tag}{spans}>{html.escape(cell.text, quote=False)}</{tag}>"
