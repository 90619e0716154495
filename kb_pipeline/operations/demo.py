"""The demonstration: the example documents through the assets, two questions, the cited pages marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kb_pipeline.engine.context import Context, Progress
from kb_pipeline.errors import UnknownKnowledgeBase
from kb_pipeline.operations.answers import remember
from kb_pipeline.operations.ingest import IngestReport, ingest, register
from kb_pipeline.records import Answer, PageLocator, Record
from kb_pipeline.settings import home, make_home

EXAMPLES = Path(__file__).with_name("example_documents")  # in a checkout a link to examples/documents
NAME = "demo"
QUESTIONS = ("ZK305 的伴生金品位是多少？", "How long did the dye take to reach spring Q3?")


class Asked(Record, frozen=True):
    """A question with its answer and the file of the marked page."""

    question: str
    answer: Answer
    picture: str


class Demo(Record, frozen=True):
    """What the demonstration did."""

    report: IngestReport
    asked: tuple[Asked, ...]


def run_demo(context: Context, listen: Callable[[Progress], None]) -> Demo:
    """Ingest the example documents into the knowledge base `demo`, ask, and write the marked pages to KB_HOME/demo."""
    from kb_pipeline.query import KnowledgeBase

    try:
        entry = context.catalogue.knowledge_base(NAME)
    except UnknownKnowledgeBase:
        entry = context.catalogue.create(NAME, {})
    report = ingest(entry, register(context.catalogue, entry, [str(EXAMPLES.resolve())]), context, listen)
    base = KnowledgeBase.open(NAME)
    asked = []
    for number, question in enumerate(QUESTIONS, 1):
        answer = base.ask(question)
        remember(NAME, answer)
        picture = make_home(home()) / "demo" / f"answer-{number}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        on_page = [c for c in answer.citations if any(isinstance(place, PageLocator) for place in c.locators)]
        if on_page:
            picture.write_bytes(base.trace(on_page[0]))
        asked.append(Asked(question, answer, str(picture) if on_page else ""))
    return Demo(report, tuple(asked))
