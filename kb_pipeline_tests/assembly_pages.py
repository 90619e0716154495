"""Page layouts written by hand, for tests of assembly."""

from __future__ import annotations

from kb_pipeline.records import (
    Dropped,
    PageLayout,
    PageLocator,
    PageTables,
    Region,
    TableCell,
    TableGrid,
    TextLine,
    Verdict,
)

WIDTH, HEIGHT = 600.0, 800.0
SIZE = 10.0  # type size in points
PITCH = 14.0  # distance of lines in points


def characters(text: str) -> int:
    return sum(not c.isspace() for c in text)


def line(text: str, x0: float, top: float, x1: float | None = None, size: float = SIZE, **more) -> TextLine:
    """A line of type; without `x1` it is as wide as its text (half an em a Latin letter, one a Chinese)."""
    if x1 is None:
        x1 = x0 + sum(size if ord(c) > 0x2E80 else 0.5 * size for c in text)
    return TextLine(text, (x0, top, x1, top + size), "text layer", size=size, **more)


def column(texts: list[str], x0: float, x1: float, top: float, region: int = -1, size: float = SIZE) -> list[TextLine]:
    """Lines that fill a column, one below the other."""
    return [line(text, x0, top + i * PITCH, x1, size, region=region) for i, text in enumerate(texts)]


def page(
    lines: list[TextLine],
    number: int = 1,
    regions: tuple[Region, ...] = (),
    dropped: tuple[Dropped, ...] = (),
    **more,
) -> PageLayout:
    total = sum(characters(item.text) for item in (*lines, *dropped))
    fields = {"width": WIDTH, "height": HEIGHT, "turned": 0, "error": ""} | more
    return PageLayout(
        page=number,
        source="text layer",
        verdict=Verdict("clean", {}),
        lines=tuple(lines),
        regions=regions,
        dropped=dropped,
        characters=total,
        **fields,
    )


def grid(
    rows: list[list[str]],
    lines: tuple[int, ...],
    x0: float = 100,
    top: float = 300,
    cell: tuple[float, float] = (80, 20),
    number: int = 1,
    header_rows: int = 1,
) -> TableGrid:
    """A table without spans, all cells of one size; `lines` are the page's lines that its texts come from."""
    width, height = cell
    cells = tuple(
        TableCell(
            r,
            c,
            1,
            1,
            r < header_rows,
            text,
            (
                PageLocator(
                    number,
                    (x0 + c * width, top + r * height, x0 + (c + 1) * width, top + (r + 1) * height),
                    (WIDTH, HEIGHT),
                ),
            ),
        )
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    box = (x0, top, x0 + len(rows[0]) * width, top + len(rows) * height)
    return TableGrid(number, box, -1, len(rows), len(rows[0]), cells, "<table></table>", "rulings", 1.0, lines)


def tables(*grids: TableGrid, number: int = 1) -> PageTables:
    return PageTables(number, grids)
