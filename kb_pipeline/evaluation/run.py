"""Evaluate a knowledge base by its name: self-recall, a question set, traces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kb_pipeline.errors import UsageError
from kb_pipeline.evaluation.questions import EvalQuestion, QuestionReport, ask_questions, read_questions
from kb_pipeline.evaluation.self_recall import SelfRecallReport, sampled, self_recall
from kb_pipeline.evaluation.trace import TraceReport, trace_questions
from kb_pipeline.settings import Settings, load_settings
from kb_pipeline.storage.catalogue import Catalogue
from kb_pipeline.storage.objects import home_store

if TYPE_CHECKING:
    from kb_pipeline.query import KnowledgeBase
    from kb_pipeline.records import Hit

WAYS = {"dense": "vector", "full-text": "full-text"}  # name in reports, and the fusion that searches so
Report = SelfRecallReport | QuestionReport | TraceReport


def self_recall_of(name: str, sample: int = 0, installation: Settings | None = None) -> SelfRecallReport:
    """Self-recall over a sample of all chunks: by vectors alone, by full text alone, as the knowledge base searches.

    Args:
        sample: chunks asked for; 0 takes the setting `evaluation.sample`.
        installation: settings of the installation that holds it; that of `KB_HOME` where none are given.

    Raises:
        UsageError: the knowledge base is unknown or empty.
    """
    base = _open(name, installation)
    ids = base.chunk_ids()
    if not ids:
        raise UsageError(f"{name} holds no chunk", remedy="`kb ingest` brings documents in")
    chosen = sampled(ids, sample or _settings(name, installation).evaluation.sample)
    ways = {way: _search(base, fusion) for way, fusion in WAYS.items()} | {"hybrid": _search(base)}
    return self_recall(len(ids), base.texts(chosen), ways)


def question_scores_of(name: str, questions: str = "", installation: Settings | None = None) -> QuestionReport:
    """Scores over a file of questions, by default that of the setting `evaluation.questions`.

    Raises:
        UsageError: the knowledge base or the file cannot be read.
    """
    return ask_questions(_questions(name, questions, installation), _search(_open(name, installation)))


def trace_scores_of(name: str, questions: str = "", installation: Settings | None = None) -> TraceReport:
    """Highlights against true boxes over a file of questions, by default that of `evaluation.questions`.

    Raises:
        UsageError: the knowledge base or the file cannot be read, or no question has boxes.
    """
    found = [question for question in _questions(name, questions, installation) if question.boxes]
    if not found:
        raise UsageError("no question has boxes", remedy='add "boxes": [[page, x0, top, x1, bottom], …]')
    base = _open(name, installation)
    return trace_questions(found, base.ask, _search(base))


def metadata(report: Report) -> dict[str, Any]:
    """Figures of a report by name, flat, as Dagster draws them."""
    if isinstance(report, SelfRecallReport):
        figures: dict[str, Any] = {"chunks": report.chunks, "sample": report.sample}
        for way, found in report.ways.items():
            values = msgspec.structs.asdict(found)
            figures |= {f"{way} {key}".replace("_", " "): v for key, v in values.items() if key != "missed"}
        return figures
    figures = _words(report.scores)
    for kind, scores in report.by_kind.items():
        figures |= {f"{kind}: {key}": value for key, value in _words(scores).items()}
    return figures


def _words(scores: msgspec.Struct) -> dict[str, Any]:
    return {key.replace("_", " "): value for key, value in msgspec.structs.asdict(scores).items()}


def _open(name: str, installation: Settings | None) -> KnowledgeBase:
    from kb_pipeline.query import KnowledgeBase

    return KnowledgeBase.open(name, installation)


def _search(base: KnowledgeBase, fusion: str = "") -> Callable[[str, int], Sequence[Hit]]:
    return lambda question, top: base.search(question, top=top, fusion=fusion)


def _settings(name: str, installation: Settings | None) -> Settings:
    installation = installation or load_settings()
    return installation.merged(Catalogue(home_store(installation)).knowledge_base(name).settings)


def _questions(name: str, questions: str, installation: Settings | None) -> list[EvalQuestion]:
    path = questions or _settings(name, installation).evaluation.questions
    if not path:
        raise UsageError("no file of questions", remedy="name one, or set evaluation.questions")
    return read_questions(Path(path))
