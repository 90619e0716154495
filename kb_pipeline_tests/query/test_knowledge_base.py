from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_pipeline.embedding.local import LocalEmbedder
from kb_pipeline.errors import UnknownChunk, UnknownDocument, UsageError
from kb_pipeline.index import lite_server
from kb_pipeline.index.collections import drop_collection
from kb_pipeline.query import KnowledgeBase, knowledge_base
from kb_pipeline.query.rescore import total
from kb_pipeline.records import Chunk, Enrichment, LineLocator
from kb_pipeline.settings import QuerySettings
from kb_pipeline_tests.index.lite_owner import kill_owner
from kb_pipeline_tests.index.samples import chunk
from kb_pipeline_tests.query.shelf import Shelf

HOSTILE = [
    '" or 1 == 1 or "',
    "id in ['a'] and not (lang == \"zh\")",
    "100% _ \\ ' \" ` $()",
    "cat-o'-nine-tails",
    "品位 AND (铜 OR 金)^10 ~2 *",
    "'; drop collection; --",
    "{x} {{y}} %s %d",
    "\\\\server\\share\\文件_v1.pdf",
    "ZK305\\' ZK305\"",
    "a" * 9000,
    "𠀀𠀁 ﷺﷺ",
]


@pytest.fixture(scope="module")
def shelf(index_folder: Path) -> Shelf:
    shelf = Shelf(index_folder, "kbn_face")
    shelf.put(
        "report-1",
        [
            chunk(0, "钻孔ZK305见矿厚度为12.5米，铜平均品位0.85%。", ("第三章 勘探工程",), page=3),
            chunk(1, "地下水位埋深12米，水文地质条件简单。", ("第五章 水文地质",), page=8),
            Chunk(2, "text", "没有页面的段落", (), 5, (), (LineLocator(1, 2, 0, 7),)),
        ],
        enrichments=[Enrichment(1, questions=("潜水面有多深？",))],
        path="地质\\报告 'x' 100%_\".pdf",
    )
    shelf.put("letter", [chunk(0, "The slag of copper smelting is removed.", page=12)], path="letter.txt")
    return shelf


@pytest.fixture(scope="module")
def base(shelf: Shelf) -> KnowledgeBase:
    return shelf.base()


def test_a_hit_carries_text_place_and_every_part_of_its_score(base: KnowledgeBase) -> None:
    hit = base.search("ZK 305 的铜品位是多少？", top=3)[0]
    assert hit.chunk_id == "report-1:1:0"
    assert (hit.document, hit.document_id) == ("地质\\报告 'x' 100%_\".pdf", "report-1")
    assert (hit.kind, hit.breadcrumb) == ("text", ("第三章 勘探工程",))
    assert hit.locators == (chunk(0, hit.text, page=3).locators)
    assert hit.scores["id"] == 1.0
    assert total(hit.scores) == hit.score


def test_questions_that_a_model_wrote_are_searched(base: KnowledgeBase) -> None:
    assert base.search("潜水面有多深？")[0].chunk_id == "report-1:1:1"


def test_search_can_be_kept_to_documents(base: KnowledgeBase) -> None:
    assert {hit.document_id for hit in base.search("copper 品位", documents=["letter"])} == {"letter"}
    assert base.search("copper", documents=[]) == []
    with pytest.raises(ValueError, match="does not match"):
        base.search("copper", documents=['x"] or id in ["y'])


@pytest.mark.parametrize("question", HOSTILE)
def test_no_character_of_a_question_has_a_meaning(base: KnowledgeBase, question: str) -> None:
    for hit in base.search(question):
        assert hit.document_id in ("report-1", "letter")
    assert base.ask(question).mode == "extractive"


@pytest.mark.parametrize("question", ["", " \n", "\x00\x01"])
def test_an_empty_question_is_refused(base: KnowledgeBase, question: str) -> None:
    with pytest.raises(UsageError):
        base.search(question)
    with pytest.raises(UsageError):
        base.ask(question)


@pytest.mark.parametrize("top", [0, -1, 1001])
def test_top_is_bounded(base: KnowledgeBase, top: int) -> None:
    with pytest.raises(UsageError):
        base.search("x", top=top)


@pytest.mark.parametrize("question", ["的 了 吗", "the of what"])
def test_questions_of_stop_words_only_do_not_fail(base: KnowledgeBase, question: str) -> None:
    for hit in base.search(question):
        assert hit.scores["term"] == 0


