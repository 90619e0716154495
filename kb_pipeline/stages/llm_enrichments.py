"""llm_enrichments: what a language model adds to chunks; empty, since enrichment is off without one."""

from __future__ import annotations

from kb_pipeline.engine.stage import Output, Stage, Work
from kb_pipeline.records import encode


def compute(work: Work) -> Output:
    """No enrichments: none is switched on."""
    return Output({"enrichments.json": encode(())}, {"enrichment": "off"})


STAGE = Stage(
    "llm_enrichments",
    ("chunks",),
    "1",
    "Keywords, questions, summaries and tags by a language model; empty when off.",
    compute=compute,
)
