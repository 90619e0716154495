from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.files.geometry import box_quad, overlap_share, quad_box
from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.line_text import is_ideographic
from kb_pipeline.deepdoc.page.lines import dropped_text, page_lines, segments
from kb_pipeline_tests.pdf_bytes import document, hex_text, identity_font, page, text


def read(*pages: object) -> Characters:
    with PdfFile(document(*pages), "test.pdf") as file:
        return file.characters(1)


def typed(*pieces: tuple[str, float, float], size: float = 10.0, **columns: object) -> Characters:
    """Characters set by hand: (text, x, top) pieces; Chinese one em wide, others half; spaces move on."""
    texts, boxes, space = [], [], []
    for words, x, top in pieces:
        gap = False
        for letter in words:
            width = size if is_ideographic(letter) else size / 2
            if letter == " ":
                gap = True
            else:
                texts.append(letter)
                boxes.append((x, top, x + width, top + size * 1.2))
                space.append(gap)
                gap = False
            x += width
    count = len(texts)
    loose = np.array(boxes, dtype=float).reshape(-1, 4)
    values = {
        "text": np.array(texts, dtype=object),
        "box": loose + np.array((0.5, 2, -0.5, -2)),
        "loose": loose,
        "size": np.full(count, size),
        "font": np.full(count, "Sans", dtype=object),
        "bold": np.zeros(count, dtype=bool),
        "angle": np.zeros(count, dtype=np.int16),
        "tilt": np.zeros(count),
        "light": np.zeros(count),
        "space": np.array(space, dtype=bool),
        "unmapped": np.zeros(count, dtype=bool),
        "dropped": np.full(count, "", dtype=object),
    }
    return Characters(**{**values, **columns})


def quads(*boxes: tuple[float, float, float, float]) -> list:
    return [box_quad(box) for box in boxes]


def texts(characters: Characters, *boxes: tuple[float, float, float, float]) -> list[str]:
    return [line.text for line in page_lines(characters, quads(*boxes)).lines]


# ---------------------------------------------------------------- words and spaces


def test_latin_words_are_spaced_and_chinese_ones_are_not():
    characters = typed(("copper grade", 50, 50), ("铜矿品位报告", 50, 80), ("铜 Cu 品位", 50, 110))
    assert texts(characters) == ["copper grade", "铜矿品位报告", "铜 Cu 品位"]


def test_spaces_come_back_from_gaps_alone():
    characters = typed(("copper", 50, 50), ("grade", 83, 50))  # 0.3 em of air, no space in the file
    assert texts(characters) == ["copper grade"]


def test_a_gap_of_a_quarter_em_between_scripts_is_typography():
    characters = typed(("品位", 50, 50), ("Cu", 72.5, 50), ("报告", 85, 50))
    assert texts(characters) == ["品位Cu报告"]


def test_letter_spacing_is_not_a_row_of_words():
    content = b"BT /F1 12 Tf 4 Tc 72 700 Td (SUMMARY OF RESULTS) Tj ET"
    assert texts(read(page(content))) == ["SUMMARY OF RESULTS"]


def test_a_wide_gap_in_chinese_parts_a_heading_but_stretched_titles_stay_whole():
    assert texts(typed(("第一章", 50, 50), ("绪论", 90, 50))) == ["第一章 绪论"]
    assert texts(typed(("目", 50, 50), ("录", 70, 50))) == ["目录"]


def test_real_fonts_keep_their_words():
    sentence = "It is, as ever, the first 1,234.5 m of drill-hole ZK305 (VAT illicit)."
    assert texts(read(page(text(sentence, 72, 700, font="F2")))) == [sentence]
    assert texts(read(page(text(sentence, 72, 700, font="F3")))) == [sentence]


def test_superscripts_and_indexes_stay_in_their_line():
    content = text("E = mc", 72, 700) + text("2", 108.5, 704.5, size=7) + text(" for all", 112.5, 700)
    assert texts(read(page(content))) == ["E = mc2 for all"]


# ---------------------------------------------------------------- edges and boxes


