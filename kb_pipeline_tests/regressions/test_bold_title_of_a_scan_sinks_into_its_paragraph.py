"""On scans a bold line above its paragraph was a paragraph of its own and no title: no font says that it is bold."""

from functools import partial

import cv2
import numpy as np

from kb_pipeline.deepdoc.page.regions import paragraphs
from kb_pipeline.deepdoc.page.strokes import stroke_weight
from kb_pipeline.records import Region, TextLine
from kb_pipeline_tests.deepdoc.vision_pages import blank

WORDS = ["Reproducibility", *["and further words of the text that follows"] * 4]


def page(bold: int, colour: int = 0) -> tuple[np.ndarray, list[TextLine]]:
    picture, lines = blank(900, 400), []
    for k, words in enumerate(WORDS):
        for shift in range(bold if k == 0 else 1):  # OpenCV's own thickness does nothing to this type
            at = (40 + shift, 60 + 50 * k)
            cv2.putText(picture, words, at, cv2.FONT_HERSHEY_DUPLEX, 1, (colour,) * 3, 1, cv2.LINE_AA)
        lines.append(TextLine(words, (36, 30 + 50 * k, 40 + 19 * len(words), 70 + 50 * k), "ocr"))
    return picture, lines


def roles(bold: int) -> list[str]:
    picture, lines = page(bold)
    regions, owners = paragraphs(
        [Region("text", (30, 20, 890, 290), 0.9)], lines, [0] * len(lines), partial(stroke_weight, picture, scale=1.0)
    )
    assert owners[0] == 0
    return [r.role for r in regions]


def test_a_bold_head_is_a_title():
    assert roles(3) == ["title", "text"]


def test_a_short_line_of_the_same_weight_is_text():
    assert roles(1) == ["text", "text"]


def test_pale_type_is_not_measured():
    picture, lines = page(3, colour=230)
    assert {stroke_weight(picture, line, 1.0) for line in lines} == {0.0}
