from __future__ import annotations

import pytest

from kb_pipeline.errors import UsageError
from kb_pipeline.evaluation.questions import EvalQuestion, ask_questions, read_questions
from kb_pipeline.evaluation.self_recall import sampled, self_recall
from kb_pipeline.evaluation.trace import trace_questions
from kb_pipeline.records import Answer, Citation, Hit, PageLocator

SIZE = (595.0, 842.0)


def hit(n: int, text: str, page: int = 1, document: str = "a.pdf", top: float = 100.0) -> Hit:
    place = PageLocator(page, (50.0, top, 250.0, top + 10), SIZE, 0, len(text))
    return Hit(f"a:1:{n}", document, "a", "text", text, (), 1.0, {}, (place,))


HITS = [hit(0, "孔深四百米"), hit(1, "金品位 ０.47 g/t", 7), hit(2, "金品位 0.47 g/t", 7, "b.pdf")]


def test_a_file_of_questions_is_read_and_a_bad_line_named(tmp_path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(
        '{"question": "q", "page": null, "quote": ["x", "y"], "other": 1}\n\n{"question": "r", "page": 2}\n'
    )
    first, second = read_questions(file)
    assert (first.pages, first.quotes, second.pages) == ((), ("x", "y"), (2,))
    file.write_text('{"question": "q"}\n{"page": 1}\n')
    with pytest.raises(UsageError, match="line 2"):
        read_questions(file)
    file.write_text("\n")
    with pytest.raises(UsageError, match="no question"):
        read_questions(file)
    with pytest.raises(UsageError):
        read_questions(tmp_path / "missing.jsonl")


def test_evidence_is_found_by_its_words_in_its_document() -> None:
    questions = [
        EvalQuestion("gold?", "a.pdf", 7, "品位0.47", kind="cell"),
        EvalQuestion("gold?", "c.pdf", 7, "0.47", kind="cell"),
        EvalQuestion("depth?", "a.pdf", 1),
        EvalQuestion("any?", "b.pdf"),
    ]
    report = ask_questions(questions, lambda question, top: HITS[:top])
    assert [one.rank for one in report.asked] == [2, 0, 1, 3]
    assert [one.page_rank for one in report.asked] == [2, 0, 1, -1]
    assert report.scores.recall_at_1 == 0.25
    assert report.scores.recall_at_5 == 0.75
    assert report.scores.with_page == 3
    assert report.by_kind["cell"].mrr_at_10 == 0.25


def test_a_highlight_is_compared_with_the_true_boxes() -> None:
    question = EvalQuestion("gold?", "a.pdf", 7, "0.47", ((7, 50.0, 100.0, 250.0, 120.0),))
    other = EvalQuestion("no boxes", "a.pdf", 7)
    citation = Citation(1, "a:1:1", "a.pdf", "金品位 0.47 g/t", True, HITS[1].locators)
    report = trace_questions([question, other], lambda _: Answer("", (citation,), 1.0, "extractive"), lambda q, n: HITS)
    (traced,) = report.traced
    assert (traced.citation, traced.quoted, traced.cover, traced.iou, traced.passage) == (1, True, 0.5, 0.5, 2)
    assert report.scores.questions == report.scores.hits == 1


def test_an_answer_that_shows_another_place_covers_nothing() -> None:
    question = EvalQuestion("gold?", "a.pdf", 7, "0.47", ((7, 50.0, 100.0, 250.0, 120.0),))
    wrong = Citation(1, "a:1:0", "a.pdf", "孔深四百米", True, HITS[0].locators)
    report = trace_questions([question], lambda _: Answer("", (wrong,), 1.0, "extractive"), lambda q, n: [])
    assert (report.scores.cover, report.scores.hits, report.scores.quoted) == (0, 0, 0)
    silent = trace_questions([question], lambda _: Answer("", (), 0.0, "extractive"), lambda q, n: [])
    assert (silent.scores.cover, silent.scores.page_first) == (0, 0)


def test_self_recall_counts_equal_texts_and_names_what_was_missed() -> None:
    texts = {"a:1:0": "one", "a:1:1": "two", "a:1:2": "two"}
    every = [hit(0, "one"), hit(1, "two"), hit(2, "two")]
    ways = {
        "good": lambda text, top: [one for one in every if one.text == text],
        "stuck": lambda text, top: every[:1],
    }
    report = self_recall(3, texts, ways)
    assert report.ways["good"].recall_at_1 == 1
    assert report.ways["stuck"].recall_at_1 == pytest.approx(1 / 3, abs=1e-4)
    assert [one.chunk_id for one in report.ways["stuck"].missed] == ["a:1:1", "a:1:2"]


def test_a_sample_comes_from_all_over_and_stays() -> None:
    ids = [f"d:1:{n}" for n in range(1000)]
    chosen = sampled(ids, 50)
    assert chosen == sampled(list(reversed(ids)), 50)
    assert len({int(one.rpartition(":")[2]) // 200 for one in chosen}) == 5
    assert sampled(ids[:3], 50) == ids[:3]


def test_a_quote_over_several_cells_is_found_in_a_row_of_a_table() -> None:
    rows = [hit(0, "ZK304 | 0.31"), hit(1, "孔号 | 品位\nZK305 | 0.47")]
    report = ask_questions([EvalQuestion("q", quote="ZK305 0.47")], lambda question, top: rows)
    assert report.asked[0].rank == 2