def test_edges_bound_every_character():
    line = page_lines(typed(("ab 铜c", 50, 40))).lines[0]
    assert line.text == "ab 铜c"
    assert line.edges == pytest.approx((50, 55, 60, 65, 75, 80))
    assert line.box == pytest.approx((50, 40, 80, 52))
    assert (line.origin, line.confidence, line.size, line.vertical) == ("text layer", 1.0, 10.0, False)


def test_edges_of_turned_text_follow_the_reading_direction():
    upwards = read(page(b"BT /F1 12 Tf 0 1 -1 0 300 400 Tm (up) Tj ET"))
    line = page_lines(upwards).lines[0]
    assert line.text == "up"
    assert line.vertical
    assert list(line.edges) == sorted(line.edges, reverse=True)
    assert line.edges[0] == pytest.approx(842 - 400)
    downwards = read(page(b"BT /F1 12 Tf 0 -1 1 0 300 400 Tm (down) Tj ET"))
    line = page_lines(downwards).lines[0]
    assert line.text == "down"
    assert list(line.edges) == sorted(line.edges)


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_sentence_reads_the_same_on_a_turned_page(rotate: int):
    content = text("Second line, longer", 72, 680) + text("First line", 72, 700)
    found = page_lines(read(page(content, rotate=rotate))).lines
    assert sorted(line.text for line in found) == ["First line", "Second line, longer"]
    assert all(line.vertical == (rotate in (90, 270)) for line in found)


def test_vertical_chinese_columns_are_lines_from_top_to_bottom():
    characters = typed(*[(c, 300, 50 + 11 * i) for i, c in enumerate("铜矿勘查报告")],
                       *[(c, 280, 50 + 11 * i) for i, c in enumerate("第二列文字")])  # fmt: skip
    found = page_lines(characters).lines
    assert sorted(line.text for line in found) == ["第二列文字", "铜矿勘查报告"]
    assert all(line.vertical for line in found)
    first = next(line for line in found if line.text.startswith("铜"))
    assert list(first.edges) == sorted(first.edges)
    assert len(first.edges) == 7


# ---------------------------------------------------------------- right to left

HEBREW = {i + 1: letter for i, letter in enumerate("שלום עולם בית12A")}
CODE = {letter: f"{code:04X}" for code, letter in HEBREW.items()}


def shown(visual: str) -> Characters:
    """A page where the glyphs stand in this order from left to right."""
    content = hex_text("".join(CODE[c] for c in visual), 72, 700, font="F9")
    return read(page(content, fonts={"F9": b"{F9} 0 R"}, objects=identity_font(HEBREW, width=600)))


def test_hebrew_is_in_logical_order():
    line = page_lines(shown("שלום עולם"[::-1])).lines[0]
    assert line.text == "שלום עולם"
    assert list(line.edges) == sorted(line.edges, reverse=True)
    assert len(line.edges) == len(line.text) + 1


def test_numbers_and_latin_inside_hebrew_keep_their_direction():
    line = page_lines(shown("תיב 12 םולש")).lines[0]
    assert line.text == "שלום 12 בית"
    assert line.edges == ()
    assert page_lines(shown("A תיב")).lines[0].text == "בית A"


# ---------------------------------------------------------------- detected lines


def test_characters_follow_the_detected_lines():
    characters = typed(("left column", 50, 50), ("right column", 130, 50))
    assert texts(characters, (48, 48, 108, 64), (128, 48, 194, 64)) == ["left column", "right column"]


def test_a_detected_box_over_two_columns_does_not_glue_them():
    characters = typed(("left column", 50, 50), ("right column", 140, 50))
    assert texts(characters, (48, 48, 205, 64)) == ["left column", "right column"]


def test_a_detected_box_over_two_rows_does_not_glue_them():
    characters = typed(("first row", 50, 50), ("second row", 50, 63))
    assert texts(characters, (48, 48, 105, 78)) == ["first row", "second row"]


