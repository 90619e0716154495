"""Lines of a CSV file with more or fewer fields than its header, or a stray quote, are skipped (ragflow's reader)."""

from __future__ import annotations

from kb_pipeline.formats import read_native

TEXT = 'id,name,note\n1,a\n2,b,c,d,e\n"3,x,y\n4,z,"last"\n'


def test_every_line_is_a_row_with_all_its_values():
    section = read_native("csv", TEXT.encode(), "a.csv").document.sections[0]
    rows = {}
    for one in section.cells:
        rows.setdefault(one.row, []).append(one.text)
    assert [[text for text in row if text] for row in rows.values()] == [
        ["id", "name", "note"],
        ["1", "a"],
        ["2", "b", "c", "d", "e"],
        ['"3', "x", "y"],
        ["4", "z", "last"],
    ]
    assert [one.locators[0].first for one in section.cells if one.col == 0] == [1, 2, 3, 4, 5]