def test_empty_and_missing_collections_have_no_hits(index_folder: Path) -> None:
    shelf = Shelf(index_folder, "kbn_void")
    assert shelf.base().search("ZK305 的品位") == []
    assert "Nothing" in shelf.base().ask("What is the grade?").answer
    drop_collection(shelf.client, "kbn_void")
    assert shelf.base().search("品位") == []


def test_rows_that_no_pointer_names_are_not_seen_however_many_they_are(index_folder: Path) -> None:
    shelf = Shelf(index_folder, "kbn_crowded", settings=QuerySettings(candidates=10))
    for n in range(4):  # left behind by removals that were cut short
        shelf.put(f"gone-{n}", [chunk(i, f"铜品位 {i}") for i in range(60)])
        del shelf.versions[f"gone-{n}"]
    shelf.put("here", [chunk(0, "铜品位 与其他许多元素的含量在本报告中有说明")])
    assert [hit.document_id for hit in shelf.base().search("铜品位")] == ["here"]


def test_a_page_is_traced_from_a_citation_a_hit_and_an_id(base: KnowledgeBase) -> None:
    answer = base.ask("ZK305的铜平均品位是多少?")
    hit = base.search("ZK305的铜平均品位是多少?")[0]
    for target in (answer.citations[0], hit, hit.chunk_id):
        assert base.trace(target).startswith(b"\x89PNG")


@pytest.mark.parametrize("target", ["", "x", "report-1:1:99", "report-1:2:0", "nobody:1:0", 'report-1:1:0" or id != "'])
def test_chunks_that_are_not_there_are_named(base: KnowledgeBase, target: str) -> None:
    with pytest.raises(UnknownChunk):
        base.trace(target)


def test_places_that_cannot_be_drawn_say_where_they_are(base: KnowledgeBase) -> None:
    with pytest.raises(UsageError) as caught:
        base.trace("report-1:1:2")
    assert "lines 1-2" in caught.value.remedy
    with pytest.raises(UnknownDocument):
        base.trace("letter:1:0")


def test_an_older_version_cannot_be_traced(index_folder: Path) -> None:
    shelf = Shelf(index_folder, "kbn_older")
    shelf.put("doc", [chunk(0, "old words")])
    old = shelf.base().search("words")[0].chunk_id
    shelf.put("doc", [chunk(0, "new words")], version="2")
    with pytest.raises(UnknownChunk):
        shelf.base().trace(old)


@pytest.fixture
def own_folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    lite_server.stop(tmp_path)


def test_search_goes_on_after_the_owner_was_killed(own_folder: Path) -> None:
    shelf = Shelf(own_folder, "kbn_killed")
    shelf.put("doc", [chunk(0, "words that stay")])
    base = shelf.base()
    before = base.search("words")
    kill_owner(own_folder)
    assert base.search("words") == before


def test_fifty_near_duplicates_are_told_apart_by_their_identifier(index_folder: Path) -> None:
    text = "钻孔{0}位于矿区中部第三勘探线，邻孔为{1}和{2}，见矿厚度{3}米，铜平均品位{4}%，岩芯采取率符合规范要求。"
    shelf = Shelf(index_folder, "kbn_duplicates", embedder=LocalEmbedder(2))
    chunks = [
        chunk(i, text.format(f"ZK3{i:02}", f"ZK3{(i + 1) % 50:02}", f"ZK3{(i - 1) % 50:02}", i + 0.5, i / 50))
        for i in range(50)
    ]
    shelf.put("drilling", chunks)
    base = shelf.base()
    first = [base.search(f"钻孔ZK3{i:02}的见矿厚度是多少？", top=1)[0].chunk_id for i in range(50)]
    right = sum(key == f"drilling:1:{i}" for i, key in enumerate(first))
    assert right == 50


def test_a_question_finds_its_answer_in_the_other_language(index_folder: Path) -> None:
    shelf = Shelf(index_folder, "kbn_languages", embedder=LocalEmbedder(2))
    shelf.put(
        "mixed",
        [
            chunk(0, "Copper concentrate is smelted in a flash furnace, and the slag is tapped every two hours."),
            *(chunk(i, f"第{i}勘探线的钻孔于当年完工，岩芯采取率符合规范要求，测斜结果合格。") for i in range(1, 40)),
        ],
    )
    assert shelf.base().search("铜精矿在什么炉子里冶炼，多久排一次渣？", top=1)[0].chunk_id == "mixed:1:0"


def test_the_face_is_loaded_on_first_use_only() -> None:
    import kb_pipeline.query

    assert kb_pipeline.query.KnowledgeBase is knowledge_base.KnowledgeBase
    with pytest.raises(AttributeError):
        _ = kb_pipeline.query.nothing
