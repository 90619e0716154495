"""Tables: cells with spans, set from the current place of a flow on, over page breaks, with the header repeated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from drawing import ASCENT, DESCENT, Style, break_lines
from flow import Flow
from truth import Cell, Noise, Section

PAD_X, PAD_Y = 3.0, 2.5  # points between a cell's edge and its text


@dataclass(frozen=True)
class Look:
    """`rules`: `all` (grid), `three` (above, below and under the header) or `none`. `splits`: a page break
    may split a row between lines of text."""

    style: Style
    rules: str = "all"
    splits: bool = False


@dataclass
class _Piece:
    """The part of a row that stands on one page: text lines `first:last` of its cells."""

    row: int
    first: int
    last: int
    top: float = 0.0
    bottom: float = 0.0


def draw_table(flow: Flow, widths: list[float], cells: list[Cell], look: Look) -> Section:
    """Draws the table at the flow's place and records it as one section.

    Texts stand in their cells centred; a cell that spans rows is set once, on the page where it starts. The header rows
    are drawn again on each further page and recorded there as noise. Widths in points.
    """
    table = Section("table", _readable(cells), cells=cells)
    flow.sheet.document.sections.append(table)
    xs = [flow.frame.x]
    for width in widths:
        xs.append(xs[-1] + width)
    wrapped = {id(cell): _wrap(cell, xs, look.style) for cell in cells}
    rows = max(cell.row + cell.rowspan for cell in cells)
    counts = [max([len(wrapped[id(c)]) for c in cells if c.row == r and c.rowspan == 1] or [1]) for r in range(rows)]
    header = [r for r in range(rows) if all(c.header for c in cells if c.row == r)]
    todo = [_Piece(r, 0, counts[r]) for r in range(rows)]
    while todo:
        again = todo[0].row not in header
        pieces = [_Piece(r, 0, counts[r]) for r in header] if again else []
        room = flow.frame.bottom - flow.y - sum(_height(p, look.style) for p in pieces)
        while todo:
            piece, height = todo[0], _height(todo[0], look.style)
            lines = int((room - 2 * PAD_Y) // look.style.leading)
            if height <= room:
                pieces.append(todo.pop(0))
                room -= height
                continue
            if look.splits and 0 < lines < piece.last - piece.first:
                pieces.append(replace(piece, last=piece.first + lines))
                piece.first += lines
            break
        _draw_pieces(flow, xs, table, pieces, wrapped, look, header if again else [])
        if todo:
            flow.advance()
    return table


def _wrap(cell: Cell, xs: list[float], style: Style) -> list[tuple[int, int]]:
    width = xs[cell.col + cell.colspan] - xs[cell.col] - 2 * PAD_X
    return [(start, end) for start, end, _ in break_lines(cell.text, style, width, width)]


def _height(piece: _Piece, style: Style) -> float:
    return (piece.last - piece.first) * style.leading + 2 * PAD_Y


def _draw_pieces(
    flow: Flow,
    xs: list[float],
    table: Section,
    pieces: list[_Piece],
    wrapped: dict[int, list[tuple[int, int]]],
    look: Look,
    repeated: list[int],
) -> None:
    """One page's part of the table; the cells of the `repeated` header rows are noise."""
    sheet, style, start = flow.sheet, look.style, flow.y
    for piece in pieces:
        piece.top, piece.bottom = flow.y, flow.y + _height(piece, style)
        flow.y = piece.bottom
    for cell in table.cells:
        own = [piece for piece in pieces if cell.row <= piece.row < cell.row + cell.rowspan]
        if not own:
            continue
        box = (xs[cell.col], own[0].top, xs[cell.col + cell.colspan], own[-1].bottom)
        lines = wrapped[id(cell)]
        if cell.rowspan == 1:
            lines = lines[own[0].first : own[0].last]
        elif own[0].row != cell.row:
            lines = []
        base = (box[1] + box[3] - len(lines) * style.leading) / 2 + style.leading / 2
        base += style.size * (ASCENT - DESCENT) / 2
        drawn = []
        for begin, end in lines:
            x0, x1 = box[0] + PAD_X, box[2] - PAD_X
            drawn.append(sheet.aligned(x0, x1, base, cell.text[begin:end], style, begin))
            base += style.leading
        if cell.row in repeated:
            sheet.document.noise.append(Noise("repeated header", cell.text, [(li.page, li.box) for li in drawn]))
        else:
            cell.lines += drawn
            cell.boxes.append((sheet.page, box))
        if look.rules == "all":
            sheet.canvas.setLineWidth(0.6)
            sheet.canvas.rect(box[0], sheet.height - box[3], box[2] - box[0], box[3] - box[1])
    if look.rules == "three":
        under = max(piece.bottom for piece in pieces if all(c.header for c in table.cells if c.row == piece.row))
        for y, weight in ((start, 1.0), (under, 0.5), (flow.y, 1.0)):
            sheet.canvas.setLineWidth(weight)
            sheet.canvas.line(xs[0], sheet.height - y, xs[-1], sheet.height - y)
    table.boxes.append((sheet.page, (xs[0], start, xs[-1], flow.y)))


def _readable(cells: list[Cell]) -> str:
    rows = []
    for row in sorted({cell.row for cell in cells}):
        own = sorted((cell for cell in cells if cell.row == row), key=lambda cell: cell.col)
        rows.append(" | ".join(cell.text for cell in own))
    return "\n".join(rows)
