"""ChunkSource order: columns are read one after the other, objects over several columns part them."""

from __future__ import annotations

import time

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.deepdoc.assembly.assemble import assemble, figure_requests
from kb_pipeline.records import Region, TextLine
from kb_pipeline.settings import Settings
from kb_pipeline_tests.assembly_pages import column, grid, line, page, tables


def texts(*pages, grids=(), bookmarks=()) -> list[str]:
    return [section.text for section in assemble(pages, grids, bookmarks, Settings()).sections]


def words(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{i} runs on through its own column" for i in range(count)]


def boxed(item: TextLine, *box: float) -> TextLine:
    return msgspec.structs.replace(item, box=box)


def order_of(text: str, prefixes: str) -> list[str]:
    return [word for word in text.split() if word[0] in prefixes and word[1:].isdigit()]


def numbered(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{i}" for i in range(count)]


def test_two_columns_below_a_full_width_title_are_not_mixed():
    lines = [line("One Title Above Both Of The Columns", 120, 60, 480, size=16)]
    lines += [
        item
        for pair in zip(column(words("L", 30), 50, 285, 100), column(words("R", 30), 315, 550, 100), strict=True)
        for item in pair
    ]
    text = " ".join(texts(page(lines)))
    assert order_of(text, "LR") == numbered("L", 30) + numbered("R", 30)
    assert text.startswith("One Title")


def test_three_columns_are_read_from_left_to_right():
    lines = []
    for i, row in enumerate(zip(words("A", 20), words("B", 20), words("C", 20), strict=True)):
        for text, x0 in zip(row, (40, 225, 410), strict=True):
            lines.append(line(text, x0, 100 + 14 * i, x0 + 165))
    assert order_of(" ".join(texts(page(lines))), "ABC") == numbered("A", 20) + numbered("B", 20) + numbered("C", 20)


def test_a_table_over_both_columns_parts_what_stands_above_from_what_stands_below():
    ended = [*words("R", 7), "R7 runs on to its end."]
    above = column(words("L", 8), 50, 285, 100) + column(ended, 315, 550, 100)
    below = column(words("S", 8), 50, 285, 500) + column(words("T", 8), 315, 550, 500)
    cells = [line("Value", 110, 305), line("42", 190, 325)]
    table = grid([["Value", ""], ["", "42"]], (32, 33), x0=60, cell=(240, 20))
    found = texts(page(above + below + cells), grids=[tables(table)])
    at = next(i for i, text in enumerate(found) if "42" in text)
    before, after = " ".join(found[:at]), " ".join(found[at + 1 :])
    assert order_of(before, "LRST") == numbered("L", 8) + numbered("R", 8)
    assert order_of(after, "LRST") == numbered("S", 8) + numbered("T", 8)


def test_columns_of_unequal_length_stay_whole():
    lines = column(words("L", 40), 50, 285, 100) + column(words("R", 3), 315, 550, 100)
    assert order_of(" ".join(texts(page(lines))), "LR") == numbered("L", 40) + numbered("R", 3)


def test_staggered_lines_of_two_columns_stay_apart():
    lines = column(words("L", 20), 50, 285, 100) + column(words("R", 20), 315, 550, 106)
    assert order_of(" ".join(texts(page(lines))), "LR") == numbered("L", 20) + numbered("R", 20)


def test_labels_and_values_are_read_row_by_row():
    lines = []
    for i, (label, value) in enumerate(
        [("Name:", "Copper Hill"), ("Depth:", "310 m"), ("Date:", "1 May"), ("By:", "Lin")]
    ):
        lines += [line(label, 60, 100 + 20 * i), line(value, 200, 100 + 20 * i)]
    text = " ".join(texts(page(lines)))
    assert text == "Name: Copper Hill Depth: 310 m Date: 1 May By: Lin"


def test_a_marker_stays_with_the_item_beside_it():
    lines = []
    for i in range(6):
        lines += [
            line(f"({i + 1})", 50, 100 + 14 * i),
            line(f"item number {i + 1} of the list runs to here", 80, 100 + 14 * i, 500),
        ]
    text = " ".join(texts(page(lines)))
    assert text.startswith("(1) item number 1 of the list")
    assert text.index("item number 1") < text.index("(2)") < text.index("item number 2")


def test_a_region_that_spans_two_columns_is_read_by_columns():
    lines = [
        item
        for pair in zip(column(words("L", 12), 50, 285, 100, 0), column(words("R", 12), 315, 550, 100, 0), strict=True)
        for item in pair
    ]
    found = texts(page(lines, regions=(Region("text", (48, 98, 552, 270)),)))
    assert order_of(" ".join(found), "LR") == numbered("L", 12) + numbered("R", 12)


def test_right_to_left_columns_are_read_from_the_right():
    lines = column(["אבגד הוזח טיכל"] * 10, 50, 285, 100) + column(["צקרש תאבג דהוז"] * 10, 315, 550, 100)
    text = " ".join(texts(page(lines)))
    assert text.index("צקרש") < text.index("אבגד הוזח")
    assert text.rindex("צקרש תאבג דהוז") < text.index("אבגד הוזח")


def test_vertical_lines_are_read_from_right_to_left():
    lines = [
        boxed(line(text, 0, 0, vertical=True), 500 - 30 * i, 100, 510 - 30 * i, 700)
        for i, text in enumerate(["春はあけぼの", "やうやう白く", "なりゆく山ぎは"])
    ]
    assert "".join(texts(page(lines))) == "春はあけぼのやうやう白くなりゆく山ぎは"


def test_a_page_that_stands_on_its_side_is_read_upright():
    """Content turned 90 degrees clockwise: its first line stands at the right edge and runs downwards."""
    lines = []
    for i in range(6):
        for prefix, top, bottom in (("L", 50, 360), ("R", 400, 710)):
            item = line(f"{prefix}{i} runs on through its own column", 0, 0, vertical=True)
            lines.append(boxed(item, 500 - 14 * i, top, 510 - 14 * i, bottom))
    text = " ".join(texts(page(lines, turned=90)))
    assert order_of(text, "LR") == numbered("L", 6) + numbered("R", 6)


def test_a_sideways_stamp_in_the_margin_is_read_last():
    stamp = boxed(line("arXiv:2501.00001v1 [cs.CL] 1 Jan 2025", 0, 0, vertical=True), 10, 200, 24, 600)
    found = texts(page([stamp, *column(words("L", 30), 50, 550, 100)]))
    assert found[-1].startswith("arXiv")
    assert "arXiv" not in " ".join(found[:-1])


def test_a_figure_behind_text_takes_no_part_in_the_cuts():
    lines = column(words("L", 20), 50, 285, 100, 1) + column(words("R", 20), 315, 550, 100, 2)
    regions = (
        Region("figure", (0, 0, 600, 800)),
        Region("text", (50, 100, 285, 380)),
        Region("text", (315, 100, 550, 380)),
    )
    document = assemble([page(lines, regions=regions)], [], [], Settings())
    assert order_of(" ".join(s.text for s in document.sections), "LR") == numbered("L", 20) + numbered("R", 20)
    assert [request.box for request in figure_requests(document)] == [(0, 0, 600, 800)]


@given(st.permutations(range(24)))
def test_the_order_of_lines_in_the_input_does_not_matter(order):
    lines = column(words("L", 12), 50, 285, 100) + column(words("R", 12), 315, 550, 100)
    assert order_of(" ".join(texts(page([lines[i] for i in order]))), "LR") == numbered("L", 12) + numbered("R", 12)


def test_thousands_of_lines_are_ordered_quickly():
    lines = [line(f"w{i}", 40 + (i % 40) * 60, 20 + (i // 40) * 12) for i in range(4000)]
    start = time.process_time()
    texts(page(lines, width=2500.0, height=1300.0))
    assert time.process_time() - start < 5
