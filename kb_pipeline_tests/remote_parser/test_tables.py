"""Cells out of HTML tables."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.remote_parser.tables import read_table, visible


def cells(source):
    table = read_table(source)
    return {(c.row, c.col): (c.rowspan, c.colspan, c.header, t) for c, t in zip(table.cells, table.texts, strict=True)}


def test_spans_headers_and_entities():
    found = cells(
        '<html><body><table border="1"><thead><tr><td rowspan="2">A</td><td colspan="2">B &amp; C</td></tr>'
        "<tr><td>b</td><td>c</td></tr></thead><tbody><tr><th>x</th><td>1 &lt; 2</td><td></td></tr></tbody></table>"
    )
    assert found == {
        (0, 0): (2, 1, True, "A"), (0, 1): (1, 2, True, "B & C"), (1, 1): (1, 1, True, "b"), (1, 2): (1, 1, True, "c"),
        (2, 0): (1, 1, True, "x"), (2, 1): (1, 1, False, "1 < 2"), (2, 2): (1, 1, False, ""),
    }  # fmt: skip


def test_broken_html_and_senseless_spans_are_read_as_far_as_they_go():
    found = cells('<table><tr><td rowspan="99">a<td colspan="0">b<tr><td colspan="x">c<script>1')
    assert {key: value[3] for key, value in found.items()} == {(0, 0): "a", (0, 1): "b", (1, 1): "c1"}
    assert found[0, 0][:2] == (2, 1)
    assert read_table("no table at all").outside == "no table at all"


def test_text_outside_of_cells_and_inner_tables_is_kept():
    table = read_table(
        "<table><caption>Table 1</caption><tr><td>a<table><tr><td>in</td></tr></table>z</td></tr></table>"
    )
    assert table.outside == "Table 1"
    assert table.texts == ["a in z"]


def test_line_breaks_part_words_and_emphasis_does_not():
    assert read_table("<table><tr><td>CH<sub>3</sub><br>two</td></tr></table>").texts == ["CH3 two"]


@given(
    st.lists(
        st.lists(st.tuples(st.text("ab<&>中 ", max_size=6), st.integers(0, 4), st.integers(0, 4)), max_size=4),
        max_size=5,
    )
)
def test_every_character_is_in_one_cell_and_no_place_has_two_owners(rows):
    from html import escape

    cells_of = [[f'<td rowspan="{r}" colspan="{c}">{escape(t)}</td>' for t, r, c in row] for row in rows]
    source = "".join(f"<tr>{''.join(row)}</tr>" for row in cells_of)
    table = read_table(f"<table>{source}</table>")
    assert Counter("".join("".join(t.split()) for t in table.texts)) == Counter("".join(visible(source).split()))
    places = [(c.row + r, c.col + k) for c in table.cells for r in range(c.rowspan) for k in range(c.colspan)]
    assert len(places) == len(set(places))
