import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.deepdoc.vision.recognition import _batches, _decode, _edges, can_write, recognise, recognise_lines
from kb_pipeline_tests.deepdoc.vision_pages import blank, write


def line(text: str, width: int = 700) -> np.ndarray:
    picture = blank(width, 60)
    write(picture, text, 12, 44)
    return picture


@pytest.mark.parametrize("variant", ["small", "tiny"])
def test_text_is_read(variant):
    found = recognise([line("Copper grade 1.25 percent"), line("ZK305", 160)], variant)
    assert [f.text.replace(" ", "") for f in found] == ["Coppergrade1.25percent", "ZK305"]
    assert all(f.score > 0.9 for f in found)


def test_edges_lie_at_the_characters():
    crop = line("HILL MINE 42", 420)
    found = recognise([crop])[0]
    assert len(found.edges) == len(found.text) + 1
    assert list(found.edges) == sorted(found.edges)
    columns = np.flatnonzero(crop.min((0, 2)) < 128)
    gaps = np.sort(np.argsort(np.diff(columns))[-2:])  # the widest are the two spaces
    middles = [(columns[g] + columns[g + 1]) / 2 / crop.shape[1] for g in gaps]
    spaces = [i for i, c in enumerate(found.text) if c == " "]
    assert len(middles) == len(spaces) == 2
    for middle, i in zip(middles, spaces, strict=True):
        assert found.edges[i] - 0.02 <= middle <= found.edges[i + 1] + 0.02


@pytest.mark.parametrize(("turns", "degrees"), [(0, 0), (-1, 90), (1, 270)])
def test_lines_on_their_side_are_read_and_say_how_they_stand(turns, degrees):
    picture = blank(900, 900)
    write(picture, "Depth in metres", 300, 450)
    picture = np.ascontiguousarray(np.rot90(picture, turns))
    ink = np.argwhere(picture.min(2) < 128)
    (top, left), (bottom, right) = ink.min(0) - 6, ink.max(0) + 6
    quad = np.array([[[left, top], [right, top], [right, bottom], [left, bottom]]], np.float32)
    found = recognise_lines(picture, quad)[0]
    assert found.text.replace(" ", "") == "Depthinmetres"
    assert found.turned == degrees


def test_a_slim_upright_digit_is_read_upright():
    picture = blank(100, 100)
    write(picture, "1", 40, 70, height=40)
    ink = np.argwhere(picture.min(2) < 128)
    (top, left), (bottom, right) = ink.min(0) - 4, ink.max(0) + 4
    quad = np.array([[[left, top], [right, top], [right, bottom], [left, bottom]]], np.float32)
    found = recognise_lines(picture, quad)[0]
    assert (found.text, found.turned) in {("1", 0), ("I", 0), ("l", 0)}


def test_nothing_is_read_from_nothing():
    assert recognise([]) == []
    found = recognise([blank(200, 40)])[0]
    assert (found.text, found.edges) == ("", ())


def test_which_scripts_can_be_written():
    assert can_write("钻孔 ZK305 gold")
    assert can_write("1.25 %")
    assert not can_write("한국어 문서")
    assert not can_write("Русский текст")


@given(st.lists(st.floats(0.05, 40), max_size=40))
def test_batches_hold_every_crop_once(ratios):
    batches = _batches(ratios)
    assert sorted(i for b in batches for i in b) == list(range(len(ratios)))
    assert all(1 <= len(b) <= 4 for b in batches)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_decoding_collapses_repeats_and_drops_blanks(steps):
    labels = ("", "a", "b", "金")
    found = _decode(np.eye(4, dtype=np.float32)[steps], labels, 1.0)
    expected = [s for i, s in enumerate(steps) if s and (i == 0 or steps[i - 1] != s)]
    assert found.text == "".join(labels[s] for s in expected)
    assert len(found.edges) == (len(expected) + 1 if expected else 0)
    assert list(found.edges) == sorted(found.edges)


def test_edges_share_a_gap_by_width():
    edges = _edges(["中", "a"], np.array([0.2, 0.5]))
    assert edges[1] == pytest.approx(0.4)
