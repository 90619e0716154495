"""Places of a chunk as a field of its row: all of them where there is room, else joined with their neighbours."""

from __future__ import annotations

from kb_pipeline.index.locators import read_locators, stored_locators
from kb_pipeline.records import CellLocator, LineLocator, ParagraphLocator, encode


def test_cells_of_a_large_table_become_ranges_around_all_of_them():
    places = [CellLocator("品位", f"{'ABCDE'[i % 5]}{i // 5 + 1}", 10 * i, 10 * i + 9) for i in range(1000)]
    found = read_locators(stored_locators(places, 4000))
    assert 10 < len(found) < 80
    assert len(encode(list(found))) < 4000
    assert (found[0].start, found[-1].end) == (0, 9999)
    assert found[0].range.startswith("A1")
    assert found[-1].range.endswith("E200")


def test_lines_and_paragraphs_become_runs():
    lines = [LineLocator(i, i, 10 * i, 10 * i + 9) for i in range(1, 301)]
    paragraphs = [ParagraphLocator(i, i, ("一",), 10 * i, 10 * i + 9, f"B{i}") for i in range(1, 301)]
    for places in (lines, paragraphs):
        found = read_locators(stored_locators(places, 2000))
        assert (found[0].first, found[-1].last) == (1, 300)
        assert [one.last + 1 for one in found[:-1]] == [one.first for one in found[1:]]
    assert found[0].range == f"B1:B{found[0].last}"


def test_few_stay_as_they_are():
    places = (CellLocator("a", "B2", 0, 3), LineLocator(1, 2))
    assert read_locators(stored_locators(places, 60_000)) == places
