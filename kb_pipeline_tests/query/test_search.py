"""What a search can be asked for: presets, filters, pages, near misses, neighbours, boosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_pipeline.errors import UsageError
from kb_pipeline.query.filters import Filters
from kb_pipeline.query.fusion import PRESETS
from kb_pipeline.query.rescore import total
from kb_pipeline.records import Added, Chunk
from kb_pipeline.settings import QuerySettings
from kb_pipeline_tests.query.shelf import Shelf

NASTY = "a \"b\" 50%_\\ 'c'"


def chunk(ordinal: int, text: str, kind: str = "text", breadcrumb: tuple[str, ...] = ()) -> Chunk:
    return Chunk(ordinal, kind, text, breadcrumb, 10, (), ())


@pytest.fixture(scope="module")
def shelf(index_folder: Path) -> Shelf:
    shelf = Shelf(index_folder, "kbn_search", settings=QuerySettings(threshold=0.2))
    shelf.put(
        "report",
        [
            chunk(0, "钻孔深度四百米，矿体在大理岩中。", breadcrumb=("第一章", NASTY)),
            chunk(1, "钻孔深度与岩心采取率见下表。", breadcrumb=("第一章",)),
            chunk(2, "钻孔 | 深度\nZK1 | 400", "table", ("第二章",)),
            chunk(3, "水文观测结果另行报告。"),
        ],
    )
    shelf.put("notes", [chunk(0, "钻孔深度四百米，矿体在大理岩中。"), chunk(1, "完全无关的天气记录。")])
    return shelf


QUESTION = "钻孔深度四百米"


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_finds_and_its_parts_recompute(shelf: Shelf, preset: str) -> None:
    hits = shelf.base().find(QUESTION, top=5, fusion=preset).hits
    assert "四百米" in hits[0].text
    for hit in hits:
        assert total(hit.scores) == hit.score
        assert 0 <= hit.score <= 1
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_presets_differ_in_what_they_weigh(shelf: Shelf) -> None:
    base = shelf.base()
    first = {name: base.find(QUESTION, top=1, fusion=name).hits[0].scores for name in PRESETS}
    assert first["windowed"]["term weight"] == pytest.approx(0.2)
    assert first["weighted"]["term weight"] == pytest.approx(0.7)
    assert first["rrf-4-1"]["term weight"] == pytest.approx(0.2)
    assert first["rrf"]["vector rank"] >= 1
    assert first["full-text"]["term weight"] == 1
    assert first["full-text"]["vector rank"] == 0
    with pytest.raises(UsageError):
        base.find(QUESTION, fusion="magic")


def test_filters_keep_to_documents_kinds_and_headings(shelf: Shelf) -> None:
    base = shelf.base()

    def found(**kept) -> set[str]:
        return {hit.chunk_id for hit in base.find(QUESTION, filters=Filters(**kept)).hits}

    assert found(documents=("notes",)) <= {"notes:1:0", "notes:1:1"}
    assert found(documents=()) == set()
    assert found(kinds=("table",)) == {"report:1:2"}
    assert found(headings=(NASTY,)) == {"report:1:0"}
    assert found(headings=("第一章",), kinds=("text",)) == {"report:1:0", "report:1:1"}
    assert found(headings=('x"] or true or ["', "第二章\n")) == {"report:1:2"}
    with pytest.raises(UsageError):
        found(kinds=('text"] or true',))


def test_pages_follow_each_other_without_gap(shelf: Shelf) -> None:
    base = shelf.base()
    whole = [hit.chunk_id for hit in base.find(QUESTION, top=5).hits]
    pages = [hit.chunk_id for skip in range(len(whole)) for hit in base.find(QUESTION, top=1, skip=skip).hits]
    assert pages == whole
    assert base.find(QUESTION, top=5, skip=500).hits == ()
    with pytest.raises(UsageError):
        base.find(QUESTION, top=10, skip=1000)


def test_near_misses_are_below_the_threshold_and_asked_for(index_folder: Path, shelf: Shelf) -> None:
    assert shelf.base().find(QUESTION).near_misses == ()
    result = shelf.base(settings=QuerySettings(threshold=0.6)).find(QUESTION, near_misses=10)
    assert not result.relaxed
    assert all(hit.score >= 0.6 for hit in result.hits)
    assert result.near_misses
    assert all(hit.score < 0.6 for hit in result.near_misses)


def test_a_relaxed_threshold_is_said(shelf: Shelf) -> None:
    result = shelf.base(settings=QuerySettings(threshold=1.0)).find("天气与岩心", top=3)
    assert result.relaxed
    assert result.threshold == 0.25
    assert result.hits
    assert not shelf.base().find(QUESTION).relaxed


def test_documents_are_counted_and_neighbours_given(shelf: Shelf) -> None:
    result = shelf.base().find(QUESTION, top=2, neighbours=1)
    counts = {one.document_id: one.hits for one in result.documents}
    assert sum(counts.values()) == result.found
    assert set(counts) == {"report", "notes"}
    assert [p.chunk_id for p in result.neighbours["report:1:0"]] == ["report:1:1"]
    assert [p.chunk_id for p in result.neighbours["notes:1:0"]] == ["notes:1:1"]


def test_a_boost_lifts_a_document_within_bounds(shelf: Shelf) -> None:
    order = [hit.document_id for hit in shelf.base().find(QUESTION, top=2).hits]
    shelf.factors[order[1]] = 1.2
    try:
        hits = shelf.base().find(QUESTION, top=2).hits
    finally:
        shelf.factors.clear()
    assert hits[0].document_id == order[1]
    assert hits[0].scores["boost"] == 1.2
    assert all(total(hit.scores) == hit.score <= 1 for hit in hits)


def test_chunks_that_repeat_their_neighbour_are_one_hit(index_folder: Path) -> None:
    shelf = Shelf(index_folder, "kbn_overlap")
    shared = "矿体走向长八百米，倾角七十度，产于矽卡岩带内。"
    texts = [f"勘探线剖面见附图。{shared}", f"{shared}矿石以黄铜矿为主。", "矿石储量另表。", shared, shared]
    shelf.put("a", [chunk(i, text) for i, text in enumerate(texts[:3])])
    shelf.put("b", [chunk(0, shared), chunk(1, "其他内容。"), chunk(2, shared)])
    ids = [hit.chunk_id for hit in shelf.base().find("矿体走向长八百米", top=10).hits]
    assert len({"a:1:0", "a:1:1"}.intersection(ids)) == 1
    assert {"b:1:0", "b:1:2"} <= set(ids), "equal texts at different places are different passages"


def test_all_chunks_are_listed_of_visible_versions_only(index_folder: Path) -> None:
    shelf = Shelf(index_folder, "kbn_listed")
    shelf.put("a", [chunk(0, "一"), chunk(1, "二")])
    shelf.put("b", [chunk(0, "三")])
    del shelf.versions["b"]
    base = shelf.base()
    assert base.chunk_ids() == ["a:1:0", "a:1:1"]
    assert base.texts(["a:1:1", "b:9:9"]) == {"a:1:1": "二"}


def test_a_hit_tells_which_parts_of_its_text_are_not_its_own_and_gives_its_picture(index_folder: Path) -> None:
    shelf = Shelf(index_folder, "kbn_figures")
    added = (Added("context", 0, 6),)
    shelf.put("report", [Chunk(0, "figure", "见图四。\n\n图4 矿体剖面", (), 8, (), (), added, "00003-figure-1.jpg")])
    base = shelf.base()
    hit = base.search("矿体剖面")[0]
    assert (hit.added, hit.picture) == (added, "00003-figure-1.jpg")
    assert base.picture(hit) == base.picture(hit.chunk_id) == b"report 00003-figure-1.jpg"


def test_a_chunk_without_a_picture_says_so(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match="has no picture"):
        shelf.base().picture("report:1:0")


def test_an_answer_says_that_the_threshold_was_relaxed(index_folder: Path) -> None:
    strict = Shelf(index_folder, "kbn_strict", settings=QuerySettings(threshold=0.95))
    strict.put("report", [chunk(0, "钻孔深度四百米，矿体在大理岩中。")])
    answer = strict.base().ask("矿体在哪种岩石中，由谁发现？")
    assert answer.citations
    assert answer.notes == ("nothing scores 0.95, query.threshold: the threshold was relaxed to 0.2375",)
    assert strict.base().ask("钻孔深度四百米，矿体在大理岩中。").notes == ()