def test_detection_keeps_a_widely_set_line_together():
    characters = typed(("wide", 50, 50), ("set", 88, 50))  # 1.8 em of air
    assert texts(characters, (48, 48, 105, 64)) == ["wide set"]
    assert texts(characters) == ["wide", "set"]


def test_stray_characters_join_the_line_beside_them():
    characters = typed(("the end", 50, 50), (".", 85, 50))
    assert texts(characters, (48, 48, 84, 64)) == ["the end."]


def test_detected_lines_without_characters_need_recognition():
    found = page_lines(typed(("typed", 50, 50)), quads((48, 48, 77, 64), (48, 90, 200, 104)))
    assert [line.text for line in found.lines] == ["typed"]
    assert [(u.reason, quad_box(u.quad), u.line) for u in found.unread] == [
        ("no characters", (48, 90, 200, 104), None)
    ]  # fmt: skip


def test_an_empty_line_squeezed_between_full_ones_needs_recognition():
    characters = typed(("above above", 50, 50), ("below below", 50, 72))
    boxes = [(48, 49, 107, 63), (48, 60, 107, 74), (48, 71, 107, 85)]
    found = page_lines(characters, quads(*boxes))
    assert [line.text for line in found.lines] == ["above above", "below below"]
    assert [(u.reason, quad_box(u.quad)) for u in found.unread] == [("no characters", boxes[1])]


def test_the_empty_end_of_a_detected_line_needs_recognition():
    found = page_lines(typed(("energy is", 50, 50)), quads((48, 48, 180, 64)))
    assert [line.text for line in found.lines] == ["energy is"]
    (unread,) = found.unread
    assert unread.reason == "partly empty"
    assert quad_box(unread.quad) == pytest.approx((95, 48, 180, 64))


def test_text_far_larger_than_the_detected_line_is_a_line_of_its_own():
    """A stamp or drop cap over a line must not end up between its letters."""
    small, large = typed(("body text here", 50, 60)), typed(("X", 60, 30), size=60)
    both = Characters(**{n: np.concatenate([getattr(small, n), getattr(large, n)]) for n in vars(small)})
    assert sorted(texts(both, (48, 58, 122, 74))) == ["X", "body text here"]


def test_garbled_lines_come_back_for_recognition_with_what_they_say():
    characters = typed(("fine line", 50, 50), ("\ufffd\ue001\ufffd\ue002", 50, 80))
    found = page_lines(characters)
    assert [line.text for line in found.lines] == ["fine line"]
    (unread,) = found.unread
    assert (unread.reason, unread.line.text) == ("garbled", "\ufffd\ue001\ufffd\ue002")


def test_a_leaning_watermark_is_a_line_of_its_own():
    content = text("The body text runs under it", 100, 400) + (
        b"BT /F1 60 Tf 0.7071 0.7071 -0.7071 0.7071 100 300 Tm (DRAFT) Tj ET"
    )
    assert sorted(texts(read(page(content)))) == ["DRAFT", "The body text runs under it"]


# ---------------------------------------------------------------- table segments


def test_segments_part_at_cell_gaps_and_loose_boxes_keep_figures_whole():
    content = b"".join(
        text(cell, x, y) for y, row in ((700, ("ZK305", "111.1", "1.11")), (684, ("ZK 306", "2", "0.4 %")))
        for x, cell in zip((72, 130, 180), row, strict=True)
    )  # fmt: skip
    found = segments(read(page(content)), (0, 0, 595, 842))
    assert [s.text for s in found] == ["ZK305", "111.1", "1.11", "ZK 306", "2", "0.4 %"]


def test_segments_take_only_the_box_and_only_what_is_seen():
    content = text("inside", 72, 700) + text("outside", 72, 500) + b"q " + text("ghost", 130, 700, extra="3 Tr") + b"Q"
    assert [s.text for s in segments(read(page(content)), (0, 100, 595, 200))] == ["inside"]


