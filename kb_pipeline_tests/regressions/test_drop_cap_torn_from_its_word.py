"""A drop cap came out as a word of its own in the middle of the paragraph that it begins."""

from __future__ import annotations

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.records import Region, TextLine
from kb_pipeline.settings import Settings
from kb_pipeline_tests.assembly_pages import column, page


def test_a_drop_cap_begins_its_word():
    cap = TextLine("O", (50, 100, 72, 128), "text layer", size=30, region=0)
    beside = column(["ver the past three decades the survey", "found copper in grey limestone and"], 76, 285, 100, 0)
    below = column(["zinc below a thin cover of clay in the", "valley."], 50, 285, 128, 0)
    document = assemble(
        [page([cap, *beside, *below], regions=(Region("text", (50, 100, 285, 152)),))], [], [], Settings()
    )
    assert [section.text for section in document.sections] == [
        "Over the past three decades the survey found copper in grey limestone and zinc below a thin cover of clay in "
        "the valley."
    ]
