"""A stage: what is told of a document when it can be searched."""

from __future__ import annotations

from kb_pipeline.engine.stage import Output, Stage, Work
from kb_pipeline.records import IndexRows, decode


def compute(work: Work) -> Output:
    rows = decode(work.read("index_rows", "rows.json"), IndexRows)
    text = f"{work.document.path}: {rows.count} rows can be searched"
    return Output({"announcement.txt": text.encode()}, {"text": text})


STAGE = Stage("announcement", ("index_rows",), "1", "What is told of a new document.", compute=compute, kinds=("text",))
