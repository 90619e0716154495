"""A table without rulings scores as text and as table; the stronger text won and its columns were read across."""

from kb_pipeline.deepdoc.page.region_rules import settled
from kb_pipeline.records import Region, TextLine

BOX = (50.0, 100.0, 300.0, 200.0)
RIVALS = [Region("text", BOX, 0.95), Region("table", (48.0, 100.0, 302.0, 201.0), 0.85)]


def rows(cells: int) -> list[TextLine]:
    places = [(50, 180), (200, 230), (270, 300)][:cells] if cells > 1 else [(50, 300)]
    return [TextLine("x", (a, 100 + 12 * k, b, 111 + 12 * k), "ocr") for k in range(8) for a, b in places]


def test_columns_make_it_a_table():
    assert [r.role for r in settled(RIVALS, rows(3), 600, 800)] == ["table"]


def test_lines_across_make_it_text():
    assert [r.role for r in settled(RIVALS, rows(1), 600, 800)] == ["text"]
