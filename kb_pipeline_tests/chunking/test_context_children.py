"""Text around objects, marked as such; children of a chunk."""

from __future__ import annotations

from kb_pipeline.records import PageLocator, Section
from kb_pipeline_tests.chunking.samples import SIZE, chunks, letters, section, table, texts

BEFORE, AFTER = (
    "各孔品位列于下表。其中ZK305孔最高。" + "矿区概况如前所述，不再重复，详见附录。" * 3,
    "由表可见，品位向东升高。",
)
GRID = [["孔号", "品位"], ["ZK305", "0.85"]]


def around(**chosen):
    return chunks(section(BEFORE), table(GRID), section(AFTER), chunk_tokens=128, count=letters, **chosen)


def test_a_table_repeats_sentences_around_it_marked_as_context():
    chunk = around(context_tokens=25)[1]
    assert (
        chunk.text == f"孔号 | 品位\nZK305 | 0.85\n[context] 矿区概况如前所述，不再重复，详见附录。\n[context] {AFTER}"
    )
    shown = [(mark.kind, chunk.text[mark.start : mark.end]) for mark in chunk.added]
    assert [text for kind, text in shown if kind == "context"] == ["矿区概况如前所述，不再重复，详见附录。", AFTER]
    assert [place.box for place in chunk.locators if chunk.text[place.start : place.end] == AFTER]


def test_there_is_no_context_unless_it_is_asked_for():
    assert around()[1].text == "孔号 | 品位\nZK305 | 0.85"


def test_context_ends_at_a_heading_and_gives_way_where_there_is_no_room():
    found = chunks(
        section(AFTER),
        section("下一节", level=1),
        table(GRID),
        section("Next", level=1),
        context_tokens=50,
        count=letters,
    )
    assert [chunk.text for chunk in found if chunk.kind == "table"] == ["下一节\n孔号 | 品位\nZK305 | 0.85"]
    assert around(context_tokens=25, most=24)[-2].text == "孔号 | 品位\nZK305 | 0.85"


def test_a_figure_without_text_has_its_surroundings():
    box = (10.0, 10.0, 90.0, 90.0)
    figure = Section("", "figure", "", locators=(PageLocator(2, box, SIZE),), picture="f.jpg")
    chunk = chunks(figure, section(AFTER), context_tokens=40, count=letters)[0]
    assert (chunk.text, chunk.picture) == (f"[figure]\n[context] {AFTER}", "f.jpg")
    assert any(place.box == box for place in chunk.locators)


def test_sentences_are_children_of_their_chunk():
    found = chunks(section("有铜。有金。\n有银"), child_delimiters=("。", "\\n"))
    assert [(chunk.text, chunk.parent) for chunk in found] == [
        ("有铜。有金。\n有银", -1), ("有铜。", 0), ("有金。", 0), ("有银", 0)
    ]  # fmt: skip
    place = found[2].locators[0]
    assert (place.start, place.end, place.box[1]) == (0, 3, 0.0)
    assert found[3].locators[0].box[1] == 10.0


def test_a_chunk_in_one_piece_has_no_child_and_delimiters_may_have_several_characters():
    assert texts(chunks(section("有铜。"), child_delimiters=("。",))) == ["有铜。"]
    found = chunks(section("one## two## three"), child_delimiters=("##",))
    assert texts(found)[1:] == ["one##", "two##", "three"]
