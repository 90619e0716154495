"""Three columns under a title that does not begin at the left edge were read row by row across the columns."""

from __future__ import annotations

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.records import Region
from kb_pipeline.settings import Settings
from kb_pipeline_tests.assembly_pages import column, line, page


def test_columns_are_read_one_after_the_other():
    lines = [line("Copper and Zinc in the Upper Valley", 130, 80, 430, size=18, region=0)]
    regions = [Region("title", (130, 80, 430, 100))]
    for c, x in enumerate((50.0, 225.0, 400.0)):
        regions.append(Region("text", (x, 164, x + 140, 300)))
        lines.append(line(f"{c + 1} Part {'ABC'[c]}", x, 140, size=12, bold=True))
        lines += column([f"column {c} line {i} of running text" for i in range(10)], x, x + 140, 164, c + 1)
    document = assemble([page(lines, regions=tuple(regions))], [], [], Settings())
    text = " ".join(section.text for section in document.sections)
    places = [text.index(f"column {c} line {i} ") for c in range(3) for i in range(10)]
    assert places == sorted(places)
    assert [s.text for s in document.sections if s.level] == [
        "Copper and Zinc in the Upper Valley",
        "1 Part A",
        "2 Part B",
        "3 Part C",
    ]