def test_dropped_text_names_reason_and_place():
    characters = read(page(text("seen", 72, 700) + b"q " + text("two words", 72, 500, extra="3 Tr") + b"Q"))
    (dropped,) = dropped_text(characters, 7, (595, 842))
    assert (dropped.text, dropped.reason) == ("two words", "invisible text")
    (place,) = dropped.locators
    assert (place.page, place.page_size, place.start, place.end) == (7, (595, 842), 0, 9)
    assert place.box == pytest.approx((72, 330.7, 126, 344.7), abs=0.5)


# ---------------------------------------------------------------- nothing is lost

LETTERS = st.sampled_from("abcXYZ019.,-铜矿品位あアשלםا한\ufffd\ue000")
PIECE = st.tuples(
    st.text(LETTERS, min_size=1, max_size=12), st.floats(0, 400), st.floats(0, 300)
)  # fmt: skip


@st.composite
def pages(draw: st.DrawFn) -> Characters:
    pieces = draw(st.lists(PIECE, max_size=8))
    characters = typed(*pieces, size=draw(st.sampled_from([4.0, 10.0, 31.0])))
    count = len(characters)

    def column(values: st.SearchStrategy, kind: type) -> np.ndarray:
        return np.array(draw(st.lists(values, min_size=count, max_size=count)), dtype=kind)

    return Characters(
        **{
            **vars(characters),
            "angle": column(st.sampled_from([0, 0, 0, 90, 180, 270]), np.int16),
            "tilt": column(st.sampled_from([0.0, 0.0, 0.0, 30.0]), float),
            "space": column(st.booleans(), bool),
            "unmapped": column(st.sampled_from([False, False, True]), bool),
            "dropped": column(st.sampled_from(["", "", "", "off page", "invisible text"]), object),
        }
    )


BOX = st.tuples(st.floats(0, 400), st.floats(0, 300), st.floats(1, 200), st.floats(1, 60)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)


def test_leaning_characters_of_two_directions_are_two_lines():
    """Found by the property test below: one run of equal tilt, turned by 90 degrees half way."""
    characters = typed(("abcdef", 50, 50), tilt=np.full(6, 30.0), angle=np.array([0, 0, 0, 90, 90, 90], dtype=np.int16))
    assert sorted(line.text for line in page_lines(characters).lines) == ["abc", "def"]


def letters(*sources: str) -> Counter:
    return Counter("".join("".join(s.split()) for s in sources))


@settings(max_examples=100, deadline=None)
@given(pages(), st.lists(BOX, max_size=6))
def test_no_character_is_ever_lost(characters: Characters, boxes: list):
    found = page_lines(characters, quads(*boxes))
    kept = [line.text for line in found.lines] + [u.line.text for u in found.unread if u.line]
    gone = [d.text for d in dropped_text(characters, 1, (400, 300))]
    assert letters(*kept, *gone) == letters(*characters.text.tolist())
    assert sum(letters(*kept, *gone).values()) == characters.total


@settings(max_examples=60, deadline=None)
@given(pages(), st.lists(BOX, max_size=6))
def test_lines_are_well_formed_and_repeat(characters: Characters, boxes: list):
    found = page_lines(characters, quads(*boxes))
    assert found == page_lines(characters, quads(*boxes))
    for line in found.lines:
        assert line.text == line.text.strip()
        assert "  " not in line.text
        if line.edges:
            assert len(line.edges) == len(line.text) + 1
            steps = [b - a for a, b in pairwise(line.edges)]
            assert all(s >= 0 for s in steps) or all(s <= 0 for s in steps)


@settings(max_examples=40, deadline=None)
@given(pages(), BOX)
def test_segments_hold_each_character_of_the_box_once(characters: Characters, box: tuple):
    centre = (characters.loose[:, :2] + characters.loose[:, 2:]) / 2
    inside = ((centre >= box[:2]) & (centre <= box[2:])).all(axis=1) & characters.seen
    found = segments(characters, box)
    assert letters(*(s.text for s in found)) == letters(*characters.text[inside].tolist())
    for segment in found:
        rows = [tuple(b) for b in characters.box[inside]]
        assert any(overlap_share(b, segment.box) > 0.99 for b in rows)
