"""A question about a value in a table was answered by a short line in another language that names the same drill hole:
the row was read without its headers and caption, and the line got the language offset of running text."""

from __future__ import annotations

import numpy as np

from kb_pipeline.query.extract import extractive_answer
from kb_pipeline.query.question import read_question
from kb_pipeline.records import Hit, LineLocator
from kb_pipeline_tests.query.shelf import WordVectors


class Multilingual(WordVectors):
    """A model that sees some likeness everywhere and less of it in another language, as real ones do."""

    cosine_window = (0.7, 1.0)
    language_offsets = {("zh", "en"): 0.1}

    def embed_passages(self, texts):
        found = super().embed_passages(texts) + 0.5
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def hit(document: str, kind: str, text: str, score: float) -> Hit:
    return Hit(f"{document}:1:0", document, document, kind, text, (), score, {}, (LineLocator(1, 9),))


TABLE = (
    "表4-1 钻孔化验结果\n孔号 | 铜品位/% | 金品位/(g/t)\nZK304 | 1.35 | 0.34\nZK305 | 1.68 | 0.47\nZK306 | 1.41 | 0.39"
)
NOTES = "Pump rate 4 m3/h.\n16 May: ZK305 reaches ore\nSpare batteries are in the green case."


def test_the_row_answers_with_its_headers_and_is_what_is_cited() -> None:
    model = Multilingual()
    question = read_question("ZK305 的伴生金品位是多少？", model)
    hits = [hit("notes.md", "text", NOTES, 1.6), hit("report.pdf", "table", TABLE, 1.58)]
    answer = extractive_answer(question, hits, model)
    first = answer.citations[0]
    assert (first.document, first.quote, first.verified) == ("report.pdf", "ZK305 | 1.68 | 0.47", True)
    assert "金品位/(g/t): 0.47" in answer.answer.splitlines()[0]
    assert "reaches ore" not in answer.answer
